import { largestRemainder, parseDecimal, percentOf, roundHalfAway, sumMinor } from '../../kernel/money.ts'
import { dayIn } from '../../kernel/time.ts'
import type { EventConfig, Product } from '../configuration/schema/event-config.ts'
import type { Sale, TaxedAmounts, TaxTerms } from './lines.ts'
import { type TaxPlace, taxPlace } from './tax-place.ts'

type Tax = EventConfig['taxes'][number]

const UNTAXED: TaxTerms = { taxCode: null, taxRate: '0', taxInclusive: false, taxComponents: [], taxNote: null }

/** How a product is taxed for this buyer today: by the tax it names, else by the first that is valid, meant for its category and for the place. */
export function taxOf(sale: Sale, product: Pick<Product, 'taxCode' | 'category' | 'supply'>): TaxTerms {
  const { details, taxes } = sale.config
  const place = taxPlace(product, sale.buyer, { venue: details.venue ?? { country: null }, establishedIn: sale.establishedIn })
  const named = product.taxCode === null ? undefined : taxes.find(({ code }) => code === product.taxCode)
  const tax = named ?? firstInForce(sale, product.category, place)
  if (!tax) return UNTAXED
  // The buyer counts it at home. What the price held of it stays in the price.
  if (tax.reverseCharge && place.kind === 'place' && place.reverseCharge) {
    return { ...UNTAXED, taxCode: tax.code, taxInclusive: tax.inclusive, taxNote: 'reverse_charge' }
  }
  return termsOf(tax)
}

function firstInForce({ config, at, timezone }: Sale, category: Product['category'], place: TaxPlace): Tax | undefined {
  if (place.kind === 'none') return undefined
  const today = dayIn(timezone, at)
  return config.taxes.find(
    ({ validFrom, validUntil, productCategories, appliesIn }) =>
      (validFrom === null || validFrom <= today) &&
      (validUntil === null || today <= validUntil) &&
      (productCategories.length === 0 || productCategories.includes(category)) &&
      (appliesIn.length === 0 || appliesIn.some((name) => isIn(name, place))),
  )
}

/** A country holds its regions; a region does not hold a place of which only the country is known. */
function isIn(name: string, place: TaxPlace): boolean {
  if (place.kind !== 'place' || place.country === null) return false
  return name === place.country || (place.region !== null && name === `${place.country}-${place.region.toUpperCase()}`)
}

/** What is taxed by this tax and no other, as fees and deposits are; without one it is untaxed. */
export const termsOf = (tax: Tax | null | undefined): TaxTerms =>
  tax ? { taxCode: tax.code, taxRate: tax.rate, taxInclusive: tax.inclusive, taxComponents: tax.components, taxNote: null } : UNTAXED

/** The tax on what is left after the discount. Exclusive, each component is rounded and the tax is their sum; inclusive, the tax is rounded and split. */
export function amountsAt(terms: TaxTerms, listAmount: number, discount: number): TaxedAmounts {
  const left = sumMinor([listAmount, -discount])
  if (terms.taxInclusive) {
    const tax = taxWithin(left, terms.taxRate)
    const shares = largestRemainder(
      tax,
      terms.taxComponents.map(({ rate }) => rateUnits(rate)),
    )
    const taxComponents = terms.taxComponents.map(({ code, name, rate }, index) => ({ code, name, rate, amount: shares[index]! }))
    return { listAmount, discount, net: left - tax, tax, total: left, taxComponents }
  }
  const taxComponents = terms.taxComponents.map(({ code, name, rate }) => ({ code, name, rate, amount: percentOf(left, rate) }))
  const tax = taxComponents.length > 0 ? sumMinor(taxComponents.map(({ amount }) => amount)) : percentOf(left, terms.taxRate)
  return { listAmount, discount, net: left, tax, total: sumMinor([left, tax]), taxComponents }
}

/** The part of a total that is tax at this rate. */
export function taxWithin(total: number, rate: string): number {
  const units = rateUnits(rate)
  return roundHalfAway(BigInt(total) * units, WHOLE + units)
}

const RATE_DIGITS = 4
/** 100 percent in units of the last digit that a rate can have. */
const WHOLE = 100n * 10n ** BigInt(RATE_DIGITS)

function rateUnits(rate: string): bigint {
  const decimal = parseDecimal(rate)
  if (!decimal || decimal.digits > RATE_DIGITS) throw new RangeError(`not a rate of tax: ${rate}`)
  return decimal.units * 10n ** BigInt(RATE_DIGITS - decimal.digits)
}
