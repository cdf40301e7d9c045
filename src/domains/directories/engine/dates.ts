import { isCalendarDay } from '../../../kernel/time.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const TOKEN = /YYYY|MMM|MM|M|DD|D/g
const NAMED_FORMATS = ['ISO', 'unix', 'ms']

/**
 * Checks a date format: made of YYYY, MM (or M, or MMM for the English short name) and DD (or D), each once; or ISO, unix (seconds) or
 * ms. Returns the problem, or null.
 */
export function checkDateFormat(format: string): string | null {
  if (NAMED_FORMATS.includes(format)) return null
  const tokens = (format.match(TOKEN) ?? []).map((token) => token[0])
  const leftover = format.replace(TOKEN, '').replace(/[\s./,-]/g, '')
  if (tokens.length === 3 && new Set(tokens).size === 3 && leftover === '') return null
  return `takes YYYY, MM (or M, MMM) and DD (or D) with . / - , or spaces between, such as DD.MM.YYYY; or ${NAMED_FORMATS.join(', ')}`
}

/** Parses a date and returns it as YYYY-MM-DD, or null if the text does not match the format. A time after the day is ignored. */
export function readDate(text: string, format: string): string | null {
  const trimmed = text.trim()
  if (format === 'unix' || format === 'ms') return toDayFromEpoch(trimmed, format === 'ms' ? 1 : 1000)
  if (format === 'ISO') return toValidDay(/^(\d{4}-\d{2}-\d{2})(?:$|[T ])/.exec(trimmed)?.[1] ?? '')
  const groups = patternOf(format).exec(trimmed)?.groups
  if (!groups) return null
  const month = /^\d/.test(groups.M ?? '') ? Number(groups.M) : MONTHS.indexOf((groups.M ?? '').slice(0, 3).toLowerCase()) + 1
  return toValidDay(`${groups.Y}-${String(month).padStart(2, '0')}-${(groups.D ?? '').padStart(2, '0')}`)
}

const PATTERN_OF: Readonly<Record<string, string>> = {
  YYYY: '(?<Y>\\d{4})',
  MMM: '(?<M>[A-Za-z]{3,9})',
  MM: '(?<M>\\d{2})',
  M: '(?<M>\\d{1,2})',
  DD: '(?<D>\\d{2})',
  D: '(?<D>\\d{1,2})',
}

function patternOf(format: string): RegExp {
  const source = format.split(/(YYYY|MMM|MM|M|DD|D)/).map((part) => PATTERN_OF[part] ?? part.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
  return new RegExp(`^${source.join('')}(?:$|[T ])`)
}

function toDayFromEpoch(text: string, factor: number): string | null {
  const date = /^-?\d{1,15}$/.test(text) ? new Date(Number(text) * factor) : null
  return date && !Number.isNaN(date.getTime()) ? toValidDay(date.toISOString().slice(0, 10)) : null
}

const toValidDay = (day: string): string | null => (isCalendarDay(day) ? day : null)
