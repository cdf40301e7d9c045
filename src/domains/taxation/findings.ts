import { hashCanonicalJson } from '../../kernel/canonical.ts'
import type { TaxRates } from '../../kernel/ports.ts'
import type { AssessedProduct, TaxAssessmentData, LineTaxTreatment } from './basis.ts'
import { type TaxFindingKind, findSaleTaxError, formatPlainTaxRate, type SaleTaxError } from './judge.ts'
import { type RecommendedTaxChange, createTaxChangeRecommender } from './recommend.ts'
import { describeTaxReason } from './reasons.ts'
import { createTaxIssueGroup, type TaxIssueGroup, toTaxIssueKey, type AssessmentCounts } from './tally.ts'

export const TAX_FINDING_SEVERITIES = ['high', 'medium', 'low'] as const
type Severity = (typeof TAX_FINDING_SEVERITIES)[number]

/** A tax finding as stored in the database. Amounts are in minor units. */
export interface TaxFinding {
  id: string
  kind: TaxFindingKind
  severity: Severity
  productCode: string
  current: LineTaxTreatment | null
  jurisdiction: string | null
  reason: string
  ruleId: string
  rateTableVersion: string
  exposure: { lines: number; under: number; over: number }
  /** The recommended change of the draft configuration; null if a change of taxes does not help. */
  change: RecommendedTaxChange | null
}

/** Returns the id of a finding, which is unique per assessment. */
export const toFindingId = (assessmentId: string, key: string): string =>
  hashCanonicalJson([assessmentId, key]).toString('hex').slice(0, 24)

/** A tax issue with the order lines concerned, and whether the draft configuration would repeat it. */
export interface TaxIssue {
  key: string
  group: TaxIssueGroup
  /** The tax error that the next order would have with the draft configuration; null if the draft configuration is correct. */
  drafted: { verdict: SaleTaxError; terms: LineTaxTreatment } | null
  product: AssessedProduct
}

/** Lists all findings, most severe first. The result depends only on the order lines, rates and draft, not on the batches. */
export function listFindings(assessmentId: string, basis: TaxAssessmentData, rates: TaxRates, tally: AssessmentCounts): TaxFinding[] {
  const recommend = createTaxChangeRecommender(basis, rates)
  return listIssues(basis, rates, tally)
    .map((matter): TaxFinding => {
      const { group, drafted, key } = matter
      const { kind, productCode, rule, lines, under, over } = group
      const terms = drafted?.terms ?? group.terms
      return {
        id: toFindingId(assessmentId, key),
        kind,
        severity: under + over > 0 ? 'high' : drafted && CERTAIN_KINDS.has(kind) ? 'medium' : 'low',
        productCode,
        current: terms.taxCode === null ? null : { ...terms, rate: formatPlainTaxRate(terms.rate) },
        jurisdiction: group.places.length === 1 ? group.places[0]! : null,
        reason: describeTaxReason(matter, basis, tally),
        ruleId: rule,
        rateTableVersion: rates.version,
        exposure: { lines, under, over },
        change: recommend(matter),
      }
    })
    .toSorted(compareSeverity)
}

/** Kinds of findings that are certainly errors in the draft configuration. Other kinds need human judgement. */
const CERTAIN_KINDS: ReadonlySet<TaxFindingKind> = new Set([
  'wrong_rate',
  'wrong_jurisdiction',
  'missing_tax',
  'tax_not_due',
  'reverse_charge_missing',
  'rate_expired',
])

function compareSeverity(a: TaxFinding, b: TaxFinding): number {
  const bySeverity = TAX_FINDING_SEVERITIES.indexOf(a.severity) - TAX_FINDING_SEVERITIES.indexOf(b.severity)
  const byExposure = b.exposure.under + b.exposure.over - (a.exposure.under + a.exposure.over)
  return (
    bySeverity ||
    byExposure ||
    compare(a.productCode, b.productCode) ||
    compare(a.kind, b.kind) ||
    compare(a.jurisdiction ?? '', b.jurisdiction ?? '')
  )
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function listIssues(basis: TaxAssessmentData, rates: TaxRates, tally: AssessmentCounts): TaxIssue[] {
  const matters = new Map<string, TaxIssue>()
  for (const product of basis.products) {
    for (const { buyer, terms } of product.cases) {
      const verdict = findSaleTaxError({ rates, basis }, product, { buyer, terms, on: basis.asOf })
      if (!verdict) continue
      const key = toTaxIssueKey(product.code, verdict)
      // The draft configuration is checked with an invented foreign buyer, so the finding does not name the buyer's country.
      const at = verdict.kind === 'reverse_charge_missing' ? { ...verdict, place: null } : verdict
      const group = tally.groups[key] ?? createTaxIssueGroup(product.code, at, terms)
      if (!matters.has(key)) matters.set(key, { key, group, drafted: { verdict, terms }, product })
    }
    const both = findMixedPricing(product, tally)
    if (both) matters.set(both.key, both)
  }
  const products = new Map(basis.products.map((product) => [product.code, product]))
  for (const [key, group] of Object.entries(tally.groups)) {
    if (!matters.has(key)) matters.set(key, { key, group, drafted: null, product: products.get(group.productCode)! })
  }
  return [...matters.values()]
}

/** Finds a product whose prices included tax for some buyers and excluded it for others. */
function findMixedPricing(product: AssessedProduct, tally: AssessmentCounts): TaxIssue | null {
  const ways = tally.ways[product.code] ?? { inclusive: false, exclusive: false }
  const drafted = product.cases.map(({ terms }) => terms).filter(({ taxCode }) => taxCode !== null)
  const inclusive = ways.inclusive || drafted.some((terms) => terms.inclusive)
  const exclusive = ways.exclusive || drafted.some((terms) => !terms.inclusive)
  if (!inclusive || !exclusive) return null
  const verdict: SaleTaxError = { kind: 'mixed_inclusive', rule: 'one-way-of-pricing', place: null, due: null }
  const terms = drafted[0] ?? { taxCode: null, rate: '0', inclusive: false }
  return {
    key: toTaxIssueKey(product.code, verdict),
    group: createTaxIssueGroup(product.code, verdict, terms),
    drafted: { verdict, terms },
    product,
  }
}
