import { describe, expect, it } from 'vitest'
import { BOOTH_SECTIONS } from '../../../../test/support/booths.ts'
import { buildRectangle } from '../../../../test/support/companies.ts'
import { configOf } from '../../configuration/flow/tests/fixtures.ts'
import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import { listNearestBoothNumbers } from '../booths/lock.ts'
import { type BoothPriceContext, priceBooth, type PriceableBooth } from '../booths/price.ts'
import { joinPolygons, sharesEdge } from '../booths/shared-edges.ts'
import { computePolygonArea } from '../floor/polygons.ts'

const DETAILS = { name: 'Fair', startsOn: '2026-09-01', endsOn: '2026-09-03', venue: { city: 'Paris', country: 'FR' } }

function saleOf(sections: object = {}, more: Partial<BoothPriceContext> = {}): BoothPriceContext {
  const config = configOf({ ...BOOTH_SECTIONS, details: DETAILS, ...sections } as unknown as Partial<ConfigDocument>)
  const terms = { at: new Date('2026-04-10T10:00:00Z'), startsOn: '2026-09-01', paymentTermsDays: 30 }
  return { config, currency: 'EUR', timezone: 'Europe/Paris', establishedIn: 'FR', terms, ...more }
}

const booth = (more: Partial<PriceableBooth> = {}): PriceableBooth => ({
  number: '101',
  sizeCode: 'small',
  priceOverride: null,
  type: 'inline',
  ...more,
})

/** A booth product at this price and tax, and a corner product. */
const priced = (amount: string, tax: object, corner = amount) => ({
  taxes: [{ code: 'vat', name: 'VAT', ...tax }],
  products: [
    { code: 'booth-small', name: 'Booth', category: 'booth', taxCode: 'vat', prices: [{ amount }] },
    { code: 'corner', name: 'Corner', category: 'booth', taxCode: 'vat', prices: [{ amount: corner }] },
  ],
  exhibitorConfig: { ...BOOTH_SECTIONS.exhibitorConfig, boothSizes: [BOOTH_SECTIONS.exhibitorConfig.boothSizes[0]!] },
  flows: [],
  discounts: [],
})

describe('priceBooth', () => {
  it('adds the corner product once for a corner booth, twice for a peninsula booth and four times for an island booth', () => {
    const totals = (['inline', 'perimeter', 'corner', 'peninsula', 'island'] as const).map(
      (type) => priceBooth(saleOf(), booth({ type })).total,
    )
    expect(totals).toEqual([120_000, 120_000, 138_000, 156_000, 192_000])
  })

  it('charges only the price override of a booth, taxed like the product of its size', () => {
    expect(priceBooth(saleOf(), booth({ priceOverride: 50_000, type: 'island' }))).toMatchObject({
      lines: [{ productCode: 'booth-small', quantity: 1, unitPrice: 50_000 }],
      net: 50_000,
      tax: 10_000,
      total: 60_000,
    })
    expect(priceBooth(saleOf(), booth({ priceOverride: 0, sizeCode: null })).lines).toMatchObject([{ productCode: null, total: 0 }])
  })

  it('returns no order lines for a booth without a size, and names products that are not on sale', () => {
    expect(priceBooth(saleOf(), booth({ sizeCode: null, type: 'corner' }))).toEqual({ lines: [], net: 0, tax: 0, total: 0, notOnSale: [] })
    const ended = priced('10.00', { rate: '20' })
    ended.products[1]!.prices = [{ amount: '5.00', until: '2026-03-31' } as { amount: string }]
    expect(priceBooth(saleOf(ended), booth()).total).toBe(1200)
    expect(priceBooth(saleOf(ended), booth({ type: 'corner' }))).toMatchObject({ lines: [], notOnSale: ['corner'] })
  })

  it('rounds booth prices to the digits of the currency, and subtracts included taxes from the price', () => {
    const yen = saleOf(priced('10001', { rate: '10' }, '55'), { currency: 'JPY' })
    expect(priceBooth(yen, booth({ type: 'corner' }))).toMatchObject({ net: 10_056, tax: 1006, total: 11_062 })
    const dinar = saleOf(priced('100.005', { rate: '5' }, '1.001'), { currency: 'KWD' })
    expect(priceBooth(dinar, booth({ type: 'peninsula' }))).toMatchObject({ net: 102_007, tax: 5100, total: 107_107 })
    const inclusive = saleOf(priced('119.00', { rate: '19', inclusive: true }))
    expect(priceBooth(inclusive, booth())).toMatchObject({ net: 10_000, tax: 1900, total: 11_900 })
  })

  it('charges no tax to a business abroad with a valid tax number, if the tax has reverse charge', () => {
    const sale = saleOf(priced('1000.00', { rate: '20', reverseCharge: true }))
    expect(priceBooth(sale, booth(), { country: 'DE', taxIdStatus: 'valid' })).toMatchObject({
      tax: 0,
      total: 100_000,
      lines: [{ taxNote: 'reverse_charge' }],
    })
    expect(priceBooth(sale, booth(), { country: 'FR', taxIdStatus: 'valid' }).total).toBe(120_000)
    expect(priceBooth(sale, booth()).total).toBe(120_000)
  })
})

