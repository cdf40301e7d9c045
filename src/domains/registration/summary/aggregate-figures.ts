import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import type { RecurringTask } from '../../../kernel/recurring.ts'
import { listChangedEvents } from '../../orders/integrity/watch.ts'

const NAME = 'figures'
const EVERY_SECONDS = 300

/** Aggregates the registration figures of changed events, and logs an error if the figures do not match the rows that they count. */
export const aggregateRegistrationFigures: RecurringTask = {
  name: NAME,
  schedule: { everySeconds: EVERY_SECONDS },
  async run({ slot, transact, log }) {
    for (const { tenantId, eventId } of await transact((db) => listChangedEvents(db, { name: NAME, everySeconds: EVERY_SECONDS, slot }))) {
      const place = { tenant: String(tenantId), event: eventId }
      try {
        const mismatches = await transact(async (db) => {
          await sql`select figures_fold(${tenantId}, ${eventId})`.execute(db)
          return findWrongRegistrationFigures(db, tenantId, eventId)
        })
        if (mismatches.length > 0) log.error('figures do not match the stored rows', { ...place, error: mismatches.join(', ') })
      } catch (error) {
        log.error('figures could not be aggregated', { ...place, error: (error as Error).message })
      }
    }
  },
}

/**
 * Compares the stored registration figures with the rows that they count, in one statement and therefore in one snapshot. Returns the
 * figures that differ.
 */
export async function findWrongRegistrationFigures(db: Db, tenantId: number, eventId: string): Promise<string[]> {
  const { rows } = await sql<{ figure: string }>`
    select concat_ws(' ', 'people', status, flow_slug, source, tags::text) as figure from (
      select is_test_data, status, flow_slug, source, tags, people from people_figures_of(${tenantId}, ${eventId})
      union all
      select is_test_data, status, flow_slug, source, tags, -people from people_figures where tenant_id = ${tenantId} and event_id = ${eventId}) f
    group by is_test_data, status, flow_slug, source, tags having sum(people) <> 0
    union all
    select concat_ws(' ', origin, kind, product_code) from (
      select is_test_data, origin, kind, product_code, unapplied, list_amount, discount, net, tax, total from money_figures_of(${tenantId}, ${eventId})
      union all
      select is_test_data, origin, kind, product_code, unapplied, -list_amount, -discount, -net, -tax, -total
      from money_figures where tenant_id = ${tenantId} and event_id = ${eventId}) f
    group by is_test_data, origin, kind, product_code, unapplied
    having (sum(list_amount), sum(discount), sum(net), sum(tax), sum(total)) <> (0, 0, 0, 0, 0)
    order by 1 limit 5`.execute(db)
  return rows.map(({ figure }) => figure)
}
