import { describe, expect, it } from 'vitest'
import { computeHistogramBins, computeBoxStatistics, MAX_BINS, computeQuantile } from '../statistics.ts'

describe('computeQuantile', () => {
  it('interpolates quantiles like percentile_cont in PostgreSQL', () => {
    expect([0.25, 0.5, 0.9].map((share) => computeQuantile([1, 2, 3, 4], share))).toEqual([1.75, 2.5, 3.7])
  })
})

describe('computeHistogramBins', () => {
  it('chooses the width of histogram bins by Freedman and Diaconis, rounded up', () => {
    const values = Array.from({ length: 1000 }, (_, index) => index / 10)
    // The bin width is 2 · 49.95 / ∛1000 = 9.99, rounded up to 10.
    expect(computeHistogramBins(values, false)).toHaveLength(10)
    expect(computeHistogramBins(values, false)[0]).toEqual({ from: 0, until: 10, count: 100 })
  })

  it('counts every value in exactly one of at most 50 histogram bins', () => {
    for (const values of [
      [5],
      [0, 0, 0],
      [1, 2],
      [0, 0, 0, 0, 0, 1_000_000],
      Array.from({ length: 5000 }, (_, i) => ((i * 7919) % 5003) ** 2),
      [-3.5, 2.25, 0.1],
    ])
      for (const wholeNumbers of [false, true]) {
        const bins = computeHistogramBins(values, wholeNumbers)
        expect(bins.length).toBeLessThanOrEqual(MAX_BINS)
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(values.length)
      }
  })
})

describe('computeBoxStatistics', () => {
  it('ends the whiskers of a box at the last values within 1.5 times the interquartile range', () => {
    expect(computeBoxStatistics([1, 2, 3, 4, 5, 6, 7, 8, 30])).toEqual({
      count: 9,
      lower: 3,
      median: 5,
      upper: 7,
      low: 1,
      high: 8,
      outliers: [30],
    })
  })
})
