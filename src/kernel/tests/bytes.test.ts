import { expect, it } from 'vitest'
import { jsonByteLength, takeItemsWithinByteLimit } from '../bytes.ts'

it('counts the size of items in UTF-8 bytes, not characters', () => {
  expect(jsonByteLength({ a: '記' })).toBe(11)
})

it('takes the first items of a list that fit into the byte limit, up to the maximum number of items', () => {
  const all = ['aa', 'bb', 'cc']
  expect(takeItemsWithinByteLimit(all, { maxBytes: 100, maxItems: 100 })).toEqual({ items: all, bytes: 15 })
  expect(takeItemsWithinByteLimit(all, { maxBytes: 14, maxItems: 100 })).toEqual({ items: ['aa', 'bb'], bytes: 10 })
  expect(takeItemsWithinByteLimit(all, { maxBytes: 100, maxItems: 1 })).toEqual({ items: ['aa'], bytes: 5 })
  expect(takeItemsWithinByteLimit(all, { maxBytes: 4, maxItems: 100 })).toEqual({ items: [], bytes: 0 })
})
