import { z } from 'zod'
import { country, day, list, text } from '../../kernel/args.ts'
import { compareDecimals, parseDecimal } from '../../kernel/money.ts'
import type { TaxRate, TaxRates } from '../../kernel/ports.ts'
import { addDays } from '../../kernel/time.ts'
import { SHIPPED_TAX_RATES, BUILT_IN_TAX_RATES_VERSION } from './shipped-rates.ts'

const placeKeyOf = (nation: string, region: string | null) => (region === null ? nation : `${nation}-${region}`)

/** Indexes tax rates by country and region. A region without its own rate uses the rate of its country. */
function createTaxRates(version: string, rows: readonly TaxRate[]): TaxRates {
  const latestFirst = rows.toSorted((a, b) => (a.from < b.from ? 1 : -1))
  const places = Map.groupBy(latestFirst, (row) => placeKeyOf(row.country, row.region))
  return { version, listRates: (nation, region) => places.get(placeKeyOf(nation, region)) ?? places.get(nation) ?? [] }
}

export const BUILT_IN_TAX_RATES: TaxRates = createTaxRates(BUILT_IN_TAX_RATES_VERSION, SHIPPED_TAX_RATES)

/** Finds the tax rate of a country or region on a day; null if unknown. */
export const findTaxRate = (rates: TaxRates, place: { country: string; region: string | null }, on: string): TaxRate | null =>
  rates.listRates(place.country, place.region).find(({ from, until }) => from <= on && (until === null || on <= until)) ?? null

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
 * Parses an operator's rates file. Its rows replace the built-in rates for every place that the file contains. Throws an error with the row
 * and field.
 */
export function parseRatesFile(content: string): TaxRates {
  const { version, rates } = parseRatesJson(content)
  rejectOverlaps(rates)
  const named = new Set(rates.map((row) => placeKeyOf(row.country, row.region)))
  const others = SHIPPED_TAX_RATES.filter((row) => !named.has(placeKeyOf(row.country, row.region)))
  return createTaxRates(`${version} over ${BUILT_IN_TAX_RATES_VERSION}`, [...others, ...rates])
}

function parseRatesJson(content: string): z.output<typeof RatesFile> {
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch (error) {
    throw new Error(`is not JSON: ${(error as Error).message}`)
  }
  const read = RatesFile.safeParse(parsed)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Error(`${issue!.path.join('/') || 'the whole'}: ${issue!.message}`)
}

/** Throws if the tax rates of a country or region overlap, because only one rate may apply on a day. */
function rejectOverlaps(rates: readonly TaxRate[]): void {
  const byPlace = Map.groupBy([...rates.keys()], (index) => placeKeyOf(rates[index]!.country, rates[index]!.region))
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
