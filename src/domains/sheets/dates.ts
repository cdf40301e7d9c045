import { isCalendarDay } from '../../kernel/time.ts'
import type { SheetCell } from './cells.ts'

/** Whether the day or the month comes first in numeric dates. */
export type DayMonthOrder = 'DMY' | 'MDY'

/** A parsed date, with a local time or an offset if the cell has one. */
export interface ParsedDate {
  day: string
  /** The local time, such as `14:05:00`; null if the cell has none. */
  time: string | null
  /** The UTC offset, such as `Z` or `+02:00`; null if the cell has none. */
  offset: string | null
}

const TIME = /^[T\s,]+(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:\.\d+)?)?\s*([ap]\.?m\.?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/
const NUMBERS = /^(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4}|\d{2})(?!\d)/
const DAY_NAMED = /^(\d{1,2})(?:st|nd|rd|th|er|\.|º|°)?[\s-]+(?:de\s+|of\s+)?(\p{L}{3,}\.?)[\s,-]+(?:de\s+)?(\d{4}|\d{2})(?!\d)/iu
const NAMED_DAY = /^(\p{L}{3,}\.?)\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)/iu

/**
 * Parses a date cell; null if it is not a date. `order` decides between day and month. Without it, the day comes first unless only
 * month-first is possible.
 */
export function parseDate(cell: SheetCell | undefined, order?: DayMonthOrder): ParsedDate | null {
  const text = typeof cell === 'string' ? cell.trim() : ''
  if (text.length < 6 || text.length > 60) return null
  const found = parseYearFirstDate(text) ?? parseNumericDate(text, order) ?? parseNamedDate(text)
  if (!found || !isCalendarDay(found.day)) return null
  if (found.rest === '') return { day: found.day, time: null, offset: null }
  const clock = parseTime(found.rest)
  return clock && { day: found.day, ...clock }
}

/** Whether the day or the month comes first in a date; `either` if both are possible. With dots, the day comes first if possible. */
export function detectDayMonthOrder(cell: SheetCell | undefined): DayMonthOrder | 'either' | null {
  const match = typeof cell === 'string' && cell.length <= 60 ? NUMBERS.exec(cell.trim()) : null
  if (!match || parseDate(cell, 'DMY') === null) return match && parseDate(cell, 'MDY') ? 'MDY' : null
  if (match[2] === '.' || parseDate(cell, 'MDY') === null) return 'DMY'
  // Day and month are equal, so both date orders give the same date.
  return Number(match[1]) === Number(match[3]) ? null : 'either'
}

interface PartialDate {
  day: string
  rest: string
}

const two = (part: string | number) => String(part).padStart(2, '0')
const dayText = (year: string, month: string | number, day: string) => `${fullYear(year)}-${two(month)}-${two(day)}`

/** Expands two-digit years to 1970–2069. */
const fullYear = (year: string) => (year.length === 4 ? year : `${Number(year) < 70 ? '20' : '19'}${year}`)

function parseYearFirstDate(text: string): PartialDate | null {
  const match = YEAR_FIRST.exec(text)
  return match && { day: dayText(match[1]!, match[3]!, match[4]!), rest: text.slice(match[0].length) }
}

function parseNumericDate(text: string, order?: DayMonthOrder): PartialDate | null {
  const match = NUMBERS.exec(text)
  if (!match) return null
  const [all, first = '', , second = '', year = ''] = match
  const monthFirst = order === undefined ? Number(second) > 12 : order === 'MDY'
  return { day: monthFirst ? dayText(year, first, second) : dayText(year, second, first), rest: text.slice(all.length) }
}

function parseNamedDate(text: string): PartialDate | null {
  const dayFirst = DAY_NAMED.exec(text)
  const match = dayFirst ?? NAMED_DAY.exec(text)
  if (!match) return null
  const [all, one = '', two = '', year = ''] = match
  const [day, name] = dayFirst ? [one, two] : [two, one]
  const month = monthsByName.get(foldedMonth(name))
  return month === undefined ? null : { day: dayText(year, month, day), rest: text.slice(all.length) }
}

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt']
const foldedMonth = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase()

const monthsByName = new Map(
  LANGUAGES.flatMap((language) =>
    (['long', 'short'] as const).flatMap((length) => {
      const names = new Intl.DateTimeFormat(language, { month: length, timeZone: 'UTC' })
      return Array.from({ length: 12 }, (_, month) => [foldedMonth(names.format(Date.UTC(2026, month, 1))), month + 1] as const)
    }),
  ),
)

function parseTime(rest: string): { time: string; offset: string | null } | null {
  const match = TIME.exec(rest)
  if (!match) return null
  const [, hours = '', minutes = '', seconds = '00', half, zone] = match
  const noon = half?.toLowerCase().startsWith('p')
  if (half && (Number(hours) < 1 || Number(hours) > 12)) return null
  const hour = half ? (Number(hours) % 12) + (noon ? 12 : 0) : Number(hours)
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null
  const offset = zone === undefined ? null : /^(z|utc)$/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  return { time: `${two(hour)}:${minutes}:${seconds}`, offset }
}
