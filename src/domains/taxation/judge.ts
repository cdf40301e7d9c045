import { COUNTRIES } from '../../kernel/countries.ts'
import { compareDecimals, parseDecimal } from '../../kernel/money.ts'
import type { TaxRate, TaxRates } from '../../kernel/ports.ts'
import { type Buyer, findPlaceOfSupply } from '../pricing/tax-place.ts'
import type { AssessedProduct, TaxAssessmentData, ConfiguredTax, LineTaxTreatment } from './basis.ts'
import { formatTaxJurisdiction, toRegionCode, type TaxJurisdiction } from './places.ts'
import { findTaxRate } from './rates.ts'

export const TAX_FINDING_KINDS = [
  'wrong_rate',
  'wrong_jurisdiction',
  'missing_tax',
  'tax_not_due',
  'reverse_charge_missing',
  'not_registered',
  'rate_expired',
  'unknown_rate',
  'buyer_country_missing',
  'supply_unknown',
  'mixed_inclusive',
] as const
export type TaxFindingKind = (typeof TAX_FINDING_KINDS)[number]

/** The error in the taxation of a sale, and the tax that is due instead. */
export interface SaleTaxError {
  kind: TaxFindingKind
  rule: string
  /** The country or region in which the sale is taxable; null if it is not taxable or the country is unknown. */
  place: TaxJurisdiction | null
  /** The tax rate that is due; null if it is unknown. */
  due: Pick<TaxRate, 'rate' | 'components'> | null
}

const NOTHING_DUE = { rate: '0', components: [] }

/** The facts by which the tax on a sale is checked: the seller, the venue and the known tax rates. */
export interface SaleTaxCheckContext {
  rates: TaxRates
  basis: Pick<TaxAssessmentData, 'venue' | 'establishedIn' | 'registrations' | 'taxes'>
}

/** Compares the taxation of a product for a buyer and day with the expected place and rate. Null if correct. */
export function findSaleTaxError(
  { rates, basis }: SaleTaxCheckContext,
  product: Pick<AssessedProduct, 'category' | 'supply'>,
  sold: { buyer: Buyer; terms: LineTaxTreatment; on: string },
): SaleTaxError | null {
  const { terms, on } = sold
  const buyer = { ...sold.buyer, region: toRegionCode(sold.buyer.country, sold.buyer.region) }
  const at = findPlaceOfSupply(product, buyer, basis)
  const verdict = (kind: TaxFindingKind, place: TaxJurisdiction | null, due: SaleTaxError['due']): SaleTaxError => ({
    kind,
    rule: at.rule,
    place,
    due,
  })
  const taxed = !isZero(terms.rate)
  if (at.kind === 'unknown') return verdict('supply_unknown', null, null)
  if (at.kind === 'none') return taxed ? verdict('tax_not_due', null, NOTHING_DUE) : null
  if (at.country === null) return verdict('buyer_country_missing', null, null)
  const place = { country: at.country, region: at.region ?? findHomeRegion(at.country, basis) }
  if (at.reverseCharge) return taxed ? verdict('reverse_charge_missing', place, NOTHING_DUE) : null
  const due = findTaxRate(rates, place, on)
  if (!due) return verdict('unknown_rate', place, null)
  if (!isRegistered(basis, place, on)) return verdict('not_registered', place, due)
  if (!taxed) return isZero(due.rate) ? null : verdict('missing_tax', place, due)
  const tax = basis.taxes.find(({ code }) => code === terms.taxCode)
  const meantFor = listJurisdictions(terms.taxCode, tax)
  if (meantFor && !meantFor.some((name) => name === place.country || name === formatTaxJurisdiction(place)))
    return verdict('wrong_jurisdiction', place, due)
  if (isSameTaxRate(terms.rate, due.rate)) return tax && isExpired(tax, on) ? verdict('rate_expired', place, due) : null
  const earlier = rates.listRates(place.country, place.region).some(({ rate, from }) => from < due.from && isSameTaxRate(rate, terms.rate))
  return verdict(earlier ? 'rate_expired' : 'wrong_rate', place, due)
}

/**
 * Finds the region of the seller's seat, of which only the country is stored: from the only tax registration in that country, or from the
 * venue.
 */
function findHomeRegion(country: string, { venue, registrations }: SaleTaxCheckContext['basis']): string | null {
  const regions = new Set(
    registrations.flatMap((one) => (one.country === country && one.region ? [toRegionCode(country, one.region)] : [])),
  )
  if (regions.size === 1) return [...regions][0]!
  return venue.country === country ? venue.region : null
}

/** Whether the seller is registered for tax at this place. A registration for a country covers its regions. */
const isRegistered = ({ registrations }: Pick<TaxAssessmentData, 'registrations'>, place: TaxJurisdiction, on: string) =>
  registrations.some(
    ({ country, region, from, until }) =>
      country === place.country &&
      (region === undefined || place.region === null || toRegionCode(country, region) === place.region) &&
      from <= on &&
      (until === undefined || on <= until),
  )

const isExpired = ({ validFrom, validUntil }: ConfiguredTax, on: string) =>
  (validFrom !== null && on < validFrom) || (validUntil !== null && validUntil < on)

/**
 * Lists the jurisdictions of a tax: as configured, otherwise from its code, such as `vat-de` or `gst-ca-ns`. Null means any jurisdiction.
 */
function listJurisdictions(taxCode: string | null, tax: ConfiguredTax | undefined): readonly string[] | null {
  if (tax && tax.appliesIn.length > 0) return tax.appliesIn
  const [, country = '', region] =
    /^(?:vat|gst|hst|mwst|ust|tva|iva|btw|moms)-([a-z]{2})(?:-([a-z]{2,3}))?(?:-|$)/.exec(taxCode ?? '') ?? []
  if (!COUNTRIES.has(country.toUpperCase())) return null
  return [formatTaxJurisdiction({ country: country.toUpperCase(), region: region?.toUpperCase() ?? null })]
}

const decimals = new Map<string, NonNullable<ReturnType<typeof parseDecimal>>>()

/** Normalizes a rate such as 19.0000 from the database to 19. The result is cached, because there are few rates and many order lines. */
function toDecimal(rate: string) {
  let decimal = decimals.get(rate)
  if (!decimal) {
    decimal = parseDecimal(rate) ?? { units: 0n, digits: 0 }
    if (decimals.size > 1000) decimals.clear()
    decimals.set(rate, decimal)
  }
  return decimal
}

export const isSameTaxRate = (a: string, b: string): boolean => compareDecimals(toDecimal(a), toDecimal(b)) === 0
const isZero = (rate: string) => toDecimal(rate).units === 0n
/** Formats a tax rate without trailing zeros. */
export const formatPlainTaxRate = (rate: string): string => (rate.includes('.') ? rate.replace(/\.?0+$/, '') : rate)
