import { digitsOf } from '../../kernel/money.ts'
import { CODE_PATTERN } from '../../kernel/ids.ts'
import { atWallTime, endOfDay } from '../../kernel/time.ts'
import { PRODUCT_CATEGORIES } from '../configuration/schema/catalog.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { type Cell, isBlank, shownCell, type SheetRow } from '../sheets/cells.ts'
import { dateOf, type WrittenDate } from '../sheets/dates.ts'
import { booleanOf, numberIn, type Written } from '../sheets/values.ts'
import { foldedWords, squashed } from '../sheets/words.ts'
import { type ProductColumns, type ProductField, SUPPLIES } from './product-columns.ts'

export interface RowError {
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

/** A product as its rows tell it; what no row tells is not among its keys. */
export interface ListedProduct {
  code: string
  row: number
  given: Record<string, unknown>
  prices: { row: number; tier: PriceTier }[]
}

interface Surroundings {
  config: Pick<EventConfig, 'tags' | 'taxes' | 'products'>
  timezone: string
  currency: string
}

class Unfit extends Error {}

const MAX_QUOTED = 200

/** Rows of one code are price tiers of one product; what else they say must agree. */
export function listedProducts(rows: readonly SheetRow[], { at }: ProductColumns, surroundings: Surroundings) {
  const errors: RowError[] = []
  const products = new Map<string, ListedProduct>()
  const codes = new Set([
    ...surroundings.config.products.map(({ code }) => code),
    ...rows.map(({ cells }) => codeOf(cells[at.get('code')!.index])),
  ])
  for (const { number, cells } of rows) {
    const read = readerOf(at, { ...surroundings, codes }, { number, cells }, errors)
    const code = read('code')
    if (typeof code !== 'string') continue
    const product = products.get(code) ?? { code, row: number, given: {}, prices: [] }
    products.set(code, product)
    for (const field of PLAIN) {
      const value = read(field)
      if (value === undefined) continue
      const known = product.given[field]
      if (known === undefined) product.given[field] = value
      else if (JSON.stringify(known) !== JSON.stringify(value)) {
        errors.push(errorAt(at, number, cells, field, `differs from the other rows of ${code}, which are the same product`))
      }
    }
    const amount = read('price')
    if (typeof amount === 'string') {
      const tier = {
        amount,
        from: (read('priceFrom') as string) ?? null,
        until: (read('priceUntil') as string) ?? null,
        tags: (read('priceTags') as string[]) ?? [],
      }
      if (product.prices.some(({ tier: other }) => samePlace(other, tier))) {
        errors.push(errorAt(at, number, cells, 'price', `${code} has a price for the same tags from the same day in another row`))
      }
      product.prices.push({ row: number, tier })
    }
  }
  return { products: [...products.values()], errors }
}

const PLAIN = [
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

const samePlace = (a: PriceTier, b: PriceTier) => a.from === b.from && [...a.tags].toSorted().join() === [...b.tags].toSorted().join()

const codeOf = (cell: Cell | undefined) => shownCell(cell).toLowerCase()

function errorAt(at: ProductColumns['at'], row: number, cells: readonly Cell[], field: ProductField, message: string): RowError {
  const place = at.get(field)
  return { row, column: place?.name ?? field, value: shownCell(place && cells[place.index]).slice(0, MAX_QUOTED), message }
}

type Place = Surroundings & { codes: ReadonlySet<string> }

/** Reads a field of a row: undefined for a blank cell, and for one that is wrong, which is noted. */
function readerOf(at: ProductColumns['at'], place: Place, { number, cells }: SheetRow, errors: RowError[]) {
  return (field: ProductField): unknown => {
    const column = at.get(field)
    if (!column) return undefined
    const cell = cells[column.index] ?? null
    if (isBlank(cell) && field !== 'code') return undefined
    try {
      return READERS[field](cell, place, column.written)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      errors.push(errorAt(at, number, cells, field, error.message))
      return undefined
    }
  }
}

type Reader = (cell: Cell, place: Place, written: Written) => unknown

const text =
  (max: number): Reader =>
  (cell) => {
    const value = shownCell(cell)
    if (value.length > max) throw new Unfit(`has more than ${max} characters`)
    return value
  }

const oneOf =
  (words: readonly string[]): Reader =>
  (cell) => {
    const wanted = squashed(foldedWords(shownCell(cell)))
    const found = words.find((word) => word.toLowerCase() === wanted)
    if (found === undefined) throw new Unfit(`is none of ${words.join(', ')}`)
    return found
  }

const whole =
  (min: number, max: number): Reader =>
  (cell) => {
    const value = Number(shownCell(cell).replace(/[.,]0+$/, ''))
    if (!Number.isInteger(value) || value < min || value > max) throw new Unfit(`must be a whole number from ${min} to ${max}`)
    return value
  }

/** People write codes or names, several with a comma, semicolon or bar between. */
const several =
  (known: (place: Place) => readonly { code: string; name: string }[], what: string): Reader =>
  (cell, place) => {
    const all = known(place)
    const parts = shownCell(cell)
      .split(/[,;|]/)
      .map((part) => part.trim())
      .filter(Boolean)
    const codes = parts.map((part) => {
      const found = all.find(({ code }) => code === part.toLowerCase()) ?? all.find(({ name }) => foldedWords(name) === foldedWords(part))
      if (!found) throw new Unfit(`there is no ${what} ${part.slice(0, 60)}`)
      return found.code
    })
    return [...new Set(codes)]
  }

const listed = ({ config, codes }: Place) => [
  ...config.products.map(({ code, name }) => ({ code, name })),
  ...[...codes].map((code) => ({ code, name: code })),
]

const dated: (then: (date: WrittenDate, zone: string) => string) => Reader =
  (then) =>
  (cell, { timezone }, { dates }) => {
    const date = dateOf(cell, dates)
    if (!date) throw new Unfit('is no day, such as 2027-03-31')
    return then(date, timezone)
  }

const moment = ({ day, time, offset }: WrittenDate, zone: string): Date =>
  offset === null ? atWallTime(zone, `${day}T${time}`) : new Date(`${day}T${time}${offset}`)

const dayOrMoment = dated((date, zone) => (date.time === null ? date.day : moment(date, zone).toISOString()))
const momentOrEnd = dated((date, zone) => (date.time === null ? endOfDay(zone, date.day) : moment(date, zone)).toISOString())

const READERS: Record<ProductField, Reader> = {
  code(cell) {
    const code = codeOf(cell)
    if (!CODE_PATTERN.test(code)) throw new Unfit('a code has 1 to 63 characters a-z, 0-9 and -, and does not start with -')
    return code
  },
  name: text(200),
  category: oneOf(PRODUCT_CATEGORIES),
  description: text(20_000),
  price(cell, { currency }, written) {
    const decimal = numberIn(cell, written)
    if (decimal === null) throw new Unfit('is no amount, such as 125.00')
    if (decimal.startsWith('-')) throw new Unfit('a price is not negative')
    const [units = '0', fraction = ''] = decimal.split('.')
    const digits = digitsOf(currency)
    const kept = fraction.replace(/0+$/, '')
    if (kept.length > digits) throw new Unfit(`has more decimals than ${currency} has (${digits})`)
    return digits === 0 ? units : `${units}.${kept.padEnd(digits, '0')}`
  },
  priceFrom: dayOrMoment,
  priceUntil: dayOrMoment,
  priceTags: several(({ config }) => config.tags, 'tag'),
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
    const value = booleanOf(cell)
    if (value === null) throw new Unfit('is neither yes nor no')
    return value
  },
  refundUntil: momentOrEnd,
  supply: oneOf(SUPPLIES),
}
