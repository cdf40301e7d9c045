import pg from 'pg'

const INT8 = 20
const DATE = 1082
const TEXT_ARRAY = 1009
const INT8_ARRAY = 1016
const DATE_ARRAY = 1182

type Elements<T> = (T | null | Elements<T>)[]

function toSafeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`The integer ${text} is too large to be read exactly: cast it to text.`)
  return value
}

const parserOf = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => (text: string) => unknown

const parseTextArray = parserOf(TEXT_ARRAY) as (text: string) => Elements<string>

const parseElements = (elements: Elements<string>): Elements<number> =>
  elements.map((element) => (Array.isArray(element) ? parseElements(element) : element === null ? null : toSafeInteger(element)))

const parsers = new Map<number, (text: string) => unknown>([
  [INT8, toSafeInteger],
  [INT8_ARRAY, (text) => parseElements(parseTextArray(text))],
  // A calendar day is returned as text, because it has no time zone and a JavaScript Date could shift it.
  [DATE, (text) => text],
  [DATE_ARRAY, parseTextArray],
])

/** How column values are parsed: integers as numbers, days as 'YYYY-MM-DD', numeric as text, instants as Date. */
export const columnTypeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (format !== 'binary' && parsers.get(oid)) || parserOf(oid, format),
}
