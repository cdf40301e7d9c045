import { findCountryCode } from '../../kernel/country-names.ts'
import { type SheetCell, isBlankCell, formatCell } from './cells.ts'
import { type DayMonthOrder, parseDate } from './dates.ts'
import { parseDecimalCell, type DecimalSeparator, isNumericCell } from './numbers.ts'
import { normalizeColumnHeading } from './normalize.ts'

/** Types of cell values, by which the field of a column is recognized. `twoWords` is a full name in one cell. */
export type ValueType =
  | 'text'
  | 'email'
  | 'phone'
  | 'url'
  | 'country'
  | 'number'
  | 'integer'
  | 'amount'
  | 'boolean'
  | 'date'
  | 'choice'
  | 'twoWords'

/** How numbers and dates are written in a column. */
export interface SheetColumnFormat {
  decimal?: DecimalSeparator | undefined
  dates?: DayMonthOrder | undefined
}

const EMAIL = /^[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>.]+$/
const PHONE = /^(?:tel\.?:?\s*)?\+?[\d\s()./-]{5,}(?:\s*(?:ext|x|dw)\.?\s*\d+)?$/i
const URL_LIKE = /^(?:https?:\/\/)?[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/i
const YES = new Set('yes y true 1 x ja j oui o si s sim wahr vrai verdadero vero verdadeiro waar'.split(' '))
const NO = new Set('no n false 0 nein non nee nao falsch faux falso onwaar'.split(' '))

export function parseBoolean(cell: SheetCell | undefined): boolean | null {
  if (typeof cell === 'boolean') return cell
  const word = normalizeColumnHeading(formatCell(cell))
  return YES.has(word) ? true : NO.has(word) ? false : null
}

/** Whether the value of a cell fits a type. The type `text` fits any value. */
export function matchesValueType(type: ValueType, cell: SheetCell, choices: ReadonlySet<string> = new Set()): boolean {
  const text = formatCell(cell)
  switch (type) {
    case 'text':
      return true
    case 'email':
      return EMAIL.test(text)
    case 'phone':
      return PHONE.test(text) && digitsIn(text) >= 6 && digitsIn(text) <= 17
    case 'url':
      return URL_LIKE.test(text) && !EMAIL.test(text) && !isNumericCell(text)
    case 'country':
      return findCountryCode(text) !== null
    case 'number':
    case 'amount':
      return isNumericCell(cell)
    case 'integer':
      return /^\d{1,9}(?:[.,]0+)?$/.test(text)
    case 'boolean':
      return parseBoolean(cell) !== null
    case 'date':
      return parseDate(cell) !== null || parseDate(cell, 'MDY') !== null
    case 'choice':
      return text.split(/\s*[;|,]\s*/).every((one) => choices.has(normalizeColumnHeading(one)))
    case 'twoWords':
      return /\p{L}.*[\s,].*\p{L}/u.test(text) && !/[\d@]/.test(text) && text.split(/[\s,]+/).length <= 8
  }
}

const digitsIn = (text: string) => text.replace(/\D/g, '').length

/** Reads a number cell as decimal text; null for a blank cell. */
export const readNumberCell = (cell: SheetCell | undefined, { decimal = '.' }: SheetColumnFormat): string | null =>
  isBlankCell(cell) ? null : parseDecimalCell(cell, decimal)
