import { sql } from 'kysely'
import type { EventScope } from '../../kernel/scoped-db.ts'
import { deleteTestRows } from '../../kernel/test-data.ts'

/** Deletes the charges of the orders of test participants, before the orders themselves are deleted. */
export async function removeTestOrderCharges({ db, tenantId, event }: EventScope, participantIds: readonly string[]): Promise<void> {
  await sql`
    delete from charges where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and order_id in (
      select id from orders where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data
        and participant_id = any(${participantIds}))`.execute(db)
}

/** Deletes charges and saved cards of test participants. Callers must delete room reservations first, because they reference cards. */
export async function removeTestCards(ctx: EventScope, participantIds: readonly string[]): Promise<void> {
  await deleteTestRows(ctx, 'charges', 'participant_id', participantIds)
  await deleteTestRows(ctx, 'card_setups', 'participant_id', participantIds)
  await deleteTestRows(ctx, 'saved_cards', 'participant_id', participantIds)
}
