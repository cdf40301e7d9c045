import { getCurrencyDecimals } from '../../kernel/money.ts'
import { CODE_PATTERN } from '../../kernel/ids.ts'
import { addDays, wallTimeToInstant, endOfDay } from '../../kernel/time.ts'
import { PRODUCT_CATEGORIES } from '../configuration/schema/catalog.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { type SheetCell, isBlankCell, formatCell, type SheetRow } from '../sheets/cells.ts'
import { parseDate, type ParsedDate } from '../sheets/dates.ts'
import { parseBoolean, readNumberCell, type SheetColumnFormat } from '../sheets/values.ts'
import { normalizeColumnHeading, removeSpaces } from '../sheets/normalize.ts'
import { type ProductColumns, type ProductImportField, PRODUCT_TAX_SUPPLY_KINDS } from './product-columns.ts'

export interface PriceListRowError {
  row: number
  column: string
  value: string
  message: string
}

export interface PriceTier {
  amount: string
  from: string | null
  until: string | null
  tags: string[]
}

/** A product read from one or more rows of a price list. `given` contains only the fields that its rows set. */
export interface PriceListProduct {
  code: string
  row: number
  given: Record<string, unknown>
  prices: { row: number; tier: PriceTier }[]
}

interface PriceListContext {
  config: Pick<EventConfig, 'tags' | 'taxes' | 'products'>
  timezone: string
  currency: string
}

class InvalidCell extends Error {}

const MAX_QUOTED = 200

/** Reads the products of a price list. Rows with the same code are price tiers of one product and must agree in all other fields. */
export function readPriceListProducts(rows: readonly SheetRow[], { at }: ProductColumns, surroundings: PriceListContext) {
  const errors: PriceListRowError[] = []
  const products = new Map<string, PriceListProduct>()
  const codes = new Set([
    ...surroundings.config.products.map(({ code }) => code),
    ...rows.map(({ cells }) => codeOf(cells[at.get('code')!.index])),
  ])
  for (const { number, cells } of rows) {
    const read = createFieldReader(at, { ...surroundings, codes }, { number, cells }, errors)
    const code = read('code')
    if (typeof code !== 'string') continue
    const product = products.get(code) ?? { code, row: number, given: {}, prices: [] }
    products.set(code, product)
    for (const field of SINGLE_VALUE_FIELDS) {
      const value = read(field)
      if (value === undefined) continue
      const known = product.given[field]
      if (known === undefined) product.given[field] = value
      else if (JSON.stringify(known) !== JSON.stringify(value)) {
        errors.push(errorAt(at, number, cells, field, `differs from the other rows of product ${code}`))
      }
    }
    const before = errors.length
    for (const { tier, field, error } of readTiers(read)) {
      if (error !== undefined) {
        // Reports a missing price or last day only if all price cells of the row are valid, because an invalid cell may be the cause.
        if (errors.length === before) errors.push(errorAt(at, number, cells, field, error))
      } else {
        if (product.prices.some(({ tier: other }) => isSameTier(other, tier)))
          errors.push(errorAt(at, number, cells, field, `${code} has another row with a price for the same tags and start`))
        product.prices.push({ row: number, tier })
      }
    }
  }
  return { products: [...products.values()], errors }
}

type ReadTier = { field: ProductImportField } & ({ tier: PriceTier; error?: undefined } | { error: string; tier?: undefined })

/** Reads the prices of a row: the early-bird price until its last day, and the price from then on. */
function readTiers(read: (field: ProductImportField) => unknown): ReadTier[] {
  const [price, early] = [read('price'), read('earlyPrice')] as (string | undefined)[]
  const [from = null, until = null, end = null] = [read('priceFrom'), read('priceUntil'), read('earlyUntil')] as (string | undefined)[]
  const tags = (read('priceTags') as string[]) ?? []
  if (end !== null && early === undefined)
    return [{ field: 'earlyUntil', error: 'there is no early-bird price for this date; map the column to priceUntil, or to ignore' }]
  if (early !== undefined && end === null)
    return [{ field: 'earlyPrice', error: 'an early-bird price needs its last day; add a column such as "Early bird until"' }]
  const regularFrom = end === null ? null : end.includes('T') ? end : addDays(end, 1)
  const startsLater = from !== null && regularFrom !== null && from > regularFrom
  return [
    ...(early === undefined
      ? []
      : [{ field: 'earlyPrice' as const, tier: { amount: early, from: startsLater ? null : from, until: end, tags } }]),
    ...(price === undefined
      ? []
      : [
          { field: 'price' as const, tier: { amount: price, from: regularFrom === null || startsLater ? from : regularFrom, until, tags } },
        ]),
  ]
}

const SINGLE_VALUE_FIELDS = [
  'name',
  'category',
  'description',
  'capacity',
  'perPerson',
  'taxCode',
  'addsTags',
  'requires',
  'excludes',
  'waitlist',
  'refundUntil',
  'supply',
] as const

const isSameTier = (a: PriceTier, b: PriceTier) => a.from === b.from && [...a.tags].toSorted().join() === [...b.tags].toSorted().join()

const codeOf = (cell: SheetCell | undefined) => formatCell(cell).toLowerCase()

function errorAt(
  at: ProductColumns['at'],
  row: number,
  cells: readonly SheetCell[],
  field: ProductImportField,
  message: string,
): PriceListRowError {
  const place = at.get(field)
  return { row, column: place?.name ?? field, value: formatCell(place && cells[place.index]).slice(0, MAX_QUOTED), message }
}

