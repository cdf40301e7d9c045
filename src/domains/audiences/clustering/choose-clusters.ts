import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { chooseInitialModes, type ClusterAssignment, measureSilhouette, type FeaturePatternTable, runKModes } from './k-modes.ts'

const MIN_K = 2
export const MAX_CLUSTERS = 8
/** Minimum number of people for clustering. A smaller population stays one group. */
export const MIN_CLUSTERED_PEOPLE = 50
export const DEFAULT_MIN_CLUSTER_SIZE = 10
/** The smallest cluster has at least one fiftieth (2 %) of the people. */
const MIN_SHARE_DIVISOR = 50

export interface ChosenClustering {
  clusters: ClusterAssignment
  /** The number of clusters that are not empty. */
  k: number
  silhouette: number
}

export interface ClusteringAttempt extends ChosenClustering {
  smallest: number
  eligible: boolean
}

export interface ClusteringOptions {
  /** A fixed number of clusters, used regardless of cluster sizes and silhouette. */
  k?: number | undefined
  minSize?: number | undefined
}

/**
 * Clusters the patterns for every allowed number of clusters, and chooses the result with the best silhouette among those whose smallest
 * cluster is large enough. On a tie the smaller number of clusters wins. Returns null if the people should stay one group.
 */
export function* chooseClusters(
  table: FeaturePatternTable,
  rules: ClusteringOptions,
  /** Reports progress: called each time the people have been clustered with another number of clusters. */
  report: (tried: ClusteringAttempt) => void = () => {},
): CooperativeTask<ChosenClustering | null> {
  const people = table.people.reduce((sum, one) => sum + one, 0)
  if (people < MIN_CLUSTERED_PEOPLE) return null
  const initial = yield* chooseInitialModes(table, rules.k ?? MAX_CLUSTERS)
  if (initial.length < MIN_K) return null
  let best: ChosenClustering | null = null
  for (let k = rules.k === undefined ? MIN_K : initial.length; k <= initial.length; k++) {
    const clusters = yield* runKModes(table, initial.slice(0, k))
    const silhouette = yield* measureSilhouette(table, clusters)
    const smallest = Math.min(...clusters.sizes)
    const eligible = smallest >= (rules.minSize ?? DEFAULT_MIN_CLUSTER_SIZE) && smallest * MIN_SHARE_DIVISOR >= people
    const tried = { clusters, k: clusters.sizes.filter((size) => size > 0).length, silhouette, smallest, eligible }
    report(tried)
    if (rules.k !== undefined) return tried
    if (eligible && (best === null || isGreater(silhouette, best.silhouette))) best = tried
  }
  return best
}

/** Compares silhouettes with a tolerance, because equal sums of fractions may differ in their last digits. */
const isGreater = (a: number, b: number) => a - b > 1e-12
