import { sql } from 'kysely'
import { removeTestMeetings } from '../exhibitors/remove-test-meetings.ts'
import { removeTestOrders } from '../orders/remove-test-orders.ts'
import type { AtEvent } from './scene.ts'

/** Removes people who were made up by these runs, with their guests and everything they left. Returns how many people there were. */
export async function removeTestPeople(ctx: AtEvent, runIds: readonly string[]): Promise<number> {
  const { db, tenantId, event } = ctx
  const { rows } = await sql<{ id: string; isGuest: boolean }>`
    select id, host_id is not null as "isGuest" from participants
    where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and test_run_id = any(${runIds})`.execute(db)
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  await removeTestOrders(ctx, ids)
  await removeTestMeetings(ctx, ids)
  for (const table of TEST_ROWS) {
    await sql`
      delete from ${sql.table(table)} where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and participant_id = any(${ids})`.execute(
      db,
    )
  }
  await sql`delete from messages where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and source_id = any(${ids})`.execute(
    db,
  )
  const people = (those: readonly { id: string }[]) =>
    sql`
    delete from participants where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and id = any(${those.map(({ id }) => id)})`.execute(
      db,
    )
  await people(rows.filter(({ isGuest }) => isGuest))
  await people(rows.filter(({ isGuest }) => !isGuest))
  return ids.length
}

/** Marks people, and the guests they brought, as made by a run. */
export async function keepAsTest(
  { db, tenantId, event }: Pick<AtEvent, 'db' | 'tenantId' | 'event'>,
  runId: string,
  ids: readonly string[],
): Promise<void> {
  await sql`
    update participants set test_run_id = ${runId}
    where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and (id = any(${ids}) or host_id = any(${ids}))`.execute(db)
}

/** In the order their references allow. */
const TEST_ROWS = [
  'session_enrolments',
  'room_shares',
  'reservation_nights',
  'reservations',
  'hotel_waitlist_entries',
  'charges',
  'waitlist_entries',
  'card_setups',
  'saved_cards',
  'flow_visits',
]
