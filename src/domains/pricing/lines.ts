import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { Buyer } from './tax-place.ts'

/** All amounts here are whole minor units of the event's currency. */
export interface Amounts {
  listAmount: number
  discount: number
  net: number
  tax: number
  total: number
}

export interface TaxShare {
  code: string
  name: string
  rate: string
  amount: number
}

/** How a line is taxed; kept with it, so that a later credit is counted as the sale was. */
export interface LineTax {
  taxCode: string | null
  /** Percent, up to four decimals, as a decimal text. */
  taxRate: string
  taxInclusive: boolean
  taxComponents: readonly TaxShare[]
  taxNote: 'reverse_charge' | null
}

/** The same before there is an amount to tax. */
export interface TaxTerms extends Omit<LineTax, 'taxComponents'> {
  taxComponents: readonly Omit<TaxShare, 'amount'>[]
}

export interface TaxedAmounts extends Amounts {
  taxComponents: TaxShare[]
}

/** What somebody wants, and the tags that decide their price. */
export interface Wanted {
  productCode: string
  quantity: number
  /** Chosen by the giver of a donation; whoever buys anything else does not choose. */
  amount?: number
  tags: ReadonlySet<string>
}

export interface PricedLine extends Amounts, LineTax {
  productCode: string
  quantity: number
  unitPrice: number
}

/** A line as it was sold and stored: nothing of today's configuration is asked about it again. */
export type SoldLine = PricedLine

/** Everything beside the cart that a price depends on. */
export interface Sale {
  config: Pick<EventConfig, 'products' | 'taxes' | 'discounts' | 'details'>
  currency: string
  timezone: string
  at: Date
  establishedIn: string | null
  buyer: Buyer
}
