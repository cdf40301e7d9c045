import { describe, expect, it } from 'vitest'
import type { Product } from '../../schema/event-config.ts'
import { findPrice } from '../prices.ts'
import { configOf, ZONE } from './fixtures.ts'

const productOf = (prices: unknown[]): Product =>
  configOf({ products: [{ code: 'pass', name: 'Pass', category: 'admission', prices: prices as never }] }).products[0]!

const pass = productOf([
  { amount: '600.00', until: '2026-03-31' },
  { amount: '750.00', from: '2026-04-01' },
  { amount: '450.00', tags: ['member'] },
  { amount: '520.00', from: '2026-04-01', tags: ['member'] },
  { amount: '0.00', tags: ['speaker'] },
])

const at = (instant: string, tags: string[] = [], product = pass) => findPrice(product, { tags, at: new Date(instant), timezone: ZONE })

describe('findPrice', () => {
  it("changes the price at midnight in the event's time zone", () => {
    expect(at('2026-03-31T21:59:59Z')).toEqual({ row: 0, amount: '600.00' })
    expect(at('2026-03-31T22:00:00Z')).toEqual({ row: 1, amount: '750.00' })
  })

  it('returns the latest price in force if several prices have the same tags', () => {
    expect(at('2026-03-10T12:00:00Z', ['member'])?.amount).toBe('450.00')
    expect(at('2026-04-10T12:00:00Z', ['member'])?.amount).toBe('520.00')
  })

  it('returns the lowest of several prices with different tags, and prefers prices with tags to those without', () => {
    expect(at('2026-04-10T12:00:00Z', ['member', 'speaker'])).toEqual({ row: 4, amount: '0.00' })
    const dearer = productOf([{ amount: '10.00' }, { amount: '90.00', tags: ['vip'] }])
    expect(at('2026-04-10T12:00:00Z', ['vip'], dearer)?.amount).toBe('90.00')
  })

  it('applies a price from the start of its period until just before its end', () => {
    const hour = productOf([{ amount: '5.00', from: '2026-04-01T10:00:00Z', until: '2026-04-01T11:00:00Z' }])
    expect(at('2026-04-01T09:59:59.999Z', [], hour)).toBeNull()
    expect(at('2026-04-01T10:00:00Z', [], hour)?.amount).toBe('5.00')
    expect(at('2026-04-01T10:59:59.999Z', [], hour)?.amount).toBe('5.00')
    expect(at('2026-04-01T11:00:00Z', [], hour)).toBeNull()
  })

  it('applies a price with several tags to participants with one of the tags, and ignores the order of the tags', () => {
    const either = productOf([
      { amount: '70.00', tags: ['a', 'b'] },
      { amount: '80.00', from: '2026-04-01', tags: ['b', 'a'] },
    ])
    expect(at('2026-04-10T12:00:00Z', ['b'], either)).toEqual({ row: 1, amount: '80.00' })
    expect(at('2026-04-10T12:00:00Z', [], either)).toBeNull()
  })

  it('returns the lower of two prices with the same start, and the first of two equal ones', () => {
    const tie = productOf([{ amount: '20.00' }, { amount: '9.50' }, { amount: '9.5' }])
    expect(at('2026-04-10T12:00:00Z', [], tie)).toEqual({ row: 1, amount: '9.50' })
    const sets = productOf([
      { amount: '30.00', tags: ['a'] },
      { amount: '30', tags: ['b'] },
    ])
    expect(at('2026-04-10T12:00:00Z', ['a', 'b'], sets)).toEqual({ row: 0, amount: '30.00' })
  })

  it('returns null for a product without prices', () => expect(at('2026-04-10T12:00:00Z', [], productOf([]))).toBeNull())
})
