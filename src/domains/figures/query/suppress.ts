/** Minimum number of people in a group. Smaller groups are merged, so that a count reveals nothing about a single person. */
export const MIN_PEOPLE_PER_RESULT_GROUP = 5

interface SizedGroup {
  persons: number
  key: string
}

const sumPersons = (groups: readonly SizedGroup[]): number => groups.reduce((sum, { persons }) => sum + persons, 0)

/** Returns a lower bound of the number of different people in several groups, because a person may be in more than one of them. */
export const computeMinDistinctPeople = (groups: readonly SizedGroup[]): number => Math.max(0, ...groups.map(({ persons }) => persons))

export const listGroupsBelowMinSize = <Group extends SizedGroup>(groups: readonly Group[]): Group[] =>
  groups.filter(({ persons }) => persons < MIN_PEOPLE_PER_RESULT_GROUP)

/**
 * Chooses the groups that are merged into one: those with fewer people than MIN_PEOPLE_PER_RESULT_GROUP and, if all of these together still have fewer,
 * also the smallest group with enough people. Ties are decided by the key. `countPeople` counts the different people of the small groups
 * together.
 */
export function chooseSuppressedGroups<Group extends SizedGroup>(
  groups: readonly Group[],
  countPeople: (small: readonly Group[]) => number = sumPersons,
): Group[] {
  const small = listGroupsBelowMinSize(groups)
  if (small.length === 0 || countPeople(small) >= MIN_PEOPLE_PER_RESULT_GROUP) return small
  const [next] = groups
    .filter(({ persons }) => persons >= MIN_PEOPLE_PER_RESULT_GROUP)
    .toSorted((a, b) => a.persons - b.persons || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return next ? [...small, next] : small
}
