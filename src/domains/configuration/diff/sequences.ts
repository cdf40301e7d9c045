/** Returns the indexes of a longest increasing subsequence, by patience sorting in O(n log n). */
export function findLongestIncreasingSubsequence(values: readonly number[]): number[] {
  /** For each length, the index of the smallest value that ends an increasing subsequence of that length. */
  const ends: number[] = []
  const before = new Int32Array(values.length).fill(-1)
  for (const [index, value] of values.entries()) {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (values[ends[middle]!]! < value) low = middle + 1
      else high = middle
    }
    if (low > 0) before[index] = ends[low - 1]!
    ends[low] = index
  }
  const chosen: number[] = []
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index]!) chosen.push(index)
  return chosen.reverse()
}

export type IndexPair = readonly [a: number, b: number]

/** Maximum number of edits for which an item-by-item comparison of two lists is useful. */
const MAX_EDITS = 1000

/** Returns the longest common subsequence as pairs of indexes, computed with Myers' shortest edit script. */
export function findCommonSubsequence(a: readonly number[], b: readonly number[]): IndexPair[] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const [inA, inB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const middle = isDistinct(inA) && isDistinct(inB) ? pairsOfDistinct(inA, inB) : myers(inA, inB)
  return [
    ...Array.from({ length: start }, (_, i): IndexPair => [i, i]),
    ...middle.map(([i, j]): IndexPair => [i + start, j + start]),
    ...Array.from({ length: end }, (_, i): IndexPair => [a.length - end + i, b.length - end + i]),
  ]
}

const isDistinct = (values: readonly number[]) => new Set(values).size === values.length

/**
 * Returns the longest common subsequence of distinct values. It is a longest increasing subsequence, which is cheaper than Myers'
 * algorithm.
 */
function pairsOfDistinct(a: readonly number[], b: readonly number[]): IndexPair[] {
  const positionInB = new Map(b.map((value, index) => [value, index]))
  const shared = a.flatMap((value, index): IndexPair[] => {
    const position = positionInB.get(value)
    return position === undefined ? [] : [[index, position]]
  })
  return findLongestIncreasingSubsequence(shared.map(([, position]) => position)).map((index) => shared[index]!)
}

function myers(a: readonly number[], b: readonly number[]): IndexPair[] {
  const limit = Math.min(a.length + b.length, MAX_EDITS)
  const furthest = new Int32Array(2 * limit + 3)
  const center = limit + 1
  const trace: Int32Array[] = []
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(furthest.slice(center - edits - 1, center + edits + 2))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = center + diagonal
      const down = diagonal === -edits || (diagonal !== edits && furthest[at - 1]! < furthest[at + 1]!)
      let x = down ? furthest[at + 1]! : furthest[at - 1]! + 1
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      furthest[at] = x
      if (x >= a.length && x - diagonal >= b.length) return walkBack(trace, a.length, b.length)
    }
  }
  return []
}

function walkBack(trace: readonly Int32Array[], endX: number, endY: number): IndexPair[] {
  const pairs: IndexPair[] = []
  let [x, y] = [endX, endY]
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const furthest = trace[edits]!
    const at = (diagonal: number) => furthest[diagonal + edits + 1]!
    const diagonal = x - y
    const down = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1))
    const beforeX = edits === 0 ? 0 : down ? at(diagonal + 1) : at(diagonal - 1)
    const beforeY = edits === 0 ? 0 : beforeX - (down ? diagonal + 1 : diagonal - 1)
    while (x > beforeX && y > beforeY && x > 0 && y > 0) pairs.push([--x, --y])
    ;[x, y] = [beforeX, beforeY]
  }
  return pairs.reverse()
}
