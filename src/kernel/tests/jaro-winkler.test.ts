import { describe, expect, it } from 'vitest'
import { computeJaroWinkler } from '../jaro-winkler.ts'

describe('computeJaroWinkler', () => {
  it.each([
    ['martha', 'marhta', 0.9611],
    ['dwayne', 'duane', 0.84],
    ['dixon', 'dicksonx', 0.8133],
    ['crate', 'trace', 0.7333],
  ])('scores the similarity of %s and %s as published by the authors', (one, other, like) => {
    expect(computeJaroWinkler(one, other)).toBeCloseTo(like, 4)
    expect(computeJaroWinkler(other, one)).toBeCloseTo(like, 4)
  })

  it('gives two empty words the similarity 0, and two equal words the similarity 1', () => {
    expect([computeJaroWinkler('', ''), computeJaroWinkler('', 'x'), computeJaroWinkler('a', 'b'), computeJaroWinkler('a', 'a')]).toEqual([
      0, 0, 0, 1,
    ])
  })

  it('scores a surrogate pair like two ordinary characters', () => {
    expect(computeJaroWinkler('👋abcd', '👋abdc')).toBeCloseTo(computeJaroWinkler('xxabcd', 'xxabdc'), 10)
  })
})
