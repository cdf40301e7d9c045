import { describe, expect, it } from 'vitest'
import { formPairs } from '../form-pairs.ts'

const many = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=1`).join('&')

describe('the pairs of a form', () => {
  it('are read as forms are, repeated ones too', () => {
    expect(formPairs('a=1&b=x+y%2Fz&a=&c', 5)).toEqual([
      ['a', '1'],
      ['b', 'x y/z'],
      ['a', ''],
      ['c', ''],
    ])
    expect(formPairs('', 5)).toEqual([])
  })

  it('are no more than allowed', () => {
    expect(formPairs(many(50), 50)).toHaveLength(50)
    expect(formPairs(many(51), 50)).toBeNull()
    expect(formPairs('&'.repeat(32 * 1024), 50)).toBeNull()
  })
})
