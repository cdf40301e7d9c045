import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { AppError } from '../../../kernel/errors.ts'
import { getCurrencyDecimals, isCurrency } from '../../../kernel/money.ts'
import { MAX_EXCHANGE_RATE_AGE_DAYS } from '../query/convert.ts'
import { createInvalidArgumentError } from '../query/names.ts'
import { roundHalfAwayFromZero } from '../query/values.ts'

interface Totals {
  currency: string
  net: number
  total: number
  owed: number
}

/** Converts totals of several currencies into one at the latest rates, which are at most a week old. */
export async function convertTotals(db: Db, totals: readonly Totals[], target: string | undefined): Promise<Totals[]> {
  if (target === undefined || !isCurrency(target))
    throw createInvalidArgumentError('reportingCurrency', 'name the currency to convert into, such as EUR')
  const { rows } = await sql<{ currency: string; rate: string }>`
    select distinct on (currency) currency, per_eur::text as rate from fx_rates
    where currency = any(${[...totals.map(({ currency }) => currency), target]}) and day between lanyard_now()::date - ${MAX_EXCHANGE_RATE_AGE_DAYS}::int and lanyard_now()::date
    order by currency, day desc`.execute(db)
  const rates = new Map([['EUR', 1], ...rows.map(({ currency, rate }) => [currency, Number(rate)] as const)])
  const rateOf = (currency: string) => {
    const rate = rates.get(currency)
    if (rate === undefined)
      throw new AppError('unavailable', `There is no current exchange rate of ${currency}. Set LANYARD_FX_PROVIDER or LANYARD_FX_FILE`)
    return rate
  }
  const sum = { currency: target, net: 0, total: 0, owed: 0 }
  for (const { currency, ...amounts } of totals) {
    const factor =
      currency === target ? 1 : (rateOf(target) / rateOf(currency)) * 10 ** (getCurrencyDecimals(target) - getCurrencyDecimals(currency))
    for (const key of ['net', 'total', 'owed'] as const) sum[key] += roundHalfAwayFromZero(amounts[key] * factor)
  }
  return [sum]
}
