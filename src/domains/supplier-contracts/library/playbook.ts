import type { SourcingSettings } from '../../tenancy/sourcing-settings.ts'

/** The values that the client accepts for a variable of a clause. */
export type PlaybookEntry = NonNullable<SourcingSettings['playbook']>[string][string]
export type Playbook = Record<string, Record<string, PlaybookEntry>>

const lower = (standard: number, fallback: number, walkAway: number, step: number): PlaybookEntry => ({
  standard,
  fallback,
  walkAway,
  step,
  better: 'lower',
})
const higher = (standard: number, fallback: number, walkAway: number, step: number): PlaybookEntry => ({
  ...lower(standard, fallback, walkAway, step),
  better: 'higher',
})

/**
 * The default playbook from the client's perspective: standard, fallback, limit and step by clause and variable. It contains no amounts,
 * because these depend on the offer.
 */
export const DEFAULT_PLAYBOOK: Playbook = {
  rates: { shoulderDays: higher(3, 2, 0, 1) },
  cutoff: { cutoffDays: lower(30, 35, 45, 1) },
  attrition: { commitPercent: lower(80, 85, 90, 5), profitPercent: lower(75, 80, 100, 5) },
  cancellation: {
    step1Days: lower(90, 120, 180, 10),
    step1Percent: lower(50, 60, 75, 5),
    step2Days: lower(30, 45, 60, 5),
    step2Percent: lower(90, 95, 100, 5),
    paymentDays: higher(30, 21, 14, 1),
  },
  deposits: { deposit1Percent: lower(10, 20, 50, 5), deposit2Percent: lower(25, 40, 75, 5), refundDays: lower(30, 45, 60, 5) },
  foodMinimum: { guaranteeDays: lower(3, 5, 10, 1), menuRisePercent: lower(3, 5, 10, 1) },
  comps: { compPer: lower(50, 60, 100, 5) },
  commission: { commissionPercent: higher(10, 8, 5, 1), commissionDays: lower(30, 45, 60, 5) },
  masterAccount: { paymentDays: higher(30, 21, 14, 1) },
  forceMajeure: { absentPercent: lower(40, 50, 70, 5), noticeDays: higher(10, 7, 3, 1) },
  relocation: { maxKm: lower(2, 3, 5, 0.5) },
  construction: { noticeDays: higher(60, 30, 14, 5) },
  ownership: { noticeDays: lower(30, 45, 90, 5) },
  insurance: { certificateDays: lower(30, 45, 90, 5) },
  accessibility: { noticeDays: lower(14, 21, 30, 1) },
  dataPrivacyPci: { breachHours: lower(48, 72, 120, 12) },
  audit: { reportDays: lower(14, 21, 45, 1) },
  disputes: { negotiationDays: lower(30, 45, 90, 5) },
}

/** Returns the playbook of a client, whose own entries replace the default entries. */
export function readPlaybook({ playbook = {} }: Pick<SourcingSettings, 'playbook'>): Playbook {
  const keys = new Set([...Object.keys(DEFAULT_PLAYBOOK), ...Object.keys(playbook)])
  return Object.fromEntries([...keys].map((key) => [key, { ...DEFAULT_PLAYBOOK[key], ...playbook[key] }]))
}

/** Finds the playbook entry of a variable of a clause; undefined if there is none. */
export const findPlaybookEntry = (playbook: Playbook, key: string, name: string): PlaybookEntry | undefined =>
  Object.hasOwn(playbook, key) && Object.hasOwn(playbook[key]!, name) ? playbook[key]![name] : undefined
