import { multiplyMinorUnits, toMinorUnits } from '../../../kernel/money.ts'
import type { Configuration } from '../../configuration/read.ts'
import { findPrice } from '../../configuration/flow/prices.ts'
import type { EventConfig, Product } from '../../configuration/schema/event-config.ts'
import type { InvoiceDateSettings } from '../../orders/due-date.ts'
import { sumLineAmounts } from '../../orders/record-sale.ts'
import type { BillTo } from '../../orders/tables.ts'
import { setTaxIdStatus } from '../../orders/tax-ids.ts'
import type { LineAmounts, OrderLineTax, SalePricingContext } from '../../pricing/lines.ts'
import { computeTaxedAmounts, findApplicableTax } from '../../pricing/taxes.ts'
import type { CompanyRow } from '../companies.ts'
import type { BoothType } from '../floor/booth-figures.ts'

/** The event's configuration and settings that decide the price of a booth, read at one moment. */
export interface BoothPriceContext {
  config: EventConfig
  currency: string
  timezone: string
  establishedIn: string | null
  terms: InvoiceDateSettings
}

export interface PriceableBooth {
  number: string
  sizeCode: string | null
  /** Price that an organizer set for this booth, in minor units. */
  priceOverride: number | null
  type: BoothType
}

export interface BoothOrderLine extends LineAmounts, OrderLineTax {
  /** Code of the product; null if the price was set by hand and the booth size has no product. */
  productCode: string | null
  description: string
  quantity: number
  unitPrice: number
}

export interface BoothPrice {
  /** Order lines of the booth; empty if it has no price: neither an override nor a product for its size. */
  lines: BoothOrderLine[]
  net: number
  tax: number
  total: number
  /** Products that belong to the booth but have no price at this time. If there are any, the booth cannot be sold. */
  notOnSale: string[]
}

/** Number of corner surcharges that a booth of each type is charged. */
const CORNERS: Record<BoothType, number> = { inline: 0, perimeter: 0, corner: 1, peninsula: 2, island: 4 }

export const toBoothPriceContext = ({ config, facts }: Configuration, at = facts.now): BoothPriceContext => ({
  config,
  currency: facts.currency,
  timezone: facts.timezone,
  establishedIn: facts.establishedIn,
  terms: { at, startsOn: facts.startsOn, paymentTermsDays: facts.paymentTermsDays },
})

/** The billing address of a company: the one entered for billing, with missing values taken from its contact. */
export function toCompanyBillingAddress(
  company: Pick<CompanyRow, 'name' | 'country' | 'contact_name' | 'contact_email' | 'billing'>,
): BillTo {
  const billTo: BillTo = {
    ...(company.contact_name === null ? {} : { name: company.contact_name }),
    ...(company.contact_email === null ? {} : { email: company.contact_email }),
    ...(company.country === null ? {} : { country: company.country }),
    ...company.billing,
  }
  return { company: company.name, ...setTaxIdStatus(billTo, { before: billTo }) }
}

const toSaleContext = ({ terms, ...sale }: BoothPriceContext, { country, region, taxIdStatus }: BillTo): SalePricingContext => ({
  ...sale,
  at: terms.at,
  buyer: { country: country ?? null, region: region ?? null, taxIdStatus: taxIdStatus ?? 'unchecked' },
})

/**
 * The price of a booth at the time of the sale: the price that an organizer set for it, otherwise that of the product for its size plus a
 * surcharge for each open corner. Without a buyer, the tax is that of a domestic company.
 */
export function priceBooth(sale: BoothPriceContext, booth: PriceableBooth, billTo: BillTo = {}): BoothPrice {
  const { exhibitorConfig, products } = sale.config
  const context = toSaleContext(sale, billTo)
  const find = (code: string | null | undefined) => products.find((product) => product.code === code)
  const size = exhibitorConfig.boothSizes.find(({ code }) => code === booth.sizeCode)
  const product = find(size?.product)
  if (booth.priceOverride !== null) {
    const label = product?.name ?? size?.name
    const description = label === undefined ? `Booth ${booth.number}` : `${label} (${booth.number})`
    return toPrice([toLine(context, { product, description, quantity: 1, unitPrice: booth.priceOverride })], [])
  }
  if (!product) return toPrice([], [])
  const corner = CORNERS[booth.type] > 0 ? find(exhibitorConfig.cornerProduct) : undefined
  const wanted = [{ product, quantity: 1 }, ...(corner ? [{ product: corner, quantity: CORNERS[booth.type] }] : [])]
  const notOnSale = wanted.filter((one) => findUnitPrice(context, one.product) === null).map((one) => one.product.code)
  if (notOnSale.length > 0) return toPrice([], notOnSale)
  return toPrice(
    wanted.map(({ product: sold, quantity }) =>
      toLine(context, {
        product: sold,
        description: `${sold.name} (${booth.number})`,
        quantity,
        unitPrice: findUnitPrice(context, sold)!,
      }),
    ),
    [],
  )
}

const toPrice = (lines: BoothOrderLine[], notOnSale: string[]): BoothPrice => ({ lines, ...sumLineAmounts(lines), notOnSale })

/** Finds the unit price of a product. Companies have no tags, so only prices for everyone apply. */
function findUnitPrice({ at, timezone, currency }: SalePricingContext, product: Product): number | null {
  const price = product.retired ? null : findPrice(product, { tags: [], at, timezone })
  return price && toMinorUnits(price.amount, currency)
}

interface SoldItem {
  product: Product | undefined
  description: string
  quantity: number
  unitPrice: number
}

function toLine(context: SalePricingContext, { product, description, quantity, unitPrice }: SoldItem): BoothOrderLine {
  const terms = findApplicableTax(context, product ?? { taxCode: null, category: 'booth', supply: null })
  const amounts = computeTaxedAmounts(terms, multiplyMinorUnits(unitPrice, quantity), 0)
  return { productCode: product?.code ?? null, description, quantity, unitPrice, ...terms, ...amounts }
}

/** Returns a copy of an order line with another quantity. */
export const copyOrderLineWithQuantity = (line: BoothOrderLine, quantity: number): BoothOrderLine => ({
  ...line,
  quantity,
  ...computeTaxedAmounts(line, multiplyMinorUnits(line.unitPrice, quantity), 0),
})

/** Prices a product that is charged to a company in addition to its booths; null if the product is not on sale at that time. */
export function buildProductOrderLine(
  sale: BoothPriceContext,
  product: Product,
  description: string,
  billTo: BillTo = {},
): BoothOrderLine | null {
  const context = toSaleContext(sale, billTo)
  const unitPrice = findUnitPrice(context, product)
  return unitPrice === null ? null : toLine(context, { product, description, quantity: 1, unitPrice })
}
