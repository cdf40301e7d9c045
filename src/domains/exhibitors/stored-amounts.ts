import { sql } from 'kysely'
import type { ExhibitorQueryContext } from './context.ts'

/**
 * Counts the booths, booth offers and companies with an amount above zero, which prevents a change of the event's currency. Includes test
 * companies and earlier offers.
 */
export async function countRecordsWithMoneyAmounts({ db, tenantId, event }: ExhibitorQueryContext) {
  const at = sql`tenant_id = ${tenantId} and event_id = ${event.id}`
  const { rows } = await sql<{ booths: number; offers: number; companies: number }>`
    select (select count(*)::int from booths where ${at} and price_override > 0) as booths,
      (select count(*)::int from booth_applications where ${at} and offer_amount > 0) as offers,
      (select count(*)::int from companies where ${at} and sponsor_amount > 0) as companies`.execute(db)
  return rows[0]!
}
