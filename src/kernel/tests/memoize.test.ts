import { describe, expect, it } from 'vitest'
import { memoize } from '../memoize.ts'

describe('memoize', () => {
  const open = (max: number) => {
    const computed: string[] = []
    return { computed, lookUp: memoize(max, (text) => (computed.push(text), text === '' ? null : text.toUpperCase())) }
  }

  it('computes each result once, also if the result is null', () => {
    const { computed, lookUp } = open(3)
    expect(['a', '', 'a', '', 'b'].map(lookUp)).toEqual(['A', null, 'A', null, 'B'])
    expect(computed).toEqual(['a', '', 'b'])
  })

  it('keeps at most the given number of results, and starts empty again afterwards', () => {
    const { computed, lookUp } = open(2)
    expect(['a', 'b', 'c', 'c', 'a'].map(lookUp)).toEqual(['A', 'B', 'C', 'C', 'A'])
    expect(computed).toEqual(['a', 'b', 'c', 'a'])
  })
})
