import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'

/** An exchange rate: units of a currency per euro on a day. */
export interface FxRate {
  day: string
  currency: string
  /** Units of the currency per euro: a decimal number above zero. */
  perEur: string
}

export type FxRateSource = 'ecb' | 'file'

/** The number of rates per SQL statement. The whole history has more than 200,000 rates. */
const BATCH = 5000

/** Stores rates and returns how many are new or changed. Rates of the operator's file replace those of the ECB, never the reverse. */
export async function storeRates(db: Db, rates: readonly FxRate[], source: FxRateSource): Promise<number> {
  // Rates are sorted, so that all processes write in the same order and concurrent updates cannot deadlock.
  const sorted = rates.toSorted((a, b) => compare(a.currency, b.currency) || compare(a.day, b.day))
  let changed = 0
  for (let at = 0; at < sorted.length; at += BATCH) changed += await storeBatch(db, sorted.slice(at, at + BATCH), source)
  return changed
}

async function storeBatch(db: Db, rates: readonly FxRate[], source: FxRateSource): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into fx_rates (day, currency, per_eur, source)
    select r.day, r.currency, r.per_eur, ${source}
    from unnest(${rates.map(({ day }) => day)}::date[], ${rates.map(({ currency }) => currency)}::text[],
      ${rates.map(({ perEur }) => perEur)}::numeric[]) as r (day, currency, per_eur)
    on conflict (currency, day) do update set per_eur = excluded.per_eur, source = excluded.source
    where (fx_rates.per_eur, fx_rates.source) is distinct from (excluded.per_eur, excluded.source)
      and (excluded.source = 'file' or fx_rates.source = 'ecb')`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Finds the newest day with a rate of the ECB; null if there is none. */
export async function findNewestEcbRateDay(db: Db): Promise<string | null> {
  const { rows } = await sql<{ day: string | null }>`select max(day)::text as day from fx_rates where source = 'ecb'`.execute(db)
  return rows[0]?.day ?? null
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
