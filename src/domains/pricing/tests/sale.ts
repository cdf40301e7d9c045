import { WORKED_EXAMPLE } from '../../../../test/support/worked-example.ts'
import { configOf } from '../../configuration/flow/tests/fixtures.ts'
import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import type { LineAmounts, OrderLineTax, PricedLine, SalePricingContext, ApplicableTax, RequestedCartItem } from '../lines.ts'
import { computeTaxedAmounts } from '../taxes.ts'

const PRIVATE = { country: 'FR', region: null, taxIdStatus: 'unchecked' } as const

/** Builds a sale context with these parts of the configuration, by default in Paris in April. */
export const saleOf = (parts: Partial<ConfigDocument>, more: Partial<Omit<SalePricingContext, 'config'>> = {}): SalePricingContext => ({
  config: configOf({
    details: { name: 'Congress', startsOn: '2026-09-01', endsOn: '2026-09-03', venue: { city: 'Paris', country: 'FR' } },
    ...parts,
  }),
  currency: 'EUR',
  timezone: 'Europe/Paris',
  at: new Date('2026-04-10T10:00:00Z'),
  establishedIn: 'FR',
  buyer: PRIVATE,
  ...more,
})

/** The event of the specification's examples, with a donation. */
export const CONGRESS: Partial<ConfigDocument> = {
  tags: WORKED_EXAMPLE.tags,
  taxes: WORKED_EXAMPLE.taxes,
  products: [...WORKED_EXAMPLE.products, { code: 'gift', name: 'Gift', category: 'donation', prices: [{ amount: '20.00' }] }],
  discounts: WORKED_EXAMPLE.discounts,
} as Partial<ConfigDocument>

export const want = (productCode: string, quantity = 1, more: Partial<RequestedCartItem> = {}): RequestedCartItem => ({
  productCode,
  quantity,
  tags: new Set(),
  ...more,
})

export const held = (...tags: string[]): ReadonlySet<string> => new Set(tags)

export const figuresOf = ({ listAmount, discount, net, tax, total }: LineAmounts) => [listAmount, discount, net, tax, total]

export const termsOf = (taxRate: string, more: Partial<ApplicableTax> = {}): ApplicableTax => ({
  taxCode: 'tax',
  taxRate,
  taxInclusive: false,
  taxComponents: [],
  taxNote: null,
  ...more,
})

/** Builds tax components with these rates, named by position. */
export const componentsOf = (...rates: string[]) => rates.map((rate, index) => ({ code: `c${index}`, name: `Component ${index}`, rate }))

interface Sold {
  unitPrice: number
  quantity: number
  discount?: number
  terms?: ApplicableTax
}

export function soldLine({ unitPrice, quantity, discount = 0, terms = termsOf('0') }: Sold): PricedLine {
  const tax: Omit<OrderLineTax, 'taxComponents'> = terms
  return { productCode: 'pass', quantity, unitPrice, ...tax, ...computeTaxedAmounts(terms, unitPrice * quantity, discount) }
}
