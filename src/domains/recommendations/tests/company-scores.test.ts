import { describe, expect, it } from 'vitest'
import { categoryMatch, categoryRarity, companyScore } from '../company-scores.ts'

const tree = (having: Record<string, number>, parents: Record<string, string> = {}, companies = 200) => ({
  weightOf: (code: string) => categoryRarity(companies, having[code] ?? 0),
  parentOf: (code: string) => parents[code] ?? null,
})

describe('how well a company fits', () => {
  it('is the figure of the specification', () => {
    const categories = tree({ robotics: 9, ai: 49 })
    expect(categories.weightOf('robotics')).toBeCloseTo(4.001, 3)
    expect(categories.weightOf('ai')).toBeCloseTo(2.391, 3)
    const cat = categoryMatch(['robotics', 'ai'], ['robotics', 'iot'], categories)!
    expect(cat).toBeCloseTo(0.626, 3)
    expect(companyScore({ categories: cat, text: 0.3, peers: null })).toBe(48)
  })

  it('and others beside it', () => {
    const categories = tree({ robotics: 9, ai: 49, machines: 20 }, { robotics: 'machines' })
    expect(categoryMatch([], ['ai'], categories)).toBeNull()
    expect(categoryMatch(['ai'], ['ai'], categories)).toBe(1)
    expect(categoryMatch(['ai'], [], categories)).toBe(0)
    // A parent counts half, from either side.
    expect(categoryMatch(['robotics'], ['machines'], categories)).toBe(0.5)
    expect(categoryMatch(['machines'], ['robotics'], categories)).toBe(0.5)
    expect(categoryMatch(['robotics'], ['robotics', 'machines'], categories)).toBe(1)
    expect(categoryRarity(200, 200)).toBe(1)
    expect(companyScore({ categories: 1, text: 1, peers: 1 })).toBe(100)
    expect(companyScore({ categories: 0.5, text: 0.2, peers: 0.6 })).toBe(42)
    expect(companyScore({ categories: null, text: 0.3, peers: null })).toBe(30)
    expect(companyScore({ categories: 0.4, text: null, peers: 0.9 })).toBe(55)
    expect(companyScore({ categories: null, text: null, peers: null })).toBe(0)
  })
})
