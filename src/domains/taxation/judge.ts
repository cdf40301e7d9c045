import { COUNTRIES } from '../../kernel/countries.ts'
import { compareDecimals, parseDecimal } from '../../kernel/money.ts'
import type { TaxRate, TaxRates } from '../../kernel/ports.ts'
import { type Buyer, taxPlace } from '../pricing/tax-place.ts'
import type { AssessedProduct, Basis, Tax, Terms } from './basis.ts'
import { placeName, regionCode, type TaxedPlace } from './places.ts'
import { rateOn } from './rates.ts'

export const FINDING_KINDS = [
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
export type FindingKind = (typeof FINDING_KINDS)[number]

/** What is wrong with how something is or was taxed, and what is due instead. */
export interface Verdict {
  kind: FindingKind
  rule: string
  /** Where it is taxed; null where that is nowhere, or nobody knows. */
  place: TaxedPlace | null
  /** Null: nothing can be said of what is due. */
  due: Pick<TaxRate, 'rate' | 'components'> | null
}

const NOTHING_DUE = { rate: '0', components: [] }

/** Who sells, where, and what is known of rates. */
export interface Judge {
  rates: TaxRates
  basis: Pick<Basis, 'venue' | 'establishedIn' | 'registrations' | 'taxes'>
}

/** Holds how a product is taxed for a buyer on a day against where and at which rate it should be. Null: as it should be. */
export function judge(
  { rates, basis }: Judge,
  product: Pick<AssessedProduct, 'category' | 'supply'>,
  sold: { buyer: Buyer; terms: Terms; on: string },
): Verdict | null {
  const { terms, on } = sold
  const buyer = { ...sold.buyer, region: regionCode(sold.buyer.country, sold.buyer.region) }
  const at = taxPlace(product, buyer, basis)
  const verdict = (kind: FindingKind, place: TaxedPlace | null, due: Verdict['due']): Verdict => ({ kind, rule: at.rule, place, due })
  const taxed = !isZero(terms.rate)
  if (at.kind === 'unknown') return verdict('supply_unknown', null, null)
  if (at.kind === 'none') return taxed ? verdict('tax_not_due', null, NOTHING_DUE) : null
  if (at.country === null) return verdict('buyer_country_missing', null, null)
  const place = { country: at.country, region: at.region ?? regionAtHome(at.country, basis) }
  if (at.reverseCharge) return taxed ? verdict('reverse_charge_missing', place, NOTHING_DUE) : null
  const due = rateOn(rates, place, on)
  if (!due) return verdict('unknown_rate', place, null)
  if (!isRegistered(basis, place, on)) return verdict('not_registered', place, due)
  if (!taxed) return isZero(due.rate) ? null : verdict('missing_tax', place, due)
  const tax = basis.taxes.find(({ code }) => code === terms.taxCode)
  const meantFor = jurisdictionsOf(terms.taxCode, tax)
  if (meantFor && !meantFor.some((name) => name === place.country || name === placeName(place)))
    return verdict('wrong_jurisdiction', place, due)
  if (sameRate(terms.rate, due.rate)) return tax && isOver(tax, on) ? verdict('rate_expired', place, due) : null
  const earlier = rates.rowsOf(place.country, place.region).some(({ rate, from }) => from < due.from && sameRate(rate, terms.rate))
  return verdict(earlier ? 'rate_expired' : 'wrong_rate', place, due)
}

/** A seat is kept by country alone: where that is the venue's, or the only registration there names one, the region is known after all. */
function regionAtHome(country: string, { venue, registrations }: Judge['basis']): string | null {
  const regions = new Set(registrations.flatMap((one) => (one.country === country && one.region ? [regionCode(country, one.region)] : [])))
  if (regions.size === 1) return [...regions][0]!
  return venue.country === country ? venue.region : null
}

/** Registered for a country is registered for its regions. */
const isRegistered = ({ registrations }: Pick<Basis, 'registrations'>, place: TaxedPlace, on: string) =>
  registrations.some(
    ({ country, region, from, until }) =>
      country === place.country &&
      (region === undefined || place.region === null || regionCode(country, region) === place.region) &&
      from <= on &&
      (until === undefined || on <= until),
  )

const isOver = ({ validFrom, validUntil }: Tax, on: string) =>
  (validFrom !== null && on < validFrom) || (validUntil !== null && validUntil < on)

/** Where a tax is meant for: as it says itself, else as its code does, as `vat-de` or `gst-ca-ns`. Null: anywhere. */
function jurisdictionsOf(taxCode: string | null, tax: Tax | undefined): readonly string[] | null {
  if (tax && tax.appliesIn.length > 0) return tax.appliesIn
  const [, country = '', region] =
    /^(?:vat|gst|hst|mwst|ust|tva|iva|btw|moms)-([a-z]{2})(?:-([a-z]{2,3}))?(?:-|$)/.exec(taxCode ?? '') ?? []
  if (!COUNTRIES.has(country.toUpperCase())) return null
  return [placeName({ country: country.toUpperCase(), region: region?.toUpperCase() ?? null })]
}

const decimals = new Map<string, NonNullable<ReturnType<typeof parseDecimal>>>()

/** The database writes 19.0000 what people write 19; there are few rates and many lines. */
function decimalOf(rate: string) {
  let decimal = decimals.get(rate)
  if (!decimal) {
    decimal = parseDecimal(rate) ?? { units: 0n, digits: 0 }
    if (decimals.size > 1000) decimals.clear()
    decimals.set(rate, decimal)
  }
  return decimal
}

export const sameRate = (a: string, b: string): boolean => compareDecimals(decimalOf(a), decimalOf(b)) === 0
const isZero = (rate: string) => decimalOf(rate).units === 0n
/** As people write it. */
export const plainRate = (rate: string): string => (rate.includes('.') ? rate.replace(/\.?0+$/, '') : rate)
