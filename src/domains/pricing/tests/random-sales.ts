import fc from 'fast-check'
import { getCurrencyDecimals } from '../../../kernel/money.ts'
import { PRODUCT_CATEGORIES } from '../../configuration/schema/catalog.ts'
import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import type { SalePricingContext, RequestedCartItem } from '../lines.ts'
import { saleOf } from './sale.ts'

type Products = NonNullable<ConfigDocument['products']>
type Taxes = NonNullable<ConfigDocument['taxes']>
type Discount = NonNullable<ConfigDocument['discounts']>[number]

const TAGS = ['member', 'speaker', 'press']
const COUNTRIES = ['FR', 'DE', 'CA']
const CURRENCIES = ['EUR', 'JPY', 'KWD', 'HUF'] as const
const ZONES = ['Europe/Paris', 'America/Toronto', 'Pacific/Kiritimati', 'Asia/Kathmandu', 'UTC']

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const subset = <T>(list: readonly T[], maxLength = list.length) => fc.subarray([...list], { maxLength })
const maybeSome = <T>(list: readonly T[], maxLength?: number) => fc.oneof(subset(list, 0), subset(list, maxLength))

function decimal(units: number, digits: number): string {
  const text = String(units).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** Dates and times close together, without a change to or from summer time, so that price periods start and end around the sale. */
const DAYS = ['2026-06-08', '2026-06-09', '2026-06-10', '2026-06-11', '2026-06-12']
const day = fc.constantFrom(...DAYS)
const hour = fc.integer({ min: 0, max: 119 }).map((hours) => new Date(Date.parse('2026-06-08T00:00:00Z') + hours * 3_600_000).toISOString())
const dayWindow = fc.tuple(optional(day), optional(day)).map(inOrder)
const window = fc.oneof(dayWindow, fc.tuple(optional(hour), optional(hour)).map(inOrder), fc.constant([null, null] as const))

function inOrder([from, until]: readonly [string | null, string | null]): readonly [string | null, string | null] {
  return from !== null && until !== null && from > until ? [until, from] : [from, until]
}

/** Generates tax rates in units of the fourth decimal: common rates, unusual ones, and edge cases. */
const rate = fc.oneof(
  fc.constantFrom(0, 50_000, 99_750, 100_000, 190_000, 200_000, 255_000, 1, 999_999, 1_000_000),
  fc.integer({ min: 0, max: 400_000 }),
)
const price = fc.oneof(fc.constantFrom(0, 1, 5, 999, 1_001, 8_900, 14_999, 75_000), fc.integer({ min: 0, max: 5_000_000 }))

const taxes: fc.Arbitrary<Taxes> = fc
  .array(
    fc.record({
      rate,
      parts: fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 4 }),
      inclusive: fc.boolean(),
      reverseCharge: fc.boolean(),
      appliesIn: maybeSome([...COUNTRIES, 'CA-ON', 'CA-QC']),
      productCategories: maybeSome(PRODUCT_CATEGORIES),
      valid: dayWindow,
    }),
    { maxLength: 5 },
  )
  .map((list) =>
    list.map(({ rate: single, parts, valid: [validFrom, validUntil], ...more }, index) => ({
      code: `tax-${index}`,
      name: `Tax ${index}`,
      rate: decimal(parts.length > 0 ? parts.reduce((a, b) => a + b) : single, 4),
      components: parts.map((part, at) => ({ code: `part-${at}`, name: `Part ${at}`, rate: decimal(part, 4) })),
      validFrom,
      validUntil,
      ...more,
    })),
  )

const prices = (digits: number) =>
  fc
    .array(fc.record({ price, window, tags: maybeSome(TAGS, 2) }), { minLength: 1, maxLength: 5 })
    .map((rows) => rows.map(({ price: units, window: [from, until], tags }) => ({ amount: decimal(units, digits), from, until, tags })))

