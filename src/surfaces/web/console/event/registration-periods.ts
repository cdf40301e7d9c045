import { addDays, daysBetween } from '../../../../kernel/time.ts'

interface Day {
  day: string
  completed: number
  cancelled: number
}

export interface RegistrationPeriod {
  label: string
  completed: number
  cancelled: number
  /** Total number of registrations at the end of the day, week or month. */
  cumulative: number
}

export interface RegistrationPeriodSeries {
  unit: 'day' | 'week' | 'month'
  periods: RegistrationPeriod[]
}

/** Maximum number of columns of the chart, because more are unreadable on a phone. */
const MAX_COLUMNS = 62

/**
 * Groups registrations from the first day until today by day, week or month, whichever is the finest that fits. Includes days without
 * registrations.
 */
export function groupRegistrationsByPeriod(days: readonly Day[], today: string): RegistrationPeriodSeries {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (first === undefined || last === undefined) return { unit: 'day', periods: [] }
  const until = last > today ? last : today
  const span = daysBetween(first, until) + 1
  const unit = span <= MAX_COLUMNS ? 'day' : span <= MAX_COLUMNS * 7 ? 'week' : 'month'
  const begins = PERIOD_START[unit]
  const grouped = Map.groupBy(days, ({ day }) => begins(day))
  let cumulative = 0
  const periods: RegistrationPeriod[] = []
  for (let from = begins(first); from <= until; from = NEXT_PERIOD[unit](from)) {
    const inside = grouped.get(from) ?? []
    const [completed, cancelled] = [sum(inside, 'completed'), sum(inside, 'cancelled')]
    cumulative += completed - cancelled
    periods.push({ label: LABELS[unit](from), completed, cancelled, cumulative })
  }
  return { unit, periods }
}

const sum = (days: readonly Day[], of: 'completed' | 'cancelled') => days.reduce((total, day) => total + day[of], 0)

const MONDAY = '2024-01-01'

const PERIOD_START: Record<RegistrationPeriodSeries['unit'], (day: string) => string> = {
  day: (day) => day,
  week: (day) => addDays(day, -(((daysBetween(MONDAY, day) % 7) + 7) % 7)),
  month: (day) => `${day.slice(0, 7)}-01`,
}

const NEXT_PERIOD: Record<RegistrationPeriodSeries['unit'], (from: string) => string> = {
  day: (from) => addDays(from, 1),
  week: (from) => addDays(from, 7),
  month: (from) => PERIOD_START.month(addDays(from, 31)),
}

const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

const LABELS: Record<RegistrationPeriodSeries['unit'], (from: string) => string> = {
  day: (from) => short.format(new Date(from)),
  week: (from) => `from ${short.format(new Date(from))}`,
  month: (from) => month.format(new Date(from)),
}
