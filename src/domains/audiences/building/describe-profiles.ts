import type { Money } from '../../../kernel/money.ts'
import type { ProfileFeature } from '../features/feature-list.ts'
import type { FeatureStatistics } from './stage.ts'

/** The number of people at each level (value) of each feature. */
export type FeatureLevelCounts = Record<string, Record<string, number>>

/** A level of a feature that is more frequent in a profile than among all people. */
export interface ProfileTrait {
  feature: string
  level: string
  /** The display text of the level, such as "high spend". */
  label: string
  /** The percentage of people with this level, in the profile (`share`) and among all people. */
  share: number
  overall: number
  /** The share in the profile divided by the share among all people. */
  lift: number
}

/** Figures about the behaviour of the people in a profile. A figure is null if it comes from fewer than five people or answers. */
export interface ProfileBehaviour {
  averageNet: Money | null
  showRate: number | null
  nps: number | null
  leadsPerHead: number | null
  medianLeadDays: number | null
}

export interface ProfileProductShare {
  code: string
  share: number
  lift: number
}

/** Minimum number of people in a group whose answers and amounts are shown. */
export const MIN_PEOPLE_PER_SHOWN_GROUP = 5
/** Minimum difference in percentage points between a level's share in the profile and among all people for it to be a trait. */
const TRAIT_POINTS = 10

export const ALL_PARTICIPANTS_PROFILE_NAME = 'All participants'
const WITHOUT_TRAITS = 'Other participants'

/** Returns a share as a percentage with one decimal. */
export const toSharePercent = (part: number, whole: number): number => Math.round((1000 * part) / whole) / 10

/** Returns the ratio of two shares with two decimals. */
export const computeLift = (part: number, whole: number, allParts: number, all: number): number =>
  Math.round((100 * part * all) / (whole * allParts)) / 100

/** Whether people are so few that a count of them could reveal something about one of them. */
const isFewPeople = (people: number): boolean => people > 0 && people < MIN_PEOPLE_PER_SHOWN_GROUP

interface CountedGroup {
  size: number
  counts: FeatureLevelCounts
}

type ComparedFeature = Pick<ProfileFeature, 'name' | 'isPersonal'>

/**
 * Lists the traits of an audience profile, the largest difference first. Differences are compared as whole numbers, so that ties are exact.
 */
export function listTraits(
  group: CountedGroup,
  all: CountedGroup,
  features: readonly (ComparedFeature & Pick<ProfileFeature, 'label'>)[],
): ProfileTrait[] {
  const found = features.flatMap(({ name, label, isPersonal }, order) =>
    Object.entries(group.counts[name] ?? {}).flatMap(([level, people]) => {
      const everywhere = all.counts[name]![level]!
      const difference = people * all.size - everywhere * group.size
      const isHidden = isPersonal && people < MIN_PEOPLE_PER_SHOWN_GROUP
      if (isHidden || difference * 100 < TRAIT_POINTS * group.size * all.size) return []
      const trait = {
        feature: name,
        level,
        label: label(level),
        share: toSharePercent(people, group.size),
        overall: toSharePercent(everywhere, all.size),
        lift: computeLift(people, group.size, everywhere, all.size),
      }
      return [{ trait, difference, order }]
    }),
  )
  const sorted = found.toSorted((a, b) => b.difference - a.difference || a.order - b.order || (a.trait.level < b.trait.level ? -1 : 1))
  return sorted.map(({ trait }) => trait)
}

/** Names a profile after its first two traits of different features, such as "High spend, returning". */
export function buildProfileName(traits: readonly Pick<ProfileTrait, 'feature' | 'label'>[]): string {
  const [first] = traits
  if (!first) return WITHOUT_TRAITS
  const second = traits.find(({ feature }) => feature !== first.feature)
  const name = second ? `${first.label}, ${second.label}` : first.label
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Appends a number to profile names that occur more than once, because callers can select a profile by name. */
export function makeNamesUnique(names: readonly string[]): string[] {
  const seen = new Set<string>()
  return names.map((name) => {
    let unique = name
    for (let number = 2; seen.has(unique.toLowerCase()); number++) unique = `${name} (${number})`
    seen.add(unique.toLowerCase())
    return unique
  })
}

/** Returns the most frequent level of each feature. On a tie, the first level in alphabetical order wins. */
export const findMostFrequentFeatureLevels = (counts: FeatureLevelCounts, features: readonly FeatureStatistics[]): Record<string, string> =>
  Object.fromEntries(
    features
      .filter(({ used }) => used)
      .map(({ name }) => {
        const sorted = Object.entries(counts[name] ?? {}).toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
        return [name, sorted[0]![0]]
      }),
  )

export interface ProfileFeatureDifference {
  feature: string
  level: string
  share: number
  other: number
  points: number
}

/** Lists the feature levels whose shares differ by at least ten percentage points between two profiles, the largest difference first. */
export function compareProfiles(one: CountedGroup, other: CountedGroup, features: readonly ComparedFeature[]): ProfileFeatureDifference[] {
  if (Math.min(one.size, other.size) < MIN_PEOPLE_PER_SHOWN_GROUP) return []
  const found = features.flatMap(({ name, isPersonal }, order) => {
    const [mine, theirs] = [one.counts[name] ?? {}, other.counts[name] ?? {}]
    return [...new Set([...Object.keys(mine), ...Object.keys(theirs)])].flatMap((level) => {
      const [a, b] = [mine[level] ?? 0, theirs[level] ?? 0]
      const difference = a * other.size - b * one.size
      const isHidden = isPersonal && (isFewPeople(a) || isFewPeople(b))
      if (isHidden || Math.abs(difference) * 100 < TRAIT_POINTS * one.size * other.size) return []
      const points = Math.sign(difference) * toSharePercent(Math.abs(difference), one.size * other.size)
      return [{ feature: name, level, share: toSharePercent(a, one.size), other: toSharePercent(b, other.size), points, difference, order }]
    })
  })
  const sorted = found.toSorted(
    (a, b) => Math.abs(b.difference) - Math.abs(a.difference) || a.order - b.order || (a.level < b.level ? -1 : 1),
  )
  return sorted.map(({ difference: _exact, order: _position, ...shown }) => shown)
}
