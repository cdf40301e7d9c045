import { expect, it } from 'vitest'
import { bytesOf, firstThatFit } from '../bytes.ts'

it('counts what is sent, not what is seen', () => {
  expect(bytesOf({ a: '記' })).toBe(11)
})

it('takes the first that fit, and no more than may be shown', () => {
  const all = ['aa', 'bb', 'cc']
  expect(firstThatFit(all, { room: 100, most: 100 })).toEqual({ items: all, bytes: 15 })
  expect(firstThatFit(all, { room: 14, most: 100 })).toEqual({ items: ['aa', 'bb'], bytes: 10 })
  expect(firstThatFit(all, { room: 100, most: 1 })).toEqual({ items: ['aa'], bytes: 5 })
  expect(firstThatFit(all, { room: 4, most: 100 })).toEqual({ items: [], bytes: 0 })
})
