import { describe, expect, it } from 'vitest'
import { computeCategoryMatch, computeCategoryWeight, computeCompanyScore } from '../company-scores.ts'

const tree = (having: Record<string, number>, parents: Record<string, string> = {}, companies = 200) => ({
  weightOf: (code: string) => computeCategoryWeight(companies, having[code] ?? 0),
  parentOf: (code: string) => parents[code] ?? null,
})

describe('computeCompanyScore', () => {
  it("computes the company score of the specification's example", () => {
    const categories = tree({ robotics: 9, ai: 49 })
    expect(categories.weightOf('robotics')).toBeCloseTo(4.001, 3)
    expect(categories.weightOf('ai')).toBeCloseTo(2.391, 3)
    const cat = computeCategoryMatch(['robotics', 'ai'], ['robotics', 'iot'], categories)!
    expect(cat).toBeCloseTo(0.626, 3)
    expect(computeCompanyScore({ categories: cat, text: 0.3, peers: null })).toBe(48)
  })

  it('computes the category match of a company and redistributes the weights of missing terms', () => {
    const categories = tree({ robotics: 9, ai: 49, machines: 20 }, { robotics: 'machines' })
    expect(computeCategoryMatch([], ['ai'], categories)).toBeNull()
    expect(computeCategoryMatch(['ai'], ['ai'], categories)).toBe(1)
    expect(computeCategoryMatch(['ai'], [], categories)).toBe(0)
    // A parent or child category counts half as much as an equal category.
    expect(computeCategoryMatch(['robotics'], ['machines'], categories)).toBe(0.5)
    expect(computeCategoryMatch(['machines'], ['robotics'], categories)).toBe(0.5)
    expect(computeCategoryMatch(['robotics'], ['robotics', 'machines'], categories)).toBe(1)
    expect(computeCategoryWeight(200, 200)).toBe(1)
    expect(computeCompanyScore({ categories: 1, text: 1, peers: 1 })).toBe(100)
    expect(computeCompanyScore({ categories: 0.5, text: 0.2, peers: 0.6 })).toBe(42)
    expect(computeCompanyScore({ categories: null, text: 0.3, peers: null })).toBe(30)
    expect(computeCompanyScore({ categories: 0.4, text: null, peers: 0.9 })).toBe(55)
    expect(computeCompanyScore({ categories: null, text: null, peers: null })).toBe(0)
  })
})
