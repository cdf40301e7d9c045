import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type Decimal, getCurrencyDecimals, parseDecimal, divideAndRoundHalfAway } from '../../../kernel/money.ts'

/** The conversion of amounts from one currency to another. */
export interface CurrencyConversion {
  from: string
  to: string
  /** The day of the exchange rates. If the rates of the two currencies are of different days, the earlier day. */
  day: string
  /** The price of one unit of `from` in units of `to`, with six digits. */
  rate: string
  convert: (minor: number) => number
}

interface EuroRate {
  day: string
  perEur: Decimal
}

/** Maximum age of an exchange rate. Older rates are not used, so that an interrupted source of rates is noticed. */
const MAX_AGE_DAYS = 10

/**
 * Prepares conversions into one currency with the latest rates up to a day. Throws an error that names the currency pair if a rate is
 * missing.
 */
export async function readConversions(
  ctx: { db: Db },
  { from, to, day }: { from: readonly string[]; to: string; day: string },
): Promise<Map<string, CurrencyConversion>> {
  const foreign = [...new Set(from)].filter((currency) => currency !== to)
  const rates = foreign.length === 0 ? new Map<string, EuroRate>() : await readRates(ctx, [...foreign, to], day)
  return new Map([
    [to, { from: to, to, day, rate: '1', convert: (minor: number) => minor }],
    ...foreign.map((currency) => [currency, toConversion(rates, { from: currency, to, day })] as const),
  ])
}

async function readRates({ db }: { db: Db }, currencies: readonly string[], day: string): Promise<Map<string, EuroRate>> {
  const { rows } = await sql<{ currency: string; day: string; per_eur: string }>`
    select distinct on (currency) currency, day::text as day, trim_scale(per_eur)::text as per_eur from fx_rates
    where currency = any(${[...currencies]}) and day <= ${day}::date and day > ${day}::date - ${MAX_AGE_DAYS}::integer
    order by currency, day desc`.execute(db)
  return new Map([
    ['EUR', { day, perEur: { units: 1n, digits: 0 } }],
    ...rows.map((row) => [row.currency, { day: row.day, perEur: parseDecimal(row.per_eur)! }] as const),
  ])
}

function toConversion(
  rates: ReadonlyMap<string, EuroRate>,
  { from, to, day }: { from: string; to: string; day: string },
): CurrencyConversion {
  const [source, target] = [rates.get(from), rates.get(to)]
  if (!source || !target)
    throw new AppError('unavailable', `There is no exchange rate ${from}/${to} for ${day}. Set LANYARD_FX_PROVIDER or LANYARD_FX_FILE`)
  // Minor units of `to` per minor unit of `from`, as a fraction.
  const numerator = target.perEur.units * 10n ** BigInt(source.perEur.digits + getCurrencyDecimals(to))
  const denominator = source.perEur.units * 10n ** BigInt(target.perEur.digits + getCurrencyDecimals(from))
  const millionths = divideAndRoundHalfAway(
    numerator * 10n ** BigInt(6 + getCurrencyDecimals(from)),
    denominator * 10n ** BigInt(getCurrencyDecimals(to)),
  )
  return {
    from,
    to,
    day: source.day < target.day ? source.day : target.day,
    rate: (millionths / 1e6).toFixed(6),
    convert: (minor) => divideAndRoundHalfAway(BigInt(minor) * numerator, denominator),
  }
}
