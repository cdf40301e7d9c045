import { invalidArguments } from '../../kernel/errors.ts'
import { addDays, toDayInZone, formatInstant } from '../../kernel/time.ts'

export interface RfpDeadlines {
  questionsDueAt: Date
  responseDueAt: Date
  /** The day by which the client decides who wins the RFP, in the time zone of the event. */
  decisionOn: string
}

const DAY_MS = 86_400_000
const QUESTION_DAYS_BEFORE_DUE = 3
const FEW_WORKING_DAYS = 5

export const getDefaultQuestionsDueAt = (responseDueAt: Date): Date => new Date(responseDueAt.getTime() - QUESTION_DAYS_BEFORE_DUE * DAY_MS)

/** Throws unless now < questionsDueAt ≤ responseDueAt < decisionOn. */
export function validateRfpDeadlines({ questionsDueAt, responseDueAt, decisionOn }: RfpDeadlines, now: Date, zone: string): void {
  const errors = [
    ...(responseDueAt <= now ? [{ path: 'responseDueAt', message: `must be later than now, ${formatInstant(now)}` }] : []),
    ...(questionsDueAt <= now && responseDueAt > now
      ? [
          {
            path: 'questionsDueAt',
            message: `must be later than now, ${formatInstant(now)}. Without a value it is responseDueAt minus 3 days`,
          },
        ]
      : []),
    ...(questionsDueAt > responseDueAt ? [{ path: 'questionsDueAt', message: 'must not be later than responseDueAt' }] : []),
    ...(toDayInZone(zone, responseDueAt) >= decisionOn
      ? [{ path: 'decisionOn', message: `must be a day after responseDueAt, ${toDayInZone(zone, responseDueAt)} in ${zone}` }]
      : []),
  ]
  if (errors.length > 0) throw invalidArguments(errors)
}

/** Counts the working days (Monday to Friday) after today, up to and including the due day. */
export function countWorkingDays(now: Date, responseDueAt: Date, zone: string): number {
  const last = toDayInZone(zone, responseDueAt)
  let found = 0
  for (let day = addDays(toDayInZone(zone, now), 1); day <= last && found < FEW_WORKING_DAYS; day = addDays(day, 1))
    if (![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())) found++
  return found
}

export function warnAboutShortDeadline({ responseDueAt }: Pick<RfpDeadlines, 'responseDueAt'>, now: Date, zone: string): string[] {
  const workingDays = countWorkingDays(now, responseDueAt, zone)
  if (workingDays >= FEW_WORKING_DAYS) return []
  return [
    `Responses are due in ${workingDays} working ${workingDays === 1 ? 'day' : 'days'}. Suppliers usually need at least ${FEW_WORKING_DAYS}.`,
  ]
}
