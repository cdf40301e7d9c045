import type { ListNode } from '../schema/nodes.ts'
import { type Leaves, leavesOf, likeness } from './leaves.ts'

/** From this share of common leaves on, an item that went and one that came are the same under another key. */
const ALIKE = 0.8
/** Up to this many pairs, each is looked at. */
const MAX_PAIRS = 64 * 64
/** A leaf that so many items have says nothing about which of them it was. */
const COMMON = 24

export interface Unmatched {
  index: number
  item: object
}

interface Candidate {
  removed: number
  added: number
  score: number
}

/** Which of the items that came are one that went under another key, best first, then in order: indexes of `b` to those of `a`. */
export function findRenames(node: ListNode, removed: readonly Unmatched[], added: readonly Unmatched[]): Map<number, number> {
  const renamed = new Map<number, number>()
  if (removed.length === 0 || added.length === 0) return renamed
  const went = removed.map(({ item }) => leavesOf(node.item, item, node.key))
  const came = added.map(({ item }) => leavesOf(node.item, item, node.key))
  const gone = new Set<number>()
  const pairs = removed.length * added.length <= MAX_PAIRS ? everyPair(went, came) : likelyPairs(went, came)
  for (const { removed: from, added: to } of pairs.sort(bestFirst)) {
    const index = added[to]!.index
    if (gone.has(from) || renamed.has(index)) continue
    gone.add(from)
    renamed.set(index, removed[from]!.index)
  }
  return renamed
}

const bestFirst = (a: Candidate, b: Candidate) => b.score - a.score || a.removed - b.removed || a.added - b.added

function everyPair(went: readonly Leaves[], came: readonly Leaves[]): Candidate[] {
  return went.flatMap((from, removed) => came.flatMap((to, added) => candidate(from, to, removed, added)))
}

function candidate(from: Leaves, to: Leaves, removed: number, added: number): Candidate[] {
  // Sizes alone often rule it out.
  if (Math.min(from.length, to.length) < ALIKE * Math.max(from.length, to.length)) return []
  const score = likeness(from, to)
  return score >= ALIKE ? [{ removed, added, score }] : []
}

/** For long lists: whole likes in order, then only pairs that share a leaf which few items have. */
function likelyPairs(went: readonly Leaves[], came: readonly Leaves[]): Candidate[] {
  const pairs: Candidate[] = []
  const bySignature = new Map<string, number[]>()
  const byLeaf = new Map<number, number[]>()
  for (const [removed, leaves] of went.entries()) {
    if (leaves.length > 0) append(bySignature, signatureOf(leaves), removed)
    for (const leaf of new Set(leaves)) append(byLeaf, leaf, removed)
  }
  const matched = new Set<number>()
  const taken = new Map<string, number>()
  for (const [added, leaves] of came.entries()) {
    const signature = signatureOf(leaves)
    const next = taken.get(signature) ?? 0
    const removed = bySignature.get(signature)?.[next]
    if (removed === undefined) continue
    taken.set(signature, next + 1)
    matched.add(added)
    pairs.push({ removed, added, score: 1 })
  }
  for (const [added, leaves] of came.entries()) {
    if (matched.has(added)) continue
    const near = new Set<number>()
    for (const leaf of leaves) {
      const owners = byLeaf.get(leaf)
      if (owners && owners.length <= COMMON) for (const owner of owners) near.add(owner)
      if (near.size > COMMON) break
    }
    for (const removed of near) pairs.push(...candidate(went[removed]!, leaves, removed, added))
  }
  return pairs
}

const signatureOf = (leaves: Leaves) => leaves.join()

function append<K>(lists: Map<K, number[]>, key: K, value: number): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
