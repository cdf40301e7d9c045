import { addDays, addMonths, toDayInZone, wallTimeToInstant } from '../../../../kernel/time.ts'

/**
 * The schedule of a delivery: every day, on a weekday (1 is Monday) or on a day of the month, at a time of day in the event's time zone.
 */
export interface DeliverySchedule {
  every: 'day' | 'week' | 'month'
  weekday?: number | null | undefined
  monthDay?: number | null | undefined
  at: string
  /** The last day on which the delivery is sent. */
  until: string
}

/**
 * Lists the next delivery times after an instant, at most `count`. A local time that is skipped when clocks change becomes the first
 * instant after the gap; a local time that occurs twice is its first occurrence. In months without the day of the month, the last day is
 * used.
 */
export function listNextDeliveryTimes(schedule: DeliverySchedule, zone: string, after: Date, count: number): Date[] {
  const times: Date[] = []
  let day = firstDay(schedule, toDayInZone(zone, after))
  while (times.length < count && day <= schedule.until) {
    const time = wallTimeToInstant(zone, `${day}T${schedule.at}`)
    if (time > after) times.push(time)
    day = nextDay(schedule, day)
  }
  return times
}

export const findNextDeliveryTime = (schedule: DeliverySchedule, zone: string, after: Date): Date | null =>
  listNextDeliveryTimes(schedule, zone, after, 1)[0] ?? null

/** Returns the delivery time on the same day in another time zone. */
export const moveDeliveryTimeToZone = ({ at }: DeliverySchedule, time: Date, from: string, to: string): Date =>
  wallTimeToInstant(to, `${toDayInZone(from, time)}T${at}`)

/** Returns the ISO weekday of a day; 1 is Monday. */
const weekdayOf = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay() || 7

function firstDay({ every, weekday, monthDay }: DeliverySchedule, from: string): string {
  if (every === 'week') return addDays(from, (weekday! - weekdayOf(from) + 7) % 7)
  if (every === 'day') return from
  const day = dayOfMonth(from, monthDay!)
  return day < from ? dayOfMonth(addMonths(`${from.slice(0, 7)}-01`, 1), monthDay!) : day
}

function nextDay({ every, monthDay }: DeliverySchedule, day: string): string {
  if (every === 'day') return addDays(day, 1)
  if (every === 'week') return addDays(day, 7)
  return dayOfMonth(addMonths(`${day.slice(0, 7)}-01`, 1), monthDay!)
}

/** Returns the date with the given day number in the month of `day`, or the last day of the month if the month is shorter. */
function dayOfMonth(day: string, wanted: number): string {
  const first = `${day.slice(0, 7)}-01`
  const last = addDays(addMonths(first, 1), -1)
  return addDays(first, Math.min(wanted, Number(last.slice(8))) - 1)
}
