import { ACCOUNTING } from './accounting.ts'
import { ANSWERS } from './answers.ts'
import { EXHIBITORS } from './exhibitors.ts'
import { GROUPS } from './groups.ts'
import { HOUSING } from './housing.ts'
import { ONSITE } from './onsite.ts'
import { OTHERS } from './others.ts'
import { PARTICIPANTS } from './participants.ts'
import { RECEIVABLES } from './receivables.ts'
import { REGISTRATIONS } from './registrations.ts'
import { REVENUE } from './revenue.ts'
import type { StandardReport } from './types.ts'

/** The codes of the standard reports in the order of lists. */
const ORDER: readonly string[] = [
  'registrations-by-day',
  'registrations-by-flow',
  'registration-pace',
  'participant-list',
  'incomplete-registrations',
  'cancellations',
  'flow-funnel',
  'answers',
  'dietary-and-access',
  'badge-list',
  'group-roster',
  'group-balances',
  'waitlists',
  'inventory',
  'revenue-by-product',
  'revenue-by-day',
  'discount-usage',
  'balance-due',
  'payments-received',
  'refunds-and-credits',
  'invoice-register',
  'tax-report',
  'accounting-ledger',
  'attendance-by-day',
  'no-shows',
  'session-attendance',
  'attendance-minutes',
  'housing-pickup',
  'rooming-list',
  'block-requests',
  'exhibitor-list',
  'exhibitor-statement',
  'booth-sales',
  'lead-counts',
  'appointments',
  'speakers-and-submissions',
  'email-performance',
  'upsell-performance',
  'survey-summary',
  'audit-log',
]

const ALL: readonly StandardReport[] = [
  ...REGISTRATIONS,
  ...PARTICIPANTS,
  ...ANSWERS,
  ...GROUPS,
  ...REVENUE,
  ...RECEIVABLES,
  ...ACCOUNTING,
  ...ONSITE,
  ...HOUSING,
  ...EXHIBITORS,
  ...OTHERS,
]

/** All standard reports by code, in the order of lists. */
export const STANDARD_REPORTS: ReadonlyMap<string, StandardReport> = new Map(
  ORDER.flatMap((code) => ALL.filter((report) => report.code === code).map((report) => [code, report] as const)),
)
