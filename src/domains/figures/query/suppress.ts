/** Minimum number of people in a group. Smaller groups are merged, so that a count reveals nothing about a single person. */
export const MIN_GROUP_SIZE = 5

/**
 * Chooses the groups that are merged into one: those with fewer people than MIN_GROUP_SIZE and, if together they still have fewer, the next
 * smallest ones. Ties are decided by the key.
 */
export function chooseSuppressedGroups<Group extends { persons: number; key: string }>(groups: readonly Group[]): Group[] {
  const ordered = groups.toSorted((a, b) => a.persons - b.persons || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const merged = ordered.filter(({ persons }) => persons < MIN_GROUP_SIZE)
  if (merged.length === 0) return []
  const count = () => merged.reduce((sum, { persons }) => sum + persons, 0)
  while (count() < MIN_GROUP_SIZE && merged.length < ordered.length) merged.push(ordered[merged.length]!)
  return merged
}
