import { MAIL_METRICS } from './mail.ts'
import { MONEY_METRICS } from './money.ts'
import { ONSITE_METRICS } from './onsite.ts'
import { HOUSING_AND_EXHIBITOR_METRICS } from './housing-and-exhibitors.ts'
import { REGISTRATION_METRICS } from './registrations.ts'
import { SURVEY_METRICS } from './surveys.ts'
import type { Metric } from './types.ts'

const LIST: readonly Metric[] = [
  ...REGISTRATION_METRICS,
  ...MONEY_METRICS,
  ...ONSITE_METRICS,
  ...HOUSING_AND_EXHIBITOR_METRICS,
  ...MAIL_METRICS,
  ...SURVEY_METRICS,
]

/** Every metric, by code. */
export const METRICS: ReadonlyMap<string, Metric> = new Map(LIST.map((metric) => [metric.code, metric]))
