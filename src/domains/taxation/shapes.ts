import { z } from 'zod'
import { toOneLine, count, flag, id, keepNullInResult, list, money, object, oneOf, truncationResult } from '../../kernel/args.ts'
import { toMoney } from '../../kernel/money.ts'
import type { TaxAssessmentData } from './basis.ts'
import { type TaxFinding, TAX_FINDING_SEVERITIES } from './findings.ts'
import { TAX_FINDING_KINDS } from './judge.ts'

/** Numbers of order lines, orders and buyers that a tax assessment covered, stored with its findings. */
export interface AssessedOrderStatistics {
  lines: number
  orders: number
  buyers: Record<string, number>
}

const Terms = object({ taxCode: z.string().nullable(), rate: z.string(), inclusive: flag() })

const FindingShape = object({
  id: id(),
  kind: oneOf(TAX_FINDING_KINDS),
  severity: oneOf(TAX_FINDING_SEVERITIES),
  productCode: z.string(),
  current: keepNullInResult(Terms.nullable()),
  recommended: Terms.optional(),
  jurisdiction: z.string().nullable(),
  reason: z.string(),
  ruleId: z.string(),
  rateTableVersion: z.string(),
  exposure: object({ lines: count(), under: money(), over: money() }),
  applicable: flag(),
})

const Place = object({ country: z.string(), region: z.string().nullable() })
const Registration = object({ country: z.string(), region: z.string().optional(), from: z.string(), until: z.string().optional() })

/** The result of a tax assessment. The optional fields are set when the assessment is done. */
export const AssessmentShape = {
  assessmentId: id(),
  jobId: id(),
  status: oneOf(['queued', 'running', 'done', 'failed']),
  progress: object({ done: count(), total: count().nullable() }),
  error: z.string().nullable().optional(),
  asOf: z.string(),
  findings: toOneLine(list(FindingShape), 'id, kind, severity, productCode, current, recommended, reason, exposure, applicable').optional(),
  totals: toOneLine(
    object({
      findings: count(),
      high: count(),
      medium: count(),
      low: count(),
      lines: count(),
      under: money(),
      over: money(),
    }),
    'findings, high, medium, low, lines, under, over',
  ).optional(),
  inputs: toOneLine(
    object({
      venue: Place,
      establishedIn: z.string(),
      registrations: list(Registration),
      buyersByCountry: list(object({ country: keepNullInResult(z.string().nullable()), orders: count() })),
    }),
    'venue, establishedIn, registrations, buyersByCountry',
  ).optional(),
  notice: z.string().optional(),
  ...truncationResult,
}

export const NOT_LEGAL_ADVICE_NOTICE = 'This is not legal advice. Rates and rules are the usual ones; consult a tax adviser.'

export type RecommendedTaxTreatment = z.output<typeof Terms>

export function toTaxFindingResult({ change, exposure, current, ...finding }: TaxFinding, currency: string): z.input<typeof FindingShape> {
  return {
    ...finding,
    current,
    ...(change ? { recommended: toRecommendedTerms(change, current) } : {}),
    exposure: { lines: exposure.lines, under: toMoney(exposure.under, currency), over: toMoney(exposure.over, currency) },
    applicable: change !== null,
  }
}

/** Returns the tax that new orders get if the organizer makes the recommended change. */
const toRecommendedTerms = ({ tax }: NonNullable<TaxFinding['change']>, current: TaxFinding['current']): RecommendedTaxTreatment =>
  tax
    ? { taxCode: tax.code, rate: tax.rate, inclusive: tax.inclusive }
    : { taxCode: null, rate: '0', inclusive: current?.inclusive ?? false }

export function toAssessmentTotals(findings: readonly TaxFinding[], { lines }: AssessedOrderStatistics, currency: string) {
  const having = (severity: TaxFinding['severity']) => findings.filter((one) => one.severity === severity).length
  const sum = (side: 'under' | 'over') =>
    toMoney(
      findings.reduce((total, { exposure }) => total + exposure[side], 0),
      currency,
    )
  return {
    findings: findings.length,
    high: having('high'),
    medium: having('medium'),
    low: having('low'),
    lines,
    under: sum('under'),
    over: sum('over'),
  }
}

export const toTaxAssessmentInputs = ({ venue, establishedIn, registrations }: TaxAssessmentData, { buyers }: AssessedOrderStatistics) => ({
  venue,
  establishedIn,
  registrations: registrations.map(({ number: _number, ...place }) => place),
  buyersByCountry: Object.entries(buyers)
    .map(([country, orders]) => ({ country: country || null, orders }))
    .toSorted((a, b) => b.orders - a.orders || ((a.country ?? '') < (b.country ?? '') ? -1 : 1)),
})
