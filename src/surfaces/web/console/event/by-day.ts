import { addDays, daysBetween } from '../../../../kernel/time.ts'

interface Day {
  day: string
  completed: number
  cancelled: number
}

export interface Stretch {
  label: string
  completed: number
  cancelled: number
  /** All who are registered at its end. */
  cumulative: number
}

export interface ByDay {
  unit: 'day' | 'week' | 'month'
  stretches: Stretch[]
}

/** So many columns still tell something on a phone. */
const MOST = 62

/** Registrations from the first day until today, in days, weeks or months: as fine as can be drawn. Days without any count too. */
export function byDayUntil(days: readonly Day[], today: string): ByDay {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (first === undefined || last === undefined) return { unit: 'day', stretches: [] }
  const until = last > today ? last : today
  const span = daysBetween(first, until) + 1
  const unit = span <= MOST ? 'day' : span <= MOST * 7 ? 'week' : 'month'
  const begins = BEGINS[unit]
  const grouped = Map.groupBy(days, ({ day }) => begins(day))
  let cumulative = 0
  const stretches: Stretch[] = []
  for (let from = begins(first); from <= until; from = NEXT[unit](from)) {
    const inside = grouped.get(from) ?? []
    const [completed, cancelled] = [sum(inside, 'completed'), sum(inside, 'cancelled')]
    cumulative += completed - cancelled
    stretches.push({ label: LABELS[unit](from), completed, cancelled, cumulative })
  }
  return { unit, stretches }
}

const sum = (days: readonly Day[], of: 'completed' | 'cancelled') => days.reduce((total, day) => total + day[of], 0)

const MONDAY = '2024-01-01'

const BEGINS: Record<ByDay['unit'], (day: string) => string> = {
  day: (day) => day,
  week: (day) => addDays(day, -(((daysBetween(MONDAY, day) % 7) + 7) % 7)),
  month: (day) => `${day.slice(0, 7)}-01`,
}

const NEXT: Record<ByDay['unit'], (from: string) => string> = {
  day: (from) => addDays(from, 1),
  week: (from) => addDays(from, 7),
  month: (from) => BEGINS.month(addDays(from, 31)),
}

const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

const LABELS: Record<ByDay['unit'], (from: string) => string> = {
  day: (from) => short.format(new Date(from)),
  week: (from) => `from ${short.format(new Date(from))}`,
  month: (from) => month.format(new Date(from)),
}
