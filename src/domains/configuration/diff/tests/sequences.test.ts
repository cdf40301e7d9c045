import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCommonSubsequence, findLongestIncreasingSubsequence } from '../sequences.ts'
import { soakRounds } from '../../../../../test/support/soak.ts'

/** Computes the length of the longest common subsequence with the quadratic textbook algorithm, as reference. */
function lengthOfCommon(a: readonly number[], b: readonly number[]): number {
  const best = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0))
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i]![j] = a[i] === b[j] ? best[i + 1]![j + 1]! + 1 : Math.max(best[i + 1]![j]!, best[i]![j + 1]!)
    }
  }
  return best[0]![0]!
}

const isRising = (values: readonly number[]) => values.every((value, i) => i === 0 || value > values[i - 1]!)

describe('findCommonSubsequence', () => {
  it.each([
    ['with repeated values', fc.array(fc.nat(3), { maxLength: 14 })],
    ['without repeated values', fc.uniqueArray(fc.nat(12), { maxLength: 10 })],
  ])('finds a longest common subsequence of lists %s', (_which, lists) => {
    fc.assert(
      fc.property(lists, lists, (a, b) => {
        const pairs = findCommonSubsequence(a, b)
        expect(pairs.every(([i, j]) => a[i] === b[j])).toBe(true)
        expect([isRising(pairs.map(([i]) => i)), isRising(pairs.map(([, j]) => j))]).toEqual([true, true])
        expect(pairs).toHaveLength(lengthOfCommon(a, b))
      }),
      { numRuns: soakRounds(2000) },
    )
  })

  it('pairs only the common beginnings and ends of two long lists that differ in the middle', () => {
    const a = [-1, ...Array.from({ length: 3000 }, (_, i) => i % 7), -2]
    const b = [-1, ...Array.from({ length: 3000 }, (_, i) => 10 + (i % 7)), -2]
    expect(findCommonSubsequence(a, b)).toEqual([
      [0, 0],
      [3001, 3001],
    ])
  })
})

describe('findLongestIncreasingSubsequence', () => {
  it('returns a subsequence at least as long as every other increasing subsequence', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 9 }), (values) => {
        const chosen = findLongestIncreasingSubsequence(values)
        expect(isRising(chosen) && isRising(chosen.map((i) => values[i]!))).toBe(true)
        const selections = Array.from({ length: 2 ** values.length }, (_, mask) => values.filter((__, i) => mask & (1 << i)))
        expect(chosen).toHaveLength(Math.max(...selections.filter(isRising).map(({ length }) => length)))
      }),
      { numRuns: soakRounds(300) },
    )
  })
})
