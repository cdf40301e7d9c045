import { describe, expect, it } from 'vitest'
import { roundHalfAwayFromZero } from '../values.ts'

describe('roundHalfAwayFromZero', () => {
  it('rounds halves of credits like halves of charges, and never to negative zero', () => {
    expect([1.5, -1.5, 2.5, -2.5, 1.4, -1.4, -0.4, 0].map(roundHalfAwayFromZero)).toEqual([2, -2, 3, -3, 1, -1, 0, 0])
  })
})
