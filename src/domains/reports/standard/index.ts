import { ACCOUNTING_REPORTS } from './accounting.ts'
import { REGISTRATION_ANSWER_REPORTS } from './answers.ts'
import { EXHIBITOR_REPORTS } from './exhibitors.ts'
import { GROUP_REPORTS } from './groups.ts'
import { HOUSING_REPORTS } from './housing.ts'
import { ONSITE_REPORTS } from './onsite.ts'
import { MISCELLANEOUS_REPORTS } from './others.ts'
import { PARTICIPANT_REPORTS } from './participants.ts'
import { RECEIVABLE_REPORTS } from './receivables.ts'
import { REGISTRATION_REPORTS } from './registrations.ts'
import { REVENUE_REPORTS } from './revenue.ts'
import type { StandardReport } from './types.ts'

/** The codes of the standard reports, in the sequence in which lists show them. */
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
  ...REGISTRATION_REPORTS,
  ...PARTICIPANT_REPORTS,
  ...REGISTRATION_ANSWER_REPORTS,
  ...GROUP_REPORTS,
  ...REVENUE_REPORTS,
  ...RECEIVABLE_REPORTS,
  ...ACCOUNTING_REPORTS,
  ...ONSITE_REPORTS,
  ...HOUSING_REPORTS,
  ...EXHIBITOR_REPORTS,
  ...MISCELLANEOUS_REPORTS,
]

/** All standard reports by code, in the sequence in which lists show them. */
export const STANDARD_REPORTS: ReadonlyMap<string, StandardReport> = new Map(
  ORDER.flatMap((code) => ALL.filter((report) => report.code === code).map((report) => [code, report] as const)),
)
