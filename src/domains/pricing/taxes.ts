import { splitByWeights, parseDecimal, computePercentOfAmount, divideAndRoundHalfAway, sumMinorUnits } from '../../kernel/money.ts'
import { toDayInZone } from '../../kernel/time.ts'
import type { EventConfig, Product } from '../configuration/schema/event-config.ts'
import type { SalePricingContext, TaxedLineAmounts, ApplicableTax } from './lines.ts'
import { type TaxPlace, findPlaceOfSupply } from './tax-place.ts'

type Tax = EventConfig['taxes'][number]

const UNTAXED: ApplicableTax = { taxCode: null, taxRate: '0', taxInclusive: false, taxComponents: [], taxNote: null }

/**
 * Finds the tax of a product for this buyer today: the tax that the product names, otherwise the first valid tax for its category and
 * place.
 */
export function findApplicableTax(sale: SalePricingContext, product: Pick<Product, 'taxCode' | 'category' | 'supply'>): ApplicableTax {
  const { details, taxes } = sale.config
  const place = findPlaceOfSupply(product, sale.buyer, { venue: details.venue ?? { country: null }, establishedIn: sale.establishedIn })
  const named = product.taxCode === null ? undefined : taxes.find(({ code }) => code === product.taxCode)
  const tax = named ?? findFirstValidTax(sale, product.category, place)
  if (!tax) return UNTAXED
  // With reverse charge, the buyer declares the tax. A price that includes tax stays the same.
  if (tax.reverseCharge && place.kind === 'place' && place.reverseCharge) {
    return { ...UNTAXED, taxCode: tax.code, taxInclusive: tax.inclusive, taxNote: 'reverse_charge' }
  }
  return toApplicableTax(tax)
}

function findFirstValidTax({ config, at, timezone }: SalePricingContext, category: Product['category'], place: TaxPlace): Tax | undefined {
  if (place.kind === 'none') return undefined
  const today = toDayInZone(timezone, at)
  return config.taxes.find(
    ({ validFrom, validUntil, productCategories, appliesIn }) =>
      (validFrom === null || validFrom <= today) &&
      (validUntil === null || today <= validUntil) &&
      (productCategories.length === 0 || productCategories.includes(category)) &&
      (appliesIn.length === 0 || appliesIn.some((name) => includesPlace(name, place))),
  )
}

/**
 * Whether a tax for this country or region applies at the place of supply. A country includes its regions. A region does not match a place
 * without a region.
 */
function includesPlace(name: string, place: TaxPlace): boolean {
  if (place.kind !== 'place' || place.country === null) return false
  return name === place.country || (place.region !== null && name === `${place.country}-${place.region.toUpperCase()}`)
}

/** Returns the tax terms of a fixed tax, for example for fees and deposits; untaxed if there is no tax. */
export const toApplicableTax = (tax: Tax | null | undefined): ApplicableTax =>
  tax ? { taxCode: tax.code, taxRate: tax.rate, taxInclusive: tax.inclusive, taxComponents: tax.components, taxNote: null } : UNTAXED

/**
 * Computes the amounts of an order line with tax after discount. If tax is added to the price, each component is rounded and the tax is
 * their sum. If the price includes tax, the tax is rounded and then split.
 */
export function computeTaxedAmounts(terms: ApplicableTax, listAmount: number, discount: number): TaxedLineAmounts {
  const left = sumMinorUnits([listAmount, -discount])
  if (terms.taxInclusive) {
    const tax = computeIncludedTax(left, terms.taxRate)
    const shares = splitByWeights(
      tax,
      terms.taxComponents.map(({ rate }) => toRateUnits(rate)),
    )
    const taxComponents = terms.taxComponents.map(({ code, name, rate }, index) => ({ code, name, rate, amount: shares[index]! }))
    return { listAmount, discount, net: left - tax, tax, total: left, taxComponents }
  }
  const taxComponents = terms.taxComponents.map(({ code, name, rate }) => ({
    code,
    name,
    rate,
    amount: computePercentOfAmount(left, rate),
  }))
  const tax =
    taxComponents.length > 0 ? sumMinorUnits(taxComponents.map(({ amount }) => amount)) : computePercentOfAmount(left, terms.taxRate)
  return { listAmount, discount, net: left, tax, total: sumMinorUnits([left, tax]), taxComponents }
}

/** Returns the tax that is included in a total at this rate. */
export function computeIncludedTax(total: number, rate: string): number {
  const units = toRateUnits(rate)
  return divideAndRoundHalfAway(BigInt(total) * units, HUNDRED_PERCENT_UNITS + units)
}

const RATE_DIGITS = 4
/** 100 percent as an integer: tax rates are calculated in units of their last decimal. */
const HUNDRED_PERCENT_UNITS = 100n * 10n ** BigInt(RATE_DIGITS)

function toRateUnits(rate: string): bigint {
  const decimal = parseDecimal(rate)
  if (!decimal || decimal.digits > RATE_DIGITS) throw new RangeError(`not a tax rate: ${rate}`)
  return decimal.units * 10n ** BigInt(RATE_DIGITS - decimal.digits)
}
