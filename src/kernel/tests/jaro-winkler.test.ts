import { describe, expect, it } from 'vitest'
import { jaroWinkler } from '../jaro-winkler.ts'

describe('likeness by Jaro and Winkler', () => {
  it.each([
    ['martha', 'marhta', 0.9611],
    ['dwayne', 'duane', 0.84],
    ['dixon', 'dicksonx', 0.8133],
    ['crate', 'trace', 0.7333],
  ])('of %s and %s is what its authors say', (one, other, like) => {
    expect(jaroWinkler(one, other)).toBeCloseTo(like, 4)
    expect(jaroWinkler(other, one)).toBeCloseTo(like, 4)
  })

  it('is none of nothing and all of the same', () => {
    expect([jaroWinkler('', ''), jaroWinkler('', 'x'), jaroWinkler('a', 'b'), jaroWinkler('a', 'a')]).toEqual([0, 0, 0, 1])
  })

  it('is as much whatever comes before, be it written with two signs', () => {
    expect(jaroWinkler('👋abcd', '👋abdc')).toBeCloseTo(jaroWinkler('xxabcd', 'xxabdc'), 10)
  })
})
