import { computePercentOfAmount, sumMinorUnits } from '../../kernel/money.ts'
import type { TaxRate } from '../../kernel/ports.ts'
import type { CooperativeTask } from '../../kernel/cooperative.ts'
import type { Buyer } from '../pricing/tax-place.ts'
import { computeIncludedTax } from '../pricing/taxes.ts'
import type { AssessedProduct, LineTaxTreatment } from './basis.ts'
import { type TaxFindingKind, type SaleTaxCheckContext, findSaleTaxError, formatPlainTaxRate, type SaleTaxError } from './judge.ts'
import { formatTaxJurisdiction } from './places.ts'

/** An order line with the day and buyer that determine its tax. A credit uses the day of its sale. */
export interface AssessedOrderLine {
  orderId: string
  invoiceId: string | null
  kind: 'sale' | 'credit'
  productCode: string
  on: string
  buyer: Buyer
  /** Whether the buyer's tax number was not verified with the authorities, so that it counts as missing. */
  unverified: boolean
  terms: LineTaxTreatment
  net: number
  tax: number
  total: number
}

/** The order lines of one product with the same tax issue. */
export interface TaxIssueGroup {
  kind: TaxFindingKind
  productCode: string
  rule: string
  places: string[]
  rate: string | null
  terms: LineTaxTreatment
  lines: number
  orders: number
  under: number
  over: number
}

/** The counts of an assessment so far, as plain data that is stored between batches. */
export interface AssessmentCounts {
  lines: number
  orders: number
  groups: Record<string, TaxIssueGroup>
  /** For each product, whether prices included tax, excluded it, or both. */
  ways: Record<string, { inclusive: boolean; exclusive: boolean }>
  buyers: Record<string, number>
  /** For each product, the number of lines of foreign buyers whose tax number has a valid format but was not verified. */
  unverified: Record<string, number>
}

export const createEmptyAssessmentCounts = (): AssessmentCounts => ({
  lines: 0,
  orders: 0,
  groups: {},
  ways: {},
  buyers: {},
  unverified: {},
})

/** Kinds of findings that form one issue per product, not one for each country or region in which the sales are taxed. */
const PLACE_INDEPENDENT_KINDS: ReadonlySet<TaxFindingKind> = new Set([
  'tax_not_due',
  'reverse_charge_missing',
  'buyer_country_missing',
  'supply_unknown',
])

export const toTaxIssueKey = (productCode: string, { kind, rule, place }: SaleTaxError): string =>
  [productCode, kind, rule, place && !PLACE_INDEPENDENT_KINDS.has(kind) ? formatTaxJurisdiction(place) : ''].join('|')

export const createTaxIssueGroup = (
  productCode: string,
  { kind, rule, place, due }: SaleTaxError,
  terms: LineTaxTreatment,
): TaxIssueGroup => ({
  kind,
  productCode,
  rule,
  places: place ? [formatTaxJurisdiction(place)] : [],
  rate: due && formatPlainTaxRate(due.rate),
  terms: { ...terms, rate: formatPlainTaxRate(terms.rate) },
  lines: 0,
  orders: 0,
  under: 0,
  over: 0,
})

/** Invoices with wrong amounts, and the keys of their tax issues. */
export type TaxIssueKeysByInvoice = Map<string, Set<string>>

const LINES_PER_YIELD = 500

/** Adds order lines to the counts of the tax assessment. All lines of an order must be in the same batch. */
export function* addLines(
  tally: AssessmentCounts,
  lines: readonly AssessedOrderLine[],
  judging: SaleTaxCheckContext,
  products: ReadonlyMap<string, AssessedProduct>,
): CooperativeTask<TaxIssueKeysByInvoice> {
  const wrong: TaxIssueKeysByInvoice = new Map()
  let order: string | null = null
  let seen = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (index % LINES_PER_YIELD === 0) yield
    if (line.orderId !== order) {
      order = line.orderId
      seen = new Set()
      tally.orders += 1
      const country = line.buyer.country ?? ''
      tally.buyers[country] = (tally.buyers[country] ?? 0) + 1
    }
    tally.lines += 1
    if (line.total === 0 && line.tax === 0) continue
    const product = products.get(line.productCode)
    // Products that were not requested, or that the draft configuration no longer contains, cannot be assessed.
    if (!product) continue
    recordPricingWay(tally, line)
    const { establishedIn } = judging.basis
    if (line.unverified && line.buyer.country !== null && line.buyer.country !== establishedIn && line.kind === 'sale')
      tally.unverified[line.productCode] = (tally.unverified[line.productCode] ?? 0) + 1
    const verdict = findSaleTaxError(judging, product, line)
    if (!verdict) continue
    const key = toTaxIssueKey(line.productCode, verdict)
    const group = (tally.groups[key] ??= createTaxIssueGroup(line.productCode, verdict, line.terms))
    const place = verdict.place && formatTaxJurisdiction(verdict.place)
    if (place && !group.places.includes(place)) group.places.push(place)
    if (!seen.has(key)) group.orders += 1
    seen.add(key)
    const off = verdict.due ? computeTaxDue(line, verdict.due) - line.tax : 0
    if (line.kind === 'credit') reverseExposure(group, off)
    else {
      group.lines += 1
      if (off > 0) group.under += off
      else group.over -= off
      if (off !== 0 && line.invoiceId !== null) wrong.set(line.invoiceId, (wrong.get(line.invoiceId) ?? new Set()).add(key))
    }
  }
  return wrong
}

/** Subtracts a credit from the amount at risk. A credit reverses the error of its sale, so a fully credited sale is not at risk. */
function reverseExposure(group: TaxIssueGroup, off: number): void {
  if (off < 0) group.under = Math.max(0, group.under + off)
  else group.over = Math.max(0, group.over - off)
}

function recordPricingWay(tally: AssessmentCounts, { productCode, terms, tax }: AssessedOrderLine): void {
  if (tax === 0) return
  const ways = (tally.ways[productCode] ??= { inclusive: false, exclusive: false })
  ways[terms.inclusive ? 'inclusive' : 'exclusive'] = true
}

/** Computes the tax due on an order line: on its net amount, or included in the total if the price is inclusive. */
function computeTaxDue({ terms, net, total }: AssessedOrderLine, { rate, components }: Pick<TaxRate, 'rate' | 'components'>): number {
  if (terms.inclusive) return computeIncludedTax(total, rate)
  return components.length > 0
    ? sumMinorUnits(components.map((one) => computePercentOfAmount(net, one.rate)))
    : computePercentOfAmount(net, rate)
}
