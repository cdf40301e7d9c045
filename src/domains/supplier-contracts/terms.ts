import { parseDecimal, computePercentOfAmount, sumMinorUnits, toMinorUnits } from '../../kernel/money.ts'
import { isCalendarDay } from '../../kernel/time.ts'
import type { Clause, ClauseVariables } from './tables.ts'

/** The terms of one contract version as values, from which milestones and the room contract are derived. Amounts are in minor units. */
export interface SupplierContractTerms {
  arrival: string | null
  departure: string | null
  nights: { night: string; rooms: number }[]
  taxPercent: number | null
  feePerNight: number | null
  cutoffOn: string | null
  roomingListOn: string | null
  nameDeadlineOn: string | null
  reviewDates: { on: string; maxReducePercent: number }[]
  attrition: { method: 'cumulative' | 'nightly'; commitPercent: number | null; profitPercent: number; creditResold: boolean }
  /** The steps of the cancellation fee, earliest first: from `daysBefore` days before arrival, `percent` percent are owed. */
  cancellation: { daysBefore: number; percent: number }[]
  /** The deposits. A deposit without `daysBefore` is due on signing. */
  deposits: { daysBefore?: number; percent?: number; amount?: number }[]
  foodMinimum: number
  foodGuaranteeDays: number
  rental: number
  compPer: number | null
  rebatePerRoomNight: number | null
  commissionPercent: number | null
  insuranceDays: number
  reportDays: number
}

/** The texts with which the clauses `attrition` and `roomBlock` state the counting method and the resale credit. */
export const ATTRITION_COUNTING_TEXTS = { cumulative: 'over all nights', nightly: 'night by night' } as const
export const RESALE_CREDIT_TEXTS = { full: 'in full', none: 'not at all' } as const

/** Reads the terms from the variables of a version's clauses. A removed clause has no terms. */
export function readTermsFromClauses(clauses: readonly Clause[], currency: string): SupplierContractTerms {
  const of = readVars(clauses, currency)
  return {
    arrival: of.day('roomBlock', 'arrival'),
    departure: of.day('roomBlock', 'departure'),
    nights: of.numbered('roomBlock', /^night(\d+)$/, (n) => {
      const [night, rooms] = [of.day('roomBlock', `night${n}`), of.number('roomBlock', `night${n}Rooms`)]
      return night === null || rooms === null ? null : { night, rooms }
    }),
    taxPercent: of.number('rates', 'taxPercent'),
    feePerNight: of.amount('rates', 'feePerNight'),
    cutoffOn: of.day('cutoff', 'cutoffOn'),
    roomingListOn: of.day('cutoff', 'roomingListOn'),
    nameDeadlineOn: of.day('cutoff', 'nameDeadlineOn'),
    reviewDates: of.numbered('attrition', /^review(\d+)On$/, (n) => {
      const [on, percent] = [of.day('attrition', `review${n}On`), of.number('attrition', `review${n}Percent`)]
      return on === null || percent === null ? null : { on, maxReducePercent: percent }
    }),
    attrition: {
      method: of.text('attrition', 'counting') === ATTRITION_COUNTING_TEXTS.nightly ? 'nightly' : 'cumulative',
      commitPercent: of.number('attrition', 'commitPercent'),
      profitPercent: of.number('attrition', 'profitPercent') ?? 100,
      creditResold: of.text('attrition', 'resaleCredit') !== RESALE_CREDIT_TEXTS.none,
    },
    cancellation: of
      .numbered('cancellation', /^step(\d+)Days$/, (n) => {
        const [daysBefore, percent] = [of.number('cancellation', `step${n}Days`), of.number('cancellation', `step${n}Percent`)]
        return daysBefore === null || percent === null ? null : { daysBefore, percent }
      })
      .toSorted((a, b) => b.daysBefore - a.daysBefore),
    deposits: of.numbered('deposits', /^deposit(\d+)(?:Percent|Amount)$/, (n) => readDeposit(of, n)),
    foodMinimum: of.amount('foodMinimum', 'minimum') ?? 0,
    foodGuaranteeDays: of.number('foodMinimum', 'guaranteeDays') ?? 3,
    rental: of.amount('functionSpace', 'rental') ?? 0,
    compPer: of.number('comps', 'compPer'),
    rebatePerRoomNight: of.amount('concessions', 'rebate'),
    commissionPercent: of.number('commission', 'commissionPercent'),
    insuranceDays: of.number('insurance', 'certificateDays') ?? 30,
    reportDays: of.number('audit', 'reportDays') ?? 14,
  }
}

function readDeposit(of: ReturnType<typeof readVars>, n: string): SupplierContractTerms['deposits'][number] | null {
  const days = of.number('deposits', `deposit${n}Days`)
  const percent = of.number('deposits', `deposit${n}Percent`)
  const amount = of.amount('deposits', `deposit${n}Amount`)
  if (percent === null && amount === null) return null
  return { ...(days === null ? {} : { daysBefore: days }), ...(percent === null ? { amount: amount! } : { percent }) }
}

/** Returns functions that read variables of clauses by type. A variable with a value of another type counts as missing. */
function readVars(clauses: readonly Clause[], currency: string) {
  const varsOf = (key: string): ClauseVariables => clauses.find((one) => one.key === key)?.vars ?? {}
  const value = (key: string, name: string) => varsOf(key)[name] ?? null
  const number = (key: string, name: string) => {
    const found = value(key, name)
    return typeof found === 'number' ? found : null
  }
  const text = (key: string, name: string) => {
    const found = value(key, name)
    return typeof found === 'string' ? found : null
  }
  return {
    number,
    text,
    day: (key: string, name: string) => {
      const found = text(key, name)
      return found !== null && isCalendarDay(found) ? found : null
    },
    amount: (key: string, name: string) => {
      const [amount = '', of] = (text(key, name) ?? '').split(' ')
      return of === currency && parseDecimal(amount) ? toMinorUnits(amount, currency) : null
    },
    /** Lists the values of variables whose names end with a number, sorted by that number. */
    numbered<T>(key: string, pattern: RegExp, read: (n: string) => T | null): T[] {
      const numbers = new Set(Object.keys(varsOf(key)).flatMap((name) => pattern.exec(name)?.[1] ?? []))
      return [...numbers].toSorted((a, b) => Number(a) - Number(b)).flatMap((n) => read(n) ?? [])
    },
  }
}

/** Computes the amount that the client owes in any case: room revenue at the committed percentage, food minimum and rental. */
export function sumCommittedAmounts(
  { attrition, foodMinimum, rental }: Pick<SupplierContractTerms, 'attrition' | 'foodMinimum' | 'rental'>,
  revenue: number,
): number {
  // Without an agreed percentage, all rooms are committed.
  const rooms = computePercentOfAmount(revenue, String(attrition.commitPercent ?? 100))
  return sumMinorUnits([rooms, foodMinimum, rental])
}
