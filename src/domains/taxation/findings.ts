import { digestOf } from '../../kernel/canonical.ts'
import type { TaxRates } from '../../kernel/ports.ts'
import type { AssessedProduct, Basis, Terms } from './basis.ts'
import { type FindingKind, judge, plainRate, type Verdict } from './judge.ts'
import { type Change, recommender } from './recommend.ts'
import { reasonOf } from './reasons.ts'
import { emptyGroup, type Group, groupKey, type Tally } from './tally.ts'

export const SEVERITIES = ['high', 'medium', 'low'] as const
type Severity = (typeof SEVERITIES)[number]

/** As it is kept; amounts in minor units. */
export interface Finding {
  id: string
  kind: FindingKind
  severity: Severity
  productCode: string
  current: Terms | null
  jurisdiction: string | null
  reason: string
  ruleId: string
  rateTableVersion: string
  exposure: { lines: number; under: number; over: number }
  /** What to do to the draft about it; null where that is not what helps. */
  change: Change | null
}

/** Of one assessment: two assessments that find the same are still two. */
export const findingId = (assessmentId: string, key: string): string => digestOf([assessmentId, key]).toString('hex').slice(0, 24)

/** One matter: what lines have of it, and how the draft would do it again. */
export interface Matter {
  key: string
  group: Group
  /** What the draft says now that makes the next order wrong; null: it is right by now, or says nothing about it. */
  drafted: { verdict: Verdict; terms: Terms } | null
  product: AssessedProduct
}

/** Everything there is to say, the worst first. The same for the same lines, rates and draft, whenever and in whatever batches. */
export function findingsOf(assessmentId: string, basis: Basis, rates: TaxRates, tally: Tally): Finding[] {
  const recommend = recommender(basis, rates)
  return mattersOf(basis, rates, tally)
    .map((matter): Finding => {
      const { group, drafted, key } = matter
      const { kind, productCode, rule, lines, under, over } = group
      const terms = drafted?.terms ?? group.terms
      return {
        id: findingId(assessmentId, key),
        kind,
        severity: under + over > 0 ? 'high' : drafted && WRONG_NEXT.has(kind) ? 'medium' : 'low',
        productCode,
        current: terms.taxCode === null ? null : { ...terms, rate: plainRate(terms.rate) },
        jurisdiction: group.places.length === 1 ? group.places[0]! : null,
        reason: reasonOf(matter, basis, tally),
        ruleId: rule,
        rateTableVersion: rates.version,
        exposure: { lines, under, over },
        change: recommend(matter),
      }
    })
    .toSorted(worstFirst)
}

/** What the draft would get wrong. Of the others nobody knows whether it is. */
const WRONG_NEXT: ReadonlySet<FindingKind> = new Set([
  'wrong_rate',
  'wrong_jurisdiction',
  'missing_tax',
  'tax_not_due',
  'reverse_charge_missing',
  'rate_expired',
])

function worstFirst(a: Finding, b: Finding): number {
  const bySeverity = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
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

function mattersOf(basis: Basis, rates: TaxRates, tally: Tally): Matter[] {
  const matters = new Map<string, Matter>()
  for (const product of basis.products) {
    for (const { buyer, terms } of product.cases) {
      const verdict = judge({ rates, basis }, product, { buyer, terms, on: basis.asOf })
      if (!verdict) continue
      const key = groupKey(product.code, verdict)
      // The buyer abroad of the draft is made up: only lines say where buyers are.
      const at = verdict.kind === 'reverse_charge_missing' ? { ...verdict, place: null } : verdict
      const group = tally.groups[key] ?? emptyGroup(product.code, at, terms)
      if (!matters.has(key)) matters.set(key, { key, group, drafted: { verdict, terms }, product })
    }
    const both = mixedWays(product, tally)
    if (both) matters.set(both.key, both)
  }
  const products = new Map(basis.products.map((product) => [product.code, product]))
  for (const [key, group] of Object.entries(tally.groups)) {
    if (!matters.has(key)) matters.set(key, { key, group, drafted: null, product: products.get(group.productCode)! })
  }
  return [...matters.values()]
}

/** Prices of one product held the tax for some and not for others. */
function mixedWays(product: AssessedProduct, tally: Tally): Matter | null {
  const ways = tally.ways[product.code] ?? { inclusive: false, exclusive: false }
  const drafted = product.cases.map(({ terms }) => terms).filter(({ taxCode }) => taxCode !== null)
  const inclusive = ways.inclusive || drafted.some((terms) => terms.inclusive)
  const exclusive = ways.exclusive || drafted.some((terms) => !terms.inclusive)
  if (!inclusive || !exclusive) return null
  const verdict: Verdict = { kind: 'mixed_inclusive', rule: 'one-way-of-pricing', place: null, due: null }
  const terms = drafted[0] ?? { taxCode: null, rate: '0', inclusive: false }
  return { key: groupKey(product.code, verdict), group: emptyGroup(product.code, verdict, terms), drafted: { verdict, terms }, product }
}
