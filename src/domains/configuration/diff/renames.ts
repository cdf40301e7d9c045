import type { ListNode } from '../schema/nodes.ts'
import { type ScalarValueHashes, hashScalarValues, computeSimilarity } from './leaves.ts'

/** Minimum share of common leaves (scalar values) for a removed and an added item to count as a rename. */
const MIN_SIMILARITY = 0.8
/** Maximum number of pairs of a removed and an added item up to which every pair is compared. */
const MAX_PAIRS = 64 * 64
/** Scalar values that occur in more items than this are too common to identify renamed items. */
const MAX_LEAF_OWNERS = 24

export interface UnmatchedItem {
  index: number
  item: object
}

interface Candidate {
  removed: number
  added: number
  score: number
}

/**
 * Finds items whose key was renamed, most similar items first. Maps the index of each renamed item in the new list to its index in the old
 * list.
 */
export function findRenames(node: ListNode, removed: readonly UnmatchedItem[], added: readonly UnmatchedItem[]): Map<number, number> {
  const renamed = new Map<number, number>()
  if (removed.length === 0 || added.length === 0) return renamed
  const removedLeaves = removed.map(({ item }) => hashScalarValues(node.item, item, node.key))
  const addedLeaves = added.map(({ item }) => hashScalarValues(node.item, item, node.key))
  const matchedRemovals = new Set<number>()
  const pairs = removed.length * added.length <= MAX_PAIRS ? everyPair(removedLeaves, addedLeaves) : likelyPairs(removedLeaves, addedLeaves)
  for (const { removed: from, added: to } of pairs.sort(bestFirst)) {
    const index = added[to]!.index
    if (matchedRemovals.has(from) || renamed.has(index)) continue
    matchedRemovals.add(from)
    renamed.set(index, removed[from]!.index)
  }
  return renamed
}

const bestFirst = (a: Candidate, b: Candidate) => b.score - a.score || a.removed - b.removed || a.added - b.added

function everyPair(removedLeaves: readonly ScalarValueHashes[], addedLeaves: readonly ScalarValueHashes[]): Candidate[] {
  return removedLeaves.flatMap((from, removed) => addedLeaves.flatMap((to, added) => candidate(from, to, removed, added)))
}

function candidate(from: ScalarValueHashes, to: ScalarValueHashes, removed: number, added: number): Candidate[] {
  // Two items with very different numbers of scalar values cannot match, so they need no comparison.
  if (Math.min(from.length, to.length) < MIN_SIMILARITY * Math.max(from.length, to.length)) return []
  const score = computeSimilarity(from, to)
  return score >= MIN_SIMILARITY ? [{ removed, added, score }] : []
}

/**
 * Finds pairs of items that may be renames of each other, in long lists: identical items in order, then only pairs that share a rare
 * scalar value.
 */
function likelyPairs(removedLeaves: readonly ScalarValueHashes[], addedLeaves: readonly ScalarValueHashes[]): Candidate[] {
  const pairs: Candidate[] = []
  const bySignature = new Map<string, number[]>()
  const byLeaf = new Map<number, number[]>()
  for (const [removed, leaves] of removedLeaves.entries()) {
    if (leaves.length > 0) append(bySignature, signatureOf(leaves), removed)
    for (const leaf of new Set(leaves)) append(byLeaf, leaf, removed)
  }
  const matched = new Set<number>()
  const taken = new Map<string, number>()
  for (const [added, leaves] of addedLeaves.entries()) {
    const signature = signatureOf(leaves)
    const next = taken.get(signature) ?? 0
    const removed = bySignature.get(signature)?.[next]
    if (removed === undefined) continue
    taken.set(signature, next + 1)
    matched.add(added)
    pairs.push({ removed, added, score: 1 })
  }
  for (const [added, leaves] of addedLeaves.entries()) {
    if (matched.has(added)) continue
    const near = new Set<number>()
    for (const leaf of leaves) {
      const owners = byLeaf.get(leaf)
      if (owners && owners.length <= MAX_LEAF_OWNERS) for (const owner of owners) near.add(owner)
      if (near.size > MAX_LEAF_OWNERS) break
    }
    for (const removed of near) pairs.push(...candidate(removedLeaves[removed]!, leaves, removed, added))
  }
  return pairs
}

const signatureOf = (leaves: ScalarValueHashes) => leaves.join()

function append<K>(lists: Map<K, number[]>, key: K, value: number): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
