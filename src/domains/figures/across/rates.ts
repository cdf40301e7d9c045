import { sql } from 'kysely'
import type { ReachableEvent } from '../../tenancy/my-events.ts'
import type { Conversion } from '../query/scope.ts'
import type { Snapshot } from '../query/snapshot.ts'

const MAX_LISTED = 50

/** The rates that a conversion uses: that of one day for each currency, or the latest ones if each row has its own day. */
export async function listRates(
  { db, scope }: Snapshot,
  events: readonly ReachableEvent[],
  { currency: target, rateOn }: Conversion,
): Promise<{ currency: string; day: string; rate: string; source: string }[]> {
  const currencies = [...new Set([...events.map(({ currency }) => currency), target])].filter((currency) => currency !== 'EUR')
  const day = rateOn === 'row' ? scope.asOf.toISOString().slice(0, 10) : rateOn
  const { rows } = await sql<{ currency: string; day: string; rate: string; source: string }>`
    select distinct on (currency) currency, day, trim_scale(per_eur)::text as rate, source from fx_rates
    where currency = any(${currencies}) and day <= ${day}::date order by currency, day desc`.execute(db)
  return rows.slice(0, MAX_LISTED)
}
