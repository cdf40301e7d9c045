import { z } from 'zod'
import { country, day, list, text } from '../../kernel/args.ts'
import { compareDecimals, parseDecimal } from '../../kernel/money.ts'
import type { TaxRate, TaxRates } from '../../kernel/ports.ts'
import { addDays } from '../../kernel/time.ts'
import { SHIPPED_ROWS, SHIPPED_VERSION } from './shipped-rates.ts'

const keyOf = (nation: string, region: string | null) => (region === null ? nation : `${nation}-${region}`)

/** A region of which nothing is said has the rate of its country. */
function ratesOver(version: string, rows: readonly TaxRate[]): TaxRates {
  const latestFirst = rows.toSorted((a, b) => (a.from < b.from ? 1 : -1))
  const places = Map.groupBy(latestFirst, (row) => keyOf(row.country, row.region))
  return { version, rowsOf: (nation, region) => places.get(keyOf(nation, region)) ?? places.get(nation) ?? [] }
}

export const SHIPPED_RATES: TaxRates = ratesOver(SHIPPED_VERSION, SHIPPED_ROWS)

/** The rate in force at a place on a day; null where nobody knows it. */
export const rateOn = (rates: TaxRates, place: { country: string; region: string | null }, on: string): TaxRate | null =>
  rates.rowsOf(place.country, place.region).find(({ from, until }) => from <= on && (until === null || on <= until)) ?? null

const percent = () =>
  text(9).refine((written) => {
    const value = parseDecimal(written)
    return value !== null && value.digits <= 4 && value.units >= 0n && compareDecimals(value, { units: 100n, digits: 0 }) <= 0
  }, 'a percentage from 0 to 100 as a text with at most 4 decimals, such as "8.25"')

const Row = z
  .strictObject({
    country: country(),
    region: text(3)
      .regex(/^[A-Z0-9]{1,3}$/, 'a region is written as in ISO 3166-2 without the country, such as IL')
      .nullable()
      .default(null),
    rate: percent(),
    components: list(z.strictObject({ code: text(63), name: text(80), rate: percent() }), 10).default([]),
    from: day(),
    until: day().nullable().default(null),
    source: text(200),
  })
  .superRefine((row, ctx) => {
    if (row.until !== null && row.until < row.from) ctx.addIssue({ code: 'custom', path: ['until'], message: `is before from ${row.from}` })
    const sum = row.components.reduce((total, { rate }) => total + scaled(rate), 0)
    if (row.components.length > 0 && sum !== scaled(row.rate)) {
      ctx.addIssue({ code: 'custom', path: ['components'], message: `add up to ${sum / 10_000}, not to the rate ${row.rate}` })
    }
  })

const scaled = (rate: string) => Math.round(Number(rate) * 10_000)

const RatesFile = z.strictObject({ version: text(60), rates: list(Row, 10_000).min(1, 'needs a row') })

/**
 * The shipped tables with the rows of a file instead of theirs for every place that the file names: so a file may add one state, and
 * need not repeat the world. Throws a sentence that names the row and the field.
 */
export function ratesWithFile(content: string): TaxRates {
  const { version, rates } = readFile(content)
  refuseOverlaps(rates)
  const named = new Set(rates.map((row) => keyOf(row.country, row.region)))
  const others = SHIPPED_ROWS.filter((row) => !named.has(keyOf(row.country, row.region)))
  return ratesOver(`${version} over ${SHIPPED_VERSION}`, [...others, ...rates])
}

function readFile(content: string): z.output<typeof RatesFile> {
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch (error) {
    throw new Error(`is no JSON: ${(error as Error).message}`)
  }
  const read = RatesFile.safeParse(parsed)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Error(`${issue!.path.join('/') || 'the whole'}: ${issue!.message}`)
}

/** One place has one rate on one day. */
function refuseOverlaps(rates: readonly TaxRate[]): void {
  const byPlace = Map.groupBy([...rates.keys()], (index) => keyOf(rates[index]!.country, rates[index]!.region))
  for (const [place, indexes] of byPlace) {
    const inOrder = indexes.toSorted((a, b) => (rates[a]!.from < rates[b]!.from ? -1 : 1))
    for (const [nth, index] of inOrder.entries()) {
      const next = inOrder[nth + 1]
      if (next === undefined) continue
      const { until } = rates[index]!
      if (until === null || until >= rates[next]!.from) {
        const end = rates[next]!.from > '1000-01-01' ? addDays(rates[next]!.from, -1) : rates[next]!.from
        throw new Error(`rates/${index}/until: ${place} has another rate from ${rates[next]!.from} (rates/${next}); end this one on ${end}`)
      }
    }
  }
}