type CellContext = PriceListContext & { codes: ReadonlySet<string> }

/**
 * Returns a function that reads one field of a row. The function returns undefined for a blank cell, and for an invalid one after recording
 * an error.
 */
function createFieldReader(at: ProductColumns['at'], place: CellContext, { number, cells }: SheetRow, errors: PriceListRowError[]) {
  return (field: ProductImportField): unknown => {
    const column = at.get(field)
    if (!column) return undefined
    const cell = cells[column.index] ?? null
    if (isBlankCell(cell) && field !== 'code') return undefined
    try {
      return READERS[field](cell, place, column.written)
    } catch (error) {
      if (!(error instanceof InvalidCell)) throw error
      errors.push(errorAt(at, number, cells, field, error.message))
      return undefined
    }
  }
}

type CellReader = (cell: SheetCell, place: CellContext, written: SheetColumnFormat) => unknown

const text =
  (max: number): CellReader =>
  (cell) => {
    const value = formatCell(cell)
    if (value.length > max) throw new InvalidCell(`has more than ${max} characters`)
    return value
  }

const oneOf =
  (words: readonly string[]): CellReader =>
  (cell) => {
    const wanted = removeSpaces(normalizeColumnHeading(formatCell(cell)))
    const found = words.find((word) => word.toLowerCase() === wanted)
    if (found === undefined) throw new InvalidCell(`is not one of ${words.join(', ')}`)
    return found
  }

const whole =
  (min: number, max: number): CellReader =>
  (cell) => {
    const value = Number(formatCell(cell).replace(/[.,]0+$/, ''))
    if (!Number.isInteger(value) || value < min || value > max) throw new InvalidCell(`must be a whole number from ${min} to ${max}`)
    return value
  }

/** Returns a function that reads a cell with several codes or names, separated by comma, semicolon or bar. */
const several =
  (known: (place: CellContext) => readonly { code: string; name: string }[], what: string): CellReader =>
  (cell, place) => {
    const all = known(place)
    const parts = formatCell(cell)
      .split(/[,;|]/)
      .map((part) => part.trim())
      .filter(Boolean)
    const codes = parts.map((part) => {
      const found =
        all.find(({ code }) => code === part.toLowerCase()) ??
        all.find(({ name }) => normalizeColumnHeading(name) === normalizeColumnHeading(part))
      if (!found) throw new InvalidCell(`there is no ${what} ${part.slice(0, 60)}`)
      return found.code
    })
    return [...new Set(codes)]
  }

const listed = ({ config, codes }: CellContext) => [
  ...config.products.map(({ code, name }) => ({ code, name })),
  ...[...codes].map((code) => ({ code, name: code })),
]

const createDateReader: (then: (date: ParsedDate, zone: string) => string) => CellReader =
  (then) =>
  (cell, { timezone }, { dates }) => {
    const date = parseDate(cell, dates)
    if (!date) throw new InvalidCell('is not a date, such as 2027-03-31')
    return then(date, timezone)
  }

const moment = ({ day, time, offset }: ParsedDate, zone: string): Date =>
  offset === null ? wallTimeToInstant(zone, `${day}T${time}`) : new Date(`${day}T${time}${offset}`)

const dayOrMoment = createDateReader((date, zone) => (date.time === null ? date.day : moment(date, zone).toISOString()))
const momentOrEnd = createDateReader((date, zone) => (date.time === null ? endOfDay(zone, date.day) : moment(date, zone)).toISOString())

const amount: CellReader = (cell, { currency }, written) => {
  const decimal = readNumberCell(cell, written)
  if (decimal === null) throw new InvalidCell('is not an amount, such as 125.00')
  if (decimal.startsWith('-')) throw new InvalidCell('a price must not be negative')
  const [units = '0', fraction = ''] = decimal.split('.')
  const digits = getCurrencyDecimals(currency)
  const kept = fraction.replace(/0+$/, '')
  if (kept.length > digits) throw new InvalidCell(`has more decimals than ${currency} has (${digits})`)
  return digits === 0 ? units : `${units}.${kept.padEnd(digits, '0')}`
}

const READERS: Record<ProductImportField, CellReader> = {
  code(cell) {
    const code = codeOf(cell)
    if (!CODE_PATTERN.test(code)) throw new InvalidCell('a code has 1 to 63 characters a-z, 0-9 and -, and does not start with -')
    return code
  },
  name: text(200),
  category: oneOf(PRODUCT_CATEGORIES),
  description: text(20_000),
  price: amount,
  priceFrom: dayOrMoment,
  priceUntil: dayOrMoment,
  priceTags: several(({ config }) => config.tags, 'tag'),
  earlyPrice: amount,
  earlyUntil: dayOrMoment,
  capacity: whole(0, 10_000_000),
  perPerson: whole(1, 100),
  taxCode: (cell, place, written) => {
    const [code] = several(({ config }) => config.taxes, 'tax')(cell, place, written) as string[]
    return code
  },
  addsTags: several(({ config }) => config.tags, 'tag'),
  requires: several(listed, 'product'),
  excludes: several(listed, 'product'),
  waitlist(cell) {
    const value = parseBoolean(cell)
    if (value === null) throw new InvalidCell('is neither yes nor no')
    return value
  },
  refundUntil: momentOrEnd,
  supply: oneOf(PRODUCT_TAX_SUPPLY_KINDS),
}
