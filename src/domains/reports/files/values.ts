import { formatDay, formatInstantWithTimeZone, formatMoney, formatNumber, formatShortDay } from '../../../kernel/language/format.ts'
import { chooseTranslator } from '../../../kernel/language/translator.ts'
import type { Money } from '../../../kernel/money.ts'
import { isCalendarDay, toWallTimeInZone } from '../../../kernel/time.ts'
import type { ReportColumn, ReportRow, ReportValue } from '../../figures/report-table.ts'

export const isMoneyValue = (value: ReportValue | undefined): value is Money =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isList = (value: ReportValue): value is readonly string[] => Array.isArray(value)

const NUMBER_TYPES: ReadonlySet<string> = new Set(['integer', 'decimal', 'percent', 'money'])
export const isNumericColumn = ({ type }: Pick<ReportColumn, 'type'>): boolean => NUMBER_TYPES.has(type)

/** Returns the alignment of a column: numbers to the right, unless the report sets another alignment. */
export const getAlignment = (column: Pick<ReportColumn, 'type' | 'align'>): 'left' | 'right' | 'center' =>
  column.align ?? (isNumericColumn(column) ? 'right' : 'left')

/** Formats a value for reading, in the reader's language and the event's time zone. */
export function formatValue(
  value: ReportValue | undefined,
  column: Pick<ReportColumn, 'type' | 'format'>,
  at: { locale: string; timezone: string },
): string {
  if (value === null || value === undefined) return ''
  if (column.format === 'plain') return isMoneyValue(value) ? value.amount : toPlainText(value)
  if (isMoneyValue(value)) return formatMoney(at.locale, value)
  if (isList(value)) return value.join(', ')
  if (typeof value === 'number')
    return column.type === 'percent' || column.format === 'percent' ? `${formatNumber(at.locale, value)} %` : formatNumber(at.locale, value)
  if (typeof value === 'boolean') return chooseTranslator(at.locale).say(value ? 'reportFile.yes' : 'reportFile.no')
  if (column.type === 'day' && isCalendarDay(value))
    return column.format === 'long' ? formatDay(at.locale, value) : formatShortDay(at.locale, value)
  if (column.type === 'instant' && !Number.isNaN(Date.parse(value)))
    return formatInstantWithTimeZone(at.locale, new Date(value), at.timezone)
  return value
}

/** Control characters and noncharacters. Spreadsheets, which consist of XML, cannot contain most of them, and text files need none. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN_CHARACTERS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFFFE\uFFFF]/g

/** Formats a value as plain text for programs. Items of a list are separated by `|`. Not used for money, which has two columns. */
export function toPlainText(value: ReportValue | undefined): string {
  if (value === null || value === undefined) return ''
  return (isList(value) ? value.join('|') : String(value)).replaceAll(FORBIDDEN_CHARACTERS, '')
}

const MS_PER_DAY = 86_400_000
/** The day that spreadsheets store as the number 0. */
const SPREADSHEET_EPOCH = Date.UTC(1899, 11, 30)

/**
 * Converts an instant to the number by which spreadsheets store date and time. Spreadsheets have no time zones, so the local time of the
 * event is used.
 */
export const toSpreadsheetTime = (instant: Date, timezone: string): number =>
  (Date.parse(`${toWallTimeInZone(timezone, instant)}Z`) - SPREADSHEET_EPOCH) / MS_PER_DAY

/** The first day that spreadsheet programs count correctly: Excel has a day 29 February 1900. Earlier days are written as text. */
export const FIRST_VALID_SPREADSHEET_DAY = '1900-03-01'

export const toSpreadsheetDay = (day: string): number => (Date.parse(`${day}T00:00:00Z`) - SPREADSHEET_EPOCH) / MS_PER_DAY

/** Whether a table has totals to show below its rows. */
export const hasTotals = (totals: ReportRow): boolean => Object.keys(totals).length > 0
