import { COUNTRIES } from '../../kernel/countries.ts'
import { type Cell, isBlank, shownCell } from './cells.ts'
import { type DateOrder, dateOf } from './dates.ts'
import { decimalOf, type DecimalSeparator, isNumeric } from './numbers.ts'
import { foldedWords } from './words.ts'

/** What a field takes, as far as a column can be told by it. `twoWords` is a name of a person in one cell. */
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

/** How numbers and dates of a column are written. */
export interface Written {
  decimal?: DecimalSeparator | undefined
  dates?: DateOrder | undefined
}

const EMAIL = /^[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>.]+$/
const PHONE = /^(?:tel\.?:?\s*)?\+?[\d\s()./-]{5,}(?:\s*(?:ext|x|dw)\.?\s*\d+)?$/i
const URL_LIKE = /^(?:https?:\/\/)?[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/i
const YES = new Set('yes y true 1 x ja j oui o si s sim wahr vrai verdadero vero verdadeiro waar'.split(' '))
const NO = new Set('no n false 0 nein non nee nao falsch faux falso onwaar'.split(' '))

export function booleanOf(cell: Cell | undefined): boolean | null {
  if (typeof cell === 'boolean') return cell
  const word = foldedWords(shownCell(cell))
  return YES.has(word) ? true : NO.has(word) ? false : null
}

/** Whether a value could be one of a field of this type. Nothing is said of plain text, which anything is. */
export function fits(type: ValueType, cell: Cell, choices: ReadonlySet<string> = new Set()): boolean {
  const text = shownCell(cell)
  switch (type) {
    case 'text':
      return true
    case 'email':
      return EMAIL.test(text)
    case 'phone':
      return PHONE.test(text) && digitsIn(text) >= 6 && digitsIn(text) <= 17
    case 'url':
      return URL_LIKE.test(text) && !EMAIL.test(text) && !isNumeric(text)
    case 'country':
      return countryOf(text) !== null
    case 'number':
    case 'amount':
      return isNumeric(cell)
    case 'integer':
      return /^\d{1,9}(?:[.,]0+)?$/.test(text)
    case 'boolean':
      return booleanOf(cell) !== null
    case 'date':
      return dateOf(cell) !== null || dateOf(cell, 'MDY') !== null
    case 'choice':
      return text.split(/\s*[;|,]\s*/).every((one) => choices.has(foldedWords(one)))
    case 'twoWords':
      return /\p{L}.*[\s,].*\p{L}/u.test(text) && !/[\d@]/.test(text) && text.split(/[\s,]+/).length <= 8
  }
}

const digitsIn = (text: string) => text.replace(/\D/g, '').length

/** A number of a column, or null; a blank cell has none. */
export const numberIn = (cell: Cell | undefined, { decimal = '.' }: Written): string | null =>
  isBlank(cell) ? null : decimalOf(cell, decimal)

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt']
const ALSO: Record<string, string> = {
  uk: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'great britain': 'GB',
  usa: 'US',
  'united states of america': 'US',
  'the netherlands': 'NL',
  holland: 'NL',
  'czech republic': 'CZ',
  uae: 'AE',
  turkey: 'TR',
  'south korea': 'KR',
  'hong kong': 'HK',
  macau: 'MO',
  'ivory coast': 'CI',
  'north macedonia': 'MK',
}

let byName: Map<string, string> | null = null

function countriesByName(): Map<string, string> {
  if (byName) return byName
  byName = new Map(Object.entries(ALSO))
  for (const [code, three] of COUNTRIES) {
    byName.set(three.toLowerCase(), code)
    for (const language of LANGUAGES) {
      const name = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(code)
      if (name !== undefined && !byName.has(foldedWords(name))) byName.set(foldedWords(name), code)
    }
  }
  for (const code of COUNTRIES.keys()) byName.set(code.toLowerCase(), code)
  return byName
}

/** ISO 3166-1 of a code of two or three letters, or of a name in one of the languages that sheets come in. */
export const countryOf = (text: string): string | null => countriesByName().get(foldedWords(text)) ?? null
