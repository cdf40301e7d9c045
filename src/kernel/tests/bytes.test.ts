import { expect, it } from 'vitest'
import { jsonByteLength, takeWithinBytes } from '../bytes.ts'

it('counts the size of items in UTF-8 bytes, not characters', () => {
  expect(jsonByteLength({ a: '記' })).toBe(11)
})

it('takes the first items of a list that fit into the byte limit, up to the maximum number of items', () => {
  const all = ['aa', 'bb', 'cc']
  expect(takeWithinBytes(all, { maxBytes: 100, maxItems: 100 })).toEqual({ items: all, bytes: 15 })
  expect(takeWithinBytes(all, { maxBytes: 14, maxItems: 100 })).toEqual({ items: ['aa', 'bb'], bytes: 10 })
  expect(takeWithinBytes(all, { maxBytes: 100, maxItems: 1 })).toEqual({ items: ['aa'], bytes: 5 })
  expect(takeWithinBytes(all, { maxBytes: 4, maxItems: 100 })).toEqual({ items: [], bytes: 0 })
})
