import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { Buyer } from './tax-place.ts'

/** The amounts of an order line, as integers in minor units of the event's currency. */
export interface LineAmounts {
  listAmount: number
  discount: number
  net: number
  tax: number
  total: number
}

export interface TaxComponentAmount {
  code: string
  name: string
  rate: string
  amount: number
}

/** The tax terms of an order line, stored with the line so that a later credit uses the same terms. */
export interface OrderLineTax {
  taxCode: string | null
  /** The tax rate in percent, as decimal text with up to four decimals. */
  taxRate: string
  taxInclusive: boolean
  taxComponents: readonly TaxComponentAmount[]
  taxNote: 'reverse_charge' | null
}

/** The tax terms of an order line before its amounts are computed. */
export interface ApplicableTax extends Omit<OrderLineTax, 'taxComponents'> {
  taxComponents: readonly Omit<TaxComponentAmount, 'amount'>[]
}

export interface TaxedLineAmounts extends LineAmounts {
  taxComponents: TaxComponentAmount[]
}

/** A requested product with the tags that decide its price. */
export interface RequestedCartItem {
  productCode: string
  quantity: number
  /** The amount of a donation, chosen by the donor. Ignored for other products. */
  amount?: number
  tags: ReadonlySet<string>
}

export interface PricedLine extends LineAmounts, OrderLineTax {
  productCode: string
  quantity: number
  unitPrice: number
}

/** An order line as sold and stored, independent of the current configuration. */
export type SoldOrderLine = PricedLine

/** All data besides the cart that a price depends on. */
export interface SalePricingContext {
  config: Pick<EventConfig, 'products' | 'taxes' | 'discounts' | 'details'>
  currency: string
  timezone: string
  at: Date
  establishedIn: string | null
  buyer: Buyer
}
