import { invalidArguments } from './errors.ts'
import { cleanText } from './clean-text.ts'

const DAY_MS = 86_400_000
const ZONE_PATTERN = /^[A-Z][A-Za-z]*(\/[A-Z][A-Za-z0-9_+-]*)+$/
const DAY_PATTERN = /^[1-9]\d{3}-\d{2}-\d{2}$/
const INSTANT_PATTERN = /^([1-9]\d{3}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const WALL_TIME_PATTERN = /^([1-9]\d{3}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/

/**
 * Whether a time zone name is accepted: Area/Location names, UTC and GMT. Offsets and abbreviations are rejected: people write EST and
 * mean New York, which has daylight saving time.
 */
export function isTimeZoneName(name: string): boolean {
  if (name === 'UTC' || name === 'GMT') return true
  if (!ZONE_PATTERN.test(name)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions()
    // Intl accepts time zone names in any case, but other programs may not, so the case is checked. Former names of a zone are accepted.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}

export const formatInstant = (date: Date) => date.toISOString()

/** Parses an instant. Accepts any UTC offset but requires one: without it, the text is only a local time. */
export function parseInstant(text: string): Date | null {
  const match = INSTANT_PATTERN.exec(text)
  return match && isCalendarDay(match[1] ?? '') ? new Date(text) : null
}

/** Whether the text is a day that exists in the calendar, in the years 1000 to 9999. */
export function isCalendarDay(text: string): boolean {
  return parseDay(text) !== null
}

const MONTHS = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' })

/** Explains why a well-formed day, or the day of an instant, does not exist in the calendar. Null for anything else. */
export function explainImpossibleDay(text: string): string | null {
  const [, day = '', year, month, number] = /^(([1-9]\d{3})-(\d{2})-(\d{2}))(?:T|$)/.exec(text.trim()) ?? []
  if (day === '' || isCalendarDay(day)) return null
  if (Number(month) < 1 || Number(month) > 12) return `no such day: there is no month ${month}`
  if (Number(number) < 1) return `no such day: there is no day ${number}`
  const last = new Date(Date.UTC(Number(year), Number(month), 0))
  return `no such day: ${MONTHS.format(last)} ${year} has ${last.getUTCDate()} days`
}

export function addDays(day: string, days: number): string {
  const text = dayText(dayMs(day) + days * DAY_MS)
  if (!DAY_PATTERN.test(text)) throw invalid(`${days} days from ${day} is out of range`)
  return text
}

/** Returns the same day of a later or earlier month, or that month's last day if the month is shorter. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  const first = new Date(Date.UTC(year, month - 1 + months, 1))
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return dayText(first.getTime() + (Math.min(date, last) - 1) * DAY_MS)
}

export const daysBetween = (from: string, to: string) => (dayMs(to) - dayMs(from)) / DAY_MS

export const toDayInZone = (zone: string, instant: Date) => dayText(wallClock(zone, instant.getTime()))

/** Returns the instant at which a day starts: 00:00, or the first instant of the day where the clocks skip midnight. */
export const startOfDay = (zone: string, day: string) => new Date(instantOf(zone, dayMs(day)))

/** Returns the exclusive end of a day: the start of the next day. A day has 23 to 25 hours, or none where a zone crossed the date line. */
export const endOfDay = (zone: string, day: string) => new Date(instantOf(zone, dayMs(day) + DAY_MS))

/** Returns the local time of an instant to the second, in the format that `wallTimeToInstant` reads. */
export const toWallTimeInZone = (zone: string, instant: Date) => new Date(wallClock(zone, instant.getTime())).toISOString().slice(0, 19)

/**
 * Converts a local time to an instant. A local time within a clock change gap becomes the first instant after the gap; of an ambiguous
 * time the earlier instant is used.
 */
export function wallTimeToInstant(zone: string, wallTime: string): Date {
  const match = WALL_TIME_PATTERN.exec(wallTime)
  if (!match || !isCalendarDay(match[1] ?? '')) throw invalid(`${quote(wallTime)} is not a local time; write it as "2026-05-01T09:00"`)
  return new Date(instantOf(zone, Date.parse(`${wallTime}Z`)))
}

/** A local time (`wall`, `wallClock`) is a number here: the instant with the same date and time in UTC, to the second. */
function instantOf(zone: string, wall: number): number {
  // No zone is a whole day away from UTC, so these are the offsets before and after any clock change at this local time.
  const offsets = [offsetAt(zone, wall - DAY_MS), offsetAt(zone, wall + DAY_MS)]
  const earliest = wall - Math.max(...offsets)
  const latest = wall - Math.min(...offsets)
  for (const instant of [earliest, latest]) if (wallClock(zone, instant) === wall) return instant

  let [before, after] = [earliest, latest]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (wallClock(zone, middle) > wall) after = middle
    else before = middle
  }
  return after
}

const offsetAt = (zone: string, instant: number) => wallClock(zone, instant) - instant

function wallClock(zone: string, instant: number): number {
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, seconds = 0] = (clockOf(zone).format(instant).match(/\d+/g) ?? []).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, seconds)
}

// Formatters are cached: building one costs a hundred times as much as using it.
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone)
  if (!clock) {
    const [numeric, digits] = ['numeric', '2-digit'] as const
    const fields = { year: numeric, month: digits, day: digits, hour: digits, minute: digits, second: digits }
    clock = new Intl.DateTimeFormat('en-US', { timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23', ...fields })
    clocks.set(zone, clock)
  }
  return clock
}

function dayMs(day: string): number {
  const ms = parseDay(day)
  if (ms === null) throw invalid(`${quote(day)} is not a day; write it as "2026-05-01"`)
  return ms
}

function parseDay(text: string): number | null {
  if (!DAY_PATTERN.test(text)) return null
  const ms = Date.parse(`${text}T00:00:00Z`)
  // Date turns 30 February into March, so the result must equal the input.
  return dayText(ms) === text ? ms : null
}

const dayText = (ms: number) => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString().slice(0, 10) : '')
const quote = (text: string) => JSON.stringify(cleanText(text, 40))
const invalid = (message: string) => invalidArguments([{ path: '', message }])
