import type { CooperativeTask } from '../../../kernel/cooperative.ts'

/** A group of people who have the same level (categorical value) of every feature. */
export interface FeatureLevelPattern {
  levels: readonly string[]
  /** The number of people who have these feature levels. */
  people: number
}

/**
 * Patterns (combinations of feature levels) as numbers: levels are numbered in alphabetical order, and patterns are in lexicographic order.
 */
export interface FeaturePatternTable {
  /** The levels (categorical values) of each feature in alphabetical order. */
  levels: readonly (readonly string[])[]
  /** The feature levels of each pattern as indexes into `levels`; those of pattern i begin at index i × features. */
  cells: Int32Array
  people: Float64Array
  count: number
  features: number
  /** The weight of a difference in each feature, in hundredths, so that distances and their ties are exact. */
  weights: readonly number[]
}

export interface ClusterAssignment {
  /** The mode of each cluster: the index of the level of each feature. */
  modes: readonly Int32Array[]
  /** The index of the cluster that each pattern (combination of feature levels) belongs to. */
  assigned: Int32Array
  /** The number of people in each cluster. */
  sizes: readonly number[]
}

const MAX_ROUNDS = 50
const PATTERNS_PER_YIELD = 2000

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

export function compareFeaturePatterns(a: readonly string[], b: readonly string[]): number {
  for (const [index, level] of a.entries()) {
    const order = compareText(level, b[index]!)
    if (order !== 0) return order
  }
  return 0
}

/**
 * Builds a table of patterns (combinations of feature levels), which must be distinct. `weights` has one weight per feature, from 0 to 5
 * with at most two decimals.
 */
export function toPatternTable(patterns: readonly FeatureLevelPattern[], weights: readonly number[]): FeaturePatternTable {
  const features = weights.length
  const sorted = patterns.toSorted((a, b) => compareFeaturePatterns(a.levels, b.levels))
  const levels = weights.map((_, feature) => [...new Set(sorted.map((one) => one.levels[feature]!))].toSorted(compareText))
  const numbers = levels.map((names) => new Map(names.map((name, index) => [name, index])))
  const cells = new Int32Array(sorted.length * features)
  for (const [index, { levels: own }] of sorted.entries())
    for (let feature = 0; feature < features; feature++) cells[index * features + feature] = numbers[feature]!.get(own[feature]!)!
  return {
    levels,
    cells,
    people: Float64Array.from(sorted, ({ people }) => people),
    count: sorted.length,
    features,
    weights: weights.map((weight) => Math.round(weight * 100)),
  }
}

/** Converts the feature levels of a mode or of a group of people from numbers to names. */
export const toFeatureLevelNames = ({ levels }: FeaturePatternTable, numbers: ArrayLike<number>): string[] =>
  levels.map((names, feature) => names[numbers[feature]!]!)

export const getFeaturePattern = ({ cells, features }: FeaturePatternTable, index: number): Int32Array =>
  cells.subarray(index * features, (index + 1) * features)

/**
 * Returns the distance of a pattern (combination of feature levels) from a mode: the sum of the weights, in hundredths, of the features in
 * which they differ.
 */
export function computeDistanceToMode({ cells, features, weights }: FeaturePatternTable, index: number, mode: ArrayLike<number>): number {
  let distance = 0
  for (let feature = 0, cell = index * features; feature < features; feature++, cell++)
    if (cells[cell] !== mode[feature]) distance += weights[feature]!
  return distance
}

/** Counts the people with each level (categorical value) of each feature. */
function countLevels({ levels, cells, people, count, features }: FeaturePatternTable): Float64Array[] {
  const counts = levels.map((names) => new Float64Array(names.length))
  for (let index = 0; index < count; index++)
    for (let feature = 0; feature < features; feature++) counts[feature]![cells[index * features + feature]!]! += people[index]!
  return counts
}

/**
 * Computes the density of each pattern: the mean, over the features, of the share of people who have the pattern's level. Returns the sum
 * of the numbers of people instead, which has the same order and no rounding errors.
 */
export function computePatternDensities(table: FeaturePatternTable): Float64Array {
  const counts = countLevels(table)
  const { cells, count, features } = table
  const sums = new Float64Array(count)
  for (let index = 0; index < count; index++)
    for (let feature = 0; feature < features; feature++) sums[index]! += counts[feature]![cells[index * features + feature]!]!
  return sums
}

/**
 * Chooses at most k initial modes by Cao's method, as indexes of patterns: the densest pattern, then repeatedly the pattern with the
 * largest product of its density and its distance to the nearest chosen mode. On a tie the first pattern in lexicographic order wins. Fewer
 * than k are chosen if no pattern differs from all chosen ones.
 */
