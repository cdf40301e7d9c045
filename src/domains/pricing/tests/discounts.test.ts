import { describe, expect, it } from 'vitest'
import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import { priceCart } from '../cart.ts'
import { findDiscountCodeProblem } from '../discounts.ts'
import type { RequestedCartItem } from '../lines.ts'
import { CONGRESS, figuresOf, held, saleOf, want } from './sale.ts'

type Discount = NonNullable<ConfigDocument['discounts']>[number]

const discountOf = (more: Partial<Discount>): Discount => ({ code: 'now', name: 'Now', kind: 'percent', value: '10', ...more })
const saleWith = (more: Partial<Discount>, at = '2026-04-10T10:00:00Z') =>
  saleOf({ ...CONGRESS, discounts: [discountOf(more)] }, { at: new Date(at) })
const discounts = (more: Partial<Discount>, wanted: readonly RequestedCartItem[], at?: string, code = 'now') =>
  priceCart(saleWith(more, at), wanted, code).map(({ discount }) => discount)
const refused = (more: Partial<Discount>, at?: string, wanted = [want('workshop')], tags = held(), code = 'now') =>
  findDiscountCodeProblem(saleWith(more, at), code, wanted, tags)?.message ?? null

describe('discount codes', () => {
  it('finds discount codes regardless of case, and rejects retired codes as unknown', () => {
    expect(refused({}, undefined, undefined, undefined, ' NoW ')).toBeNull()
    expect(discounts({}, [want('workshop')], undefined, 'NOW')).toEqual([1_500])
    const unknown = refused({}, undefined, undefined, undefined, 'new')
    expect(unknown).toBe('This code is unknown. Check the spelling.')
    expect(refused({ retired: true })).toBe(unknown)
    expect(discounts({ retired: true }, [want('workshop')])).toEqual([0])
    expect(refused({}, undefined, undefined, undefined, '')).toBe(unknown)
  })

  it("accepts a discount code on its valid days in the event's time zone", () => {
    const april = { from: '2026-04-01', until: '2026-04-30' }
    const check = (at: string) => [refused(april, at), ...discounts(april, [want('workshop')], at)]
    expect(check('2026-03-31T21:59:59Z')).toEqual(['This code is not valid yet', 0])
    expect(check('2026-03-31T22:00:00Z')).toEqual([null, 1_500])
    expect(check('2026-04-30T21:59:59Z')).toEqual([null, 1_500])
    expect(check('2026-04-30T22:00:00Z')).toEqual(['This code is no longer valid', 0])
    const hour = { from: '2026-04-10T10:00:00Z', until: '2026-04-10T11:00:00Z' }
    expect(refused(hour, '2026-04-10T10:00:00Z')).toBeNull()
    expect(refused(hour, '2026-04-10T11:00:00Z')).toBe('This code is no longer valid')
  })

  it('applies a discount with tags only to order lines of participants with these tags', () => {
    const members = { tags: ['member', 'speaker'] }
    const cart = [want('workshop'), want('workshop', 1, { tags: held('member') })]
    expect(refused(members)).toBe('This code is not for this registration')
    expect(refused(members, undefined, cart, held('member'))).toBeNull()
    expect(discounts(members, cart)).toEqual([0, 1_500])
    expect(refused(members, undefined, [want('workshop')], held('member'))).toBe('This code does not apply to anything in your selection')
  })

  it('applies a discount only to the products that it lists, or to all products except donations if it lists none', () => {
    const cart = [want('workshop'), want('gift', 1, { amount: 10_000 }), want('dinner')]
    expect(discounts({}, cart)).toEqual([1_500, 0, 890])
    expect(discounts({ products: ['gift', 'dinner'] }, cart)).toEqual([0, 1_000, 890])
    const nothing = 'This code does not apply to anything in your selection'
    expect(refused({ products: ['dinner'] })).toBe(nothing)
    expect(refused({}, undefined, [want('gift', 1, { amount: 500 })])).toBe(nothing)
    expect(refused({ products: ['gift'] }, undefined, [want('gift', 1, { amount: 500 })])).toBeNull()
    expect(refused({}, undefined, [])).toBe(nothing)
    expect(refused({}, undefined, [want('nothing')])).toBe(nothing)
  })

  it('limits a discount to the total of the order lines that it covers', () => {
    const off = (value: string, products: string[] = []) =>
      priceCart(saleWith({ kind: 'amount', value, products }), [want('pass'), want('workshop'), want('dinner', 2)], 'now').map(figuresOf)
    expect(off('5000.00')).toEqual([
      [75_000, 75_000, 0, 0, 0],
      [14_999, 14_999, 0, 0, 0],
      [17_800, 17_800, 0, 0, 0],
    ])
    expect(off('150.00', ['workshop']).map(([, discount]) => discount)).toEqual([0, 14_999, 0])
    expect(off('149.98', ['workshop'])[1]).toEqual([14_999, 14_998, 1, 0, 1])
    expect(off('1077.98').map(([, discount]) => discount)).toEqual([74_999, 14_999, 17_800])
    expect(discounts({ value: '100' }, [want('pass'), want('dinner', 3)])).toEqual([75_000, 26_700])
  })

  it('adds rounding cents of a discount to the lines with the largest remainders, or to the first of equal ones', () => {
    const thirds = { kind: 'amount', value: '10.00' } as const
    expect(discounts(thirds, [want('dinner'), want('dinner'), want('dinner')])).toEqual([334, 333, 333])
    expect(discounts({ ...thirds, value: '0.02' }, [want('dinner'), want('dinner'), want('dinner')])).toEqual([1, 1, 0])
    expect(discounts({ ...thirds, value: '0.01' }, [want('workshop'), want('pass')])).toEqual([0, 1])
  })

  it('deducts no discount from order lines that are free', () => {
    const free = want('pass', 1, { tags: held('speaker') })
    expect(discounts({ kind: 'amount', value: '10.00' }, [free])).toEqual([0])
    expect(discounts({ kind: 'amount', value: '10.00' }, [free, want('workshop'), free])).toEqual([0, 1_000, 0])
  })
})
