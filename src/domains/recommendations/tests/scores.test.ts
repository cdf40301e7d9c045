import { describe, expect, it } from 'vitest'
import { likeness, overlap, rarity } from '../interests.ts'
import { popularity } from '../popularity.ts'
import { ranked, reasonsOf, rounded, scoreOf } from '../scores.ts'

const people = 1000
const having: Record<string, number> = { ai: 400, robotics: 50, b2b: 300, energy: 100 }
const weightOf = (interest: string) => rarity(people, having[interest]!)

describe('interests', () => {
  it.each([
    ['ai', 1.2528],
    ['robotics', 3.0445],
    ['b2b', 1.4663],
    ['energy', 2.3979],
  ])('%s weighs %d', (interest, weight) => expect(rounded(weightOf(interest))).toBe(weight))

  it.each([
    [['ai', 'robotics', 'b2b'], 0.7456],
    [['robotics', 'energy'], 0.4547],
    [['ai', 'b2b'], 0.2174],
    [['ai', 'robotics'], 1],
    [['b2b', 'energy'], 0],
    [[], 0],
  ])('of {ai, robotics} and {%s} are alike by %d', (theirs, alike) => {
    expect(rounded(likeness(new Set(['ai', 'robotics']), new Set(theirs), weightOf))).toBe(alike)
  })

  it('of two people without any are not alike', () => expect(likeness(new Set(), new Set(), weightOf)).toBe(0))

  it('that nobody has weigh nothing', () => expect(rarity(0, 0)).toBe(0))

  it('overlap by their share in all, whatever they weigh', () => {
    expect(overlap(new Set(['a', 'b']), new Set(['b', 'c', 'd']))).toBe(0.25)
  })
})

describe('popularity', () => {
  it('is 1 for what most took, 0 for what nobody took, and grows ever slower', () => {
    expect([popularity(99, 99), popularity(0, 99), popularity(9, 99), popularity(0, 0)]).toEqual([1, 0, 0.5, 0])
  })
})

describe('scores', () => {
  const part = (weight: number, value: number, reason: string | null = null) => ({ weight, value, reason })

  it('are rounded to four decimals', () => {
    expect(scoreOf([part(0.5, 0.7456), part(0.3, 0.2), part(0.2, 0.25)])).toBe(0.4828)
    expect(scoreOf([part(0.5, 1 / 3)])).toBe(0.1667)
  })

  it('give at most three reasons, from the largest parts', () => {
    const parts = [
      part(0.2, 1, 'fourth'),
      part(0.5, 0.9, 'first'),
      part(0.3, 0, 'nothing'),
      part(0.4, 0.9, 'second'),
      part(0.3, 0.9, 'third'),
    ]
    expect(reasonsOf(parts)).toEqual(['first', 'second', 'third'])
  })

  it('that are equal go by name, then by id', () => {
    const item = (id: string, name: string, score: number) => ({ id, name, score })
    const order = ranked([item('2', 'Cy', 0.5), item('1', 'Cy', 0.5), item('3', 'Ana', 0.5), item('4', 'Zoe', 0.9)], 3)
    expect(order.map(({ id }) => id)).toEqual(['4', '3', '1'])
  })
})