describe('joinPolygons', () => {
  it('joins rectangular booths that share full edges, in any number and order', () => {
    expect(joinPolygons([buildRectangle(0, 0, 3, 3), buildRectangle(3, 0, 3, 3)])).toEqual([...buildRectangle(0, 0, 6, 3)])
    const block = [buildRectangle(3, 3, 3, 3), buildRectangle(0, 0, 3, 3), buildRectangle(0, 3, 3, 3), buildRectangle(3, 0, 3, 3)]
    expect(computePolygonArea(joinPolygons(block)!)).toBe(36)
    const corner = joinPolygons([buildRectangle(0, 0, 6, 3), buildRectangle(0, 3, 3, 3)])!
    expect([corner.length, computePolygonArea(corner)]).toEqual([6, 27])
  })

  it('refuses to join booths that touch at a corner, overlap half an edge, stand apart or enclose a hole', () => {
    expect(joinPolygons([buildRectangle(0, 0, 3, 3), buildRectangle(3, 3, 3, 3)])).toBeNull()
    expect(joinPolygons([buildRectangle(0, 0, 3, 3), buildRectangle(3, 1, 3, 3)])).toBeNull()
    expect(joinPolygons([buildRectangle(0, 0, 3, 3), buildRectangle(4, 0, 3, 3)])).toBeNull()
    const ring = [0, 1, 2].flatMap((x) => [0, 1, 2].filter((y) => x !== 1 || y !== 1).map((y) => buildRectangle(x, y, 1, 1)))
    expect(joinPolygons(ring)).toBeNull()
  })

  it('distinguishes neighbouring booths that share an edge from those that touch at a corner', () => {
    const metres = (x: number, y: number) => buildRectangle(x * 10_000, y * 10_000, 30_000, 30_000)
    expect(sharesEdge(metres(0, 0), metres(3, 1))).toBe(true)
    expect(sharesEdge(metres(0, 0), metres(3, 3))).toBe(false)
    expect(sharesEdge(metres(0, 0), metres(4, 0))).toBe(false)
  })
})

describe('listNearestBoothNumbers', () => {
  it('suggests the three booth numbers that are closest to an unknown booth number', () => {
    const numbers = ['99', '101', '101A', '103', '105', '250']
    expect(listNearestBoothNumbers('104', numbers)).toEqual(['103', '105', '101A'])
    expect(listNearestBoothNumbers('300', numbers)).toEqual(['250', '105', '103'])
    expect(listNearestBoothNumbers('B7', ['A1', 'B5', 'B9', 'C1'])).toEqual(['B5', 'B9', 'A1'])
  })
})