const products = (digits: number): fc.Arbitrary<Products> =>
  fc
    .array(
      fc.record({
        category: fc.constantFrom(...PRODUCT_CATEGORIES),
        supply: optional(fc.constantFrom('inPerson', 'virtual', 'goods', 'service')),
        tax: optional(fc.nat(4)),
        prices: prices(digits),
        retired: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
      }),
      { minLength: 1, maxLength: 8 },
    )
    .map((list) =>
      list.map(({ tax, ...more }, index) => ({
        code: `p${index}`,
        name: `Product ${index}`,
        taxCode: tax === null ? null : `tax-${tax}`,
        ...more,
      })),
    )

const discount = (digits: number): fc.Arbitrary<Discount> =>
  fc
    .record({
      percent: fc.oneof(fc.constantFrom(150_000, 1_000_000, 333_333, 1), fc.integer({ min: 1, max: 1_000_000 })),
      amount: fc.oneof(fc.constantFrom(1, 2, 10_000), fc.integer({ min: 1, max: 20_000_000 })),
      kind: fc.constantFrom('percent', 'amount'),
      window: fc.oneof({ weight: 3, arbitrary: fc.constant([null, null] as const) }, { weight: 1, arbitrary: window }),
      products: maybeSome(['p0', 'p1', 'p2', 'p3']),
      tags: fc.oneof({ weight: 3, arbitrary: subset(TAGS, 0) }, { weight: 1, arbitrary: subset(TAGS) }),
      retired: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
    })
    .map(({ percent, amount, kind, window: [from, until], ...more }) => ({
      code: 'less',
      name: 'Less',
      kind,
      value: kind === 'percent' ? decimal(percent, 4) : decimal(amount, digits),
      from,
      until,
      ...more,
    }))

const cart = fc.array(
  fc.record({
    productCode: fc.nat(7).map((n) => `p${n}`),
    quantity: fc.integer({ min: 1, max: 12 }),
    amount: fc.option(price, { nil: undefined }),
    tags: subset(TAGS),
  }),
  { minLength: 1, maxLength: 10 },
)

export const CARTS_PER_SALE = 10

export interface RandomSale {
  sale: SalePricingContext
  carts: { wanted: RequestedCartItem[]; code: string | null }[]
}

/** Generates a sale that combines all pricing rules, and carts to price in it. */
export const randomSale: fc.Arbitrary<RandomSale> = fc.constantFrom(...CURRENCIES).chain((currency) =>
  fc
    .record({
      products: products(getCurrencyDecimals(currency)),
      taxes,
      discount: discount(getCurrencyDecimals(currency)),
      timezone: fc.constantFrom(...ZONES),
      at: hour,
      venue: optional(fc.constantFrom(...COUNTRIES)),
      establishedIn: optional(fc.constantFrom(...COUNTRIES)),
      buyer: fc.record({
        country: optional(fc.constantFrom(...COUNTRIES)),
        region: optional(fc.constantFrom('ON', 'QC')),
        taxIdStatus: fc.constantFrom('unchecked', 'format_ok', 'valid', 'invalid'),
      }),
      carts: fc.array(fc.tuple(cart, fc.constantFrom('less', 'LESS', 'other', null)), {
        minLength: CARTS_PER_SALE,
        maxLength: CARTS_PER_SALE,
      }),
    })
    .map(({ venue, discount: one, products: sold, taxes: all, carts, at, ...more }) => ({
      sale: saleOf(
        {
          details: { name: 'Congress', startsOn: '2026-09-01', endsOn: '2026-09-03', venue: venue === null ? null : { country: venue } },
          products: sold,
          taxes: all,
          discounts: [one],
        },
        { currency, at: new Date(at), ...more },
      ),
      carts: carts.map(([lines, code]) => ({
        wanted: lines.map(({ amount, tags, ...line }) => ({ ...line, tags: new Set(tags), ...(amount === undefined ? {} : { amount }) })),
        code,
      })),
    })),
)
