import { toCanonicalJson } from '../../../kernel/canonical.ts'
import { isJsonObject } from '../pointers.ts'
import type { ListNode } from '../schema/nodes.ts'
import { type ScalarValueHashes, hashScalarValues, computeSimilarity } from './leaves.ts'
import { findCommonSubsequence, type IndexPair } from './sequences.ts'

type Items = readonly unknown[]

/**
 * Compares two lists whose items have no keys. Returns the pairs of equal items, and the pairs of items of which the new one replaces the
 * old one.
 */
export function pairListItems(node: ListNode, a: Items, b: Items): { same: IndexPair[]; replaced: IndexPair[] } {
  const numberOf = numbering()
  const same = findCommonSubsequence(a.map(numberOf), b.map(numberOf))
  const replaced: IndexPair[] = []
  let [fromA, fromB] = [0, 0]
  for (const [toA, toB] of [...same, [a.length, b.length] as const]) {
    if (toA > fromA && toB > fromB) replaced.push(...pairGap(node, { items: a, from: fromA, to: toA }, { items: b, from: fromB, to: toB }))
    ;[fromA, fromB] = [toA + 1, toB + 1]
  }
  return { same, replaced }
}

/** Returns a function that assigns the same number to equal values, so that lists can be compared as numbers. */
function numbering(): (item: unknown) => number {
  const numbers = new Map<string, number>()
  return (item) => {
    const text = toCanonicalJson(item)
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }
}

interface Gap {
  items: Items
  from: number
  to: number
}

/** Maximum number of comparisons between the items of two lists. Longer lists are paired by position instead of by similarity. */
const MAX_COMPARED = 1600

function pairGap(node: ListNode, a: Gap, b: Gap): IndexPair[] {
  const [rows, others] = [a.items.slice(a.from, a.to), b.items.slice(b.from, b.to)]
  const byLikeness =
    rows.length !== others.length && rows.length * others.length <= MAX_COMPARED && rows.every(isJsonObject) && others.every(isJsonObject)
  const pairs = byLikeness
    ? pairMostSimilar(
        rows.map((row) => hashScalarValues(node.item, row as object, null)),
        others.map((row) => hashScalarValues(node.item, row as object, null)),
      )
    : rows.slice(0, others.length).map((_, i): IndexPair => [i, i])
  return pairs.map(([i, j]): IndexPair => [a.from + i, b.from + j])
}

/** Pairs as many items as possible without changing their order, so that the total similarity is highest. */
function pairMostSimilar(a: readonly ScalarValueHashes[], b: readonly ScalarValueHashes[]): IndexPair[] {
  const best = Array.from({ length: a.length + 1 }, () => new Float64Array(b.length + 1))
  const scores = a.map((from) => b.map((to) => 1000 + computeSimilarity(from, to)))
  const paired = (i: number, j: number) => scores[i]![j]! + best[i + 1]![j + 1]!
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) best[i]![j] = Math.max(best[i + 1]![j]!, best[i]![j + 1]!, paired(i, j))
  }
  const pairs: IndexPair[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (best[i]![j] === paired(i, j)) pairs.push([i++, j++])
    else if (best[i]![j] === best[i + 1]![j]) i++
    else j++
  }
  return pairs
}
