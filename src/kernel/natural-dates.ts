import { makeLazy } from './lazy.ts'
import { addDays, isCalendarDay } from './time.ts'

/** Languages whose names of months and weekdays are recognized in dates. */
const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt']

const normalize = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}|\./gu, '')
    .trim()

/** Maps the long and short names of months or weekdays in all languages to their number. */
function namesOf(field: 'month' | 'weekday', dates: readonly number[]): Map<string, number> {
  const names = new Map<string, number>()
  for (const locale of LOCALES)
    for (const style of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(locale, { [field]: style, timeZone: 'UTC' })
      dates.forEach((date, index) => {
        const name = normalize(format.format(date))
        if (name.length >= 3 && !names.has(name)) names.set(name, index)
      })
    }
  return names
}

const months = makeLazy(() =>
  namesOf(
    'month',
    Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 15)),
  ),
)
/** Weekday numbers by name. 7 January 2024 was a Sunday, which has the number 0 in JavaScript. */
const weekdays = makeLazy(() =>
  namesOf(
    'weekday',
    Array.from({ length: 7 }, (_, day) => Date.UTC(2024, 0, 7 + day)),
  ),
)

const pad = (value: number | string) => String(value).padStart(2, '0')
const dayOf = (year: number | string, month: number, day: number | string) => `${year}-${pad(month)}-${pad(day)}`

const RELATIVE_DAYS: Record<string, number> = { today: 0, heute: 0, tomorrow: 1, morgen: 1, yesterday: -1, gestern: -1 }

/**
 * The days that a date in everyday spelling may mean, as YYYY-MM-DD: "12 March 2027", "12.03.2027", "next Friday". A date such as
 * 03/12/2027 has two meanings. Empty if the text is not a date.
 */
export function parseNaturalLanguageDays(text: string, today: string): string[] {
  const words = normalize(text.replaceAll(',', ' ')).replaceAll(/\s+/g, ' ')
  return [...new Set([...readNumericDate(text.trim()), ...readNamedMonth(words, today), ...readRelativeDay(words, today)])].filter(
    isCalendarDay,
  )
}

function readNumericDate(text: string): string[] {
  const [, ofMonth] = /^(\d{4}-\d{2})-\d{2}$/.exec(text) ?? []
  // A day after the end of the month, such as 2027-02-30, means the last day of that month.
  if (ofMonth !== undefined && !isCalendarDay(text))
    return [31, 30, 29, 28]
      .map((last) => `${ofMonth}-${last}`)
      .filter(isCalendarDay)
      .slice(0, 1)
  const [, iso] = /^(\d{4}-\d{2}-\d{2})[T ]/.exec(text) ?? []
  if (iso !== undefined) return [iso]
  const [, year, month, day] = /^(\d{4})[-/.]?(\d{1,2})[-/.]?(\d{1,2})$/.exec(text) ?? []
  if (year !== undefined) return [dayOf(year, Number(month), day!)]
  const [, first, separator, second, last] = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(text) ?? []
  if (first === undefined) return []
  const dayFirst = dayOf(last!, Number(second), first)
  // In dates with dots, the day comes first everywhere. With slashes and dashes, the order depends on the country.
  return separator === '.' ? [dayFirst] : [dayFirst, dayOf(last!, Number(first), second!)]
}

/** Reads a date with a month name. A date without a year means the next such day from today on. */
function readNamedMonth(words: string, today: string): string[] {
  const [, dayBefore, nameAfter, yearAfter] = /^(\d{1,2})(?:st|nd|rd|th)? (?:of |de )?(\p{L}+)(?: (?:de )?(\d{4}))?$/u.exec(words) ?? []
  const [, nameBefore, dayAfter, yearBefore] = /^(\p{L}+) (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?$/u.exec(words) ?? []
  const month = months().get(nameAfter ?? nameBefore ?? '')
  const day = dayBefore ?? dayAfter
  if (month === undefined || day === undefined) return []
  const year = yearAfter ?? yearBefore
  if (year !== undefined) return [dayOf(year, month + 1, day)]
  const thisYear = dayOf(today.slice(0, 4), month + 1, day)
  return [thisYear >= today ? thisYear : dayOf(Number(today.slice(0, 4)) + 1, month + 1, day)]
}

function readRelativeDay(words: string, today: string): string[] {
  if (Object.hasOwn(RELATIVE_DAYS, words)) return [addDays(today, RELATIVE_DAYS[words]!)]
  const [, count, unit] = /^in (\d{1,3}) (day|week)s?$/.exec(words) ?? []
  if (count !== undefined) return [addDays(today, Number(count) * (unit === 'week' ? 7 : 1))]
  const [, which = '', name = ''] = /^(?:(next|this|on|last|nachsten|kommenden|letzten) )?(\p{L}+)$/u.exec(words) ?? []
  const weekday = weekdays().get(name)
  if (weekday === undefined) return []
  const ahead = (weekday - new Date(`${today}T00:00:00Z`).getUTCDay() + 7) % 7 || 7
  return [addDays(today, which === 'last' || which === 'letzten' ? ahead - 7 || -7 : ahead)]
}

const TIME = /(?:^|[T ])(?:at )?(\d{1,2})(?::(\d{2}))?(?::\d{2})? ?(am|pm|h|uhr)?$/i

/** Converts a time of day in everyday spelling, such as "9 am", to HH:MM; null if the text is not a time. */
export function parseNaturalLanguageTime(text: string): string | null {
  const [, hour, minute = '00', half = ''] = TIME.exec(text.trim()) ?? []
  if (hour === undefined || Number(minute) > 59) return null
  const shift = { am: Number(hour) === 12 ? -12 : 0, pm: Number(hour) === 12 ? 0 : 12 }[half.toLowerCase()] ?? 0
  const hours = Number(hour) + shift
  return hours <= 23 ? `${pad(hours)}:${minute}` : null
}

/** The instants that a date with or without a time of day may mean, in UTC. */
export function parseNaturalLanguageInstants(text: string, today: string): string[] {
  const timed = TIME.exec(text.trim())
  const time = timed && (timed[2] !== undefined || timed[3] !== undefined) ? parseNaturalLanguageTime(text) : null
  const date = time === null ? text : text.trim().slice(0, timed!.index)
  return parseNaturalLanguageDays(date, today).map((day) => `${day}T${time ?? '00:00'}:00.000Z`)
}
