import { isDay } from '../../kernel/time.ts'
import type { Cell } from './cells.ts'

/** Whether the day or the month comes first where both are numbers. */
export type DateOrder = 'DMY' | 'MDY'

/** What a cell says of a day, with a wall time or an instant where it has one. */
export interface WrittenDate {
  day: string
  /** `14:05:00`. */
  time: string | null
  /** `Z` or `+02:00`. */
  offset: string | null
}

const TIME = /^[T\s,]+(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:\.\d+)?)?\s*([ap]\.?m\.?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/
const NUMBERS = /^(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4}|\d{2})(?!\d)/
const DAY_NAMED = /^(\d{1,2})(?:st|nd|rd|th|er|\.|º|°)?[\s-]+(?:de\s+|of\s+)?(\p{L}{3,}\.?)[\s,-]+(?:de\s+)?(\d{4}|\d{2})(?!\d)/iu
const NAMED_DAY = /^(\p{L}{3,}\.?)\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)/iu

/**
 * Null for what is no date. Where day and month are both numbers the order decides; without one they are read as the day first when that
 * is all they could be, when a value above 12 says so, or when dots stand between them, which only those who write the day first do.
 */
export function dateOf(cell: Cell | undefined, order?: DateOrder): WrittenDate | null {
  const text = typeof cell === 'string' ? cell.trim() : ''
  if (text.length < 6 || text.length > 60) return null
  const found = yearFirst(text) ?? numbersOnly(text, order) ?? named(text)
  if (!found || !isDay(found.day)) return null
  if (found.rest === '') return { day: found.day, time: null, offset: null }
  const clock = timeOf(found.rest)
  return clock && { day: found.day, ...clock }
}

/** What a date says about the order in its column; `either` where it could be read both ways. */
export function orderHint(cell: Cell | undefined): DateOrder | 'either' | null {
  const match = typeof cell === 'string' && cell.length <= 60 ? NUMBERS.exec(cell.trim()) : null
  if (!match || dateOf(cell, 'DMY') === null) return match && dateOf(cell, 'MDY') ? 'MDY' : null
  if (match[2] === '.' || dateOf(cell, 'MDY') === null) return 'DMY'
  // The same day both ways decides nothing and hurts nobody.
  return Number(match[1]) === Number(match[3]) ? null : 'either'
}

interface Found {
  day: string
  rest: string
}

const two = (part: string | number) => String(part).padStart(2, '0')
const dayText = (year: string, month: string | number, day: string) => `${fullYear(year)}-${two(month)}-${two(day)}`

/** Who writes two figures of a year means one that is near. */
const fullYear = (year: string) => (year.length === 4 ? year : `${Number(year) < 70 ? '20' : '19'}${year}`)

function yearFirst(text: string): Found | null {
  const match = YEAR_FIRST.exec(text)
  return match && { day: dayText(match[1]!, match[3]!, match[4]!), rest: text.slice(match[0].length) }
}

function numbersOnly(text: string, order?: DateOrder): Found | null {
  const match = NUMBERS.exec(text)
  if (!match) return null
  const [all, first = '', , second = '', year = ''] = match
  const monthFirst = order === undefined ? Number(second) > 12 : order === 'MDY'
  return { day: monthFirst ? dayText(year, first, second) : dayText(year, second, first), rest: text.slice(all.length) }
}

function named(text: string): Found | null {
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

function timeOf(rest: string): { time: string; offset: string | null } | null {
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
