import { describe, expect, it } from 'vitest'
import { computeInterestSimilarity, computeInterestOverlap, computeInterestRarity } from '../interests.ts'
import { computePopularity } from '../popularity.ts'
import { rankRecommendations, listRecommendationReasons, roundScore, computeScore } from '../scores.ts'

const people = 1000
const having: Record<string, number> = { ai: 400, robotics: 50, b2b: 300, energy: 100 }
const weightOf = (interest: string) => computeInterestRarity(people, having[interest]!)

describe('similarity of interests', () => {
  it.each([
    ['ai', 1.2528],
    ['robotics', 3.0445],
    ['b2b', 1.4663],
    ['energy', 2.3979],
  ])('gives the interest %s the weight %d', (interest, weight) => expect(roundScore(weightOf(interest))).toBe(weight))

  it.each([
    [['ai', 'robotics', 'b2b'], 0.7456],
    [['robotics', 'energy'], 0.4547],
    [['ai', 'b2b'], 0.2174],
    [['ai', 'robotics'], 1],
    [['b2b', 'energy'], 0],
    [[], 0],
  ])('computes the similarity of the interests {ai, robotics} and {%s} as %d', (theirs, alike) => {
    expect(roundScore(computeInterestSimilarity(new Set(['ai', 'robotics']), new Set(theirs), weightOf))).toBe(alike)
  })

  it('returns similarity 0 for two people without interests', () =>
    expect(computeInterestSimilarity(new Set(), new Set(), weightOf)).toBe(0))

  it('gives no weight to interests that no participant has', () => expect(computeInterestRarity(0, 0)).toBe(0))

  it('computes the unweighted overlap of two sets of interests', () => {
    expect(computeInterestOverlap(new Set(['a', 'b']), new Set(['b', 'c', 'd']))).toBe(0.25)
  })
})

describe('computePopularity', () => {
  it('computes the popularity of an item from 0 to 1 on a logarithmic scale', () => {
    expect([computePopularity(99, 99), computePopularity(0, 99), computePopularity(9, 99), computePopularity(0, 0)]).toEqual([1, 0, 0.5, 0])
  })
})

describe('recommendation scores', () => {
  const part = (weight: number, value: number, reason: string | null = null) => ({ weight, value, reason })

  it('rounds scores to four decimals', () => {
    expect(computeScore([part(0.5, 0.7456), part(0.3, 0.2), part(0.2, 0.25)])).toBe(0.4828)
    expect(computeScore([part(0.5, 1 / 3)])).toBe(0.1667)
  })

  it('returns the reasons of at most three parts of a recommendation score, largest parts first', () => {
    const parts = [
      part(0.2, 1, 'fourth'),
      part(0.5, 0.9, 'first'),
      part(0.3, 0, 'nothing'),
      part(0.4, 0.9, 'second'),
      part(0.3, 0.9, 'third'),
    ]
    expect(listRecommendationReasons(parts)).toEqual(['first', 'second', 'third'])
  })

  it('sorts equal scores by name, then by id', () => {
    const item = (id: string, name: string, score: number) => ({ id, name, score })
    const order = rankRecommendations([item('2', 'Cy', 0.5), item('1', 'Cy', 0.5), item('3', 'Ana', 0.5), item('4', 'Zoe', 0.9)], 3)
    expect(order.map(({ id }) => id)).toEqual(['4', '3', '1'])
  })
})