export function* chooseInitialModes(table: FeaturePatternTable, k: number): CooperativeTask<number[]> {
  const densities = computePatternDensities(table)
  const nearest = new Float64Array(table.count).fill(Infinity)
  const chosen: number[] = []
  while (chosen.length < k) {
    let [best, bestScore] = [-1, 0]
    for (let index = 0; index < table.count; index++) {
      const score = chosen.length === 0 ? densities[index]! : densities[index]! * nearest[index]!
      if (score > bestScore) [best, bestScore] = [index, score]
    }
    if (best < 0) break
    chosen.push(best)
    const mode = getFeaturePattern(table, best)
    for (let index = 0; index < table.count; index++) {
      nearest[index] = Math.min(nearest[index]!, computeDistanceToMode(table, index, mode))
      if (index % PATTERNS_PER_YIELD === 0) yield
    }
  }
  return chosen
}

/** Finds the mode nearest to a pattern (combination of feature levels). On a tie the mode with the lower index wins. */
export function findNearestMode(table: FeaturePatternTable, index: number, modes: readonly ArrayLike<number>[]): number {
  let [best, bestDistance] = [0, Infinity]
  for (const [cluster, mode] of modes.entries()) {
    const distance = computeDistanceToMode(table, index, mode)
    if (distance < bestDistance) [best, bestDistance] = [cluster, distance]
  }
  return best
}

/**
 * Runs the k-modes algorithm from the initial modes: assigns patterns to modes and recalculates modes in turn, until no pattern changes its
 * cluster, for at most 50 rounds.
 */
export function* runKModes(table: FeaturePatternTable, initial: readonly number[]): CooperativeTask<ClusterAssignment> {
  let modes: Int32Array[] = initial.map((index) => Int32Array.from(getFeaturePattern(table, index)))
  const assigned = new Int32Array(table.count).fill(-1)
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    let moved = false
    for (let index = 0; index < table.count; index++) {
      const cluster = findNearestMode(table, index, modes)
      if (assigned[index] !== cluster) [assigned[index], moved] = [cluster, true]
      if (index % PATTERNS_PER_YIELD === 0) yield
    }
    // The modes (cluster centers) stay as they are after the last assignment, so that rarer answer patterns are later assigned by them too.
    if (!moved || round === MAX_ROUNDS) break
    modes = moveModes(table, assigned, modes)
  }
  const sizes = modes.map(() => 0)
  for (let index = 0; index < table.count; index++) sizes[assigned[index]!]! += table.people[index]!
  return { modes, assigned, sizes }
}

/**
 * Recalculates modes as the most frequent level of every feature in each cluster. On a tie the first level in alphabetical order wins. An
 * empty cluster keeps its mode.
 */
function moveModes(table: FeaturePatternTable, assigned: Int32Array, modes: readonly Int32Array[]): Int32Array[] {
  const { levels, cells, people, count, features } = table
  const counts = modes.map(() => levels.map((names) => new Float64Array(names.length)))
  const sizes = modes.map(() => 0)
  for (let index = 0; index < count; index++) {
    const cluster = assigned[index]!
    sizes[cluster]! += people[index]!
    for (let feature = 0; feature < features; feature++) counts[cluster]![feature]![cells[index * features + feature]!]! += people[index]!
  }
  return modes.map((mode, cluster) =>
    sizes[cluster] === 0
      ? mode
      : Int32Array.from(counts[cluster]!, (of) => of.reduce((best, n, level) => (n > of[best]! ? level : best), 0)),
  )
}

/**
 * Computes the simplified silhouette: the mean over all people of (b − a) / max(a, b), where a is the distance to the mode of the person's
 * cluster and b the distance to the nearest other mode. A person at distance 0 from both counts as 0.
 */
export function* measureSilhouette(table: FeaturePatternTable, { modes, assigned }: ClusterAssignment): CooperativeTask<number> {
  let [sum, total] = [0, 0]
  for (let index = 0; index < table.count; index++) {
    const a = computeDistanceToMode(table, index, modes[assigned[index]!]!)
    let b = Infinity
    for (const [cluster, mode] of modes.entries())
      if (cluster !== assigned[index]) b = Math.min(b, computeDistanceToMode(table, index, mode))
    if (a !== b) sum += (table.people[index]! * (b - a)) / Math.max(a, b)
    total += table.people[index]!
    if (index % PATTERNS_PER_YIELD === 0) yield
  }
  return sum / total
}
