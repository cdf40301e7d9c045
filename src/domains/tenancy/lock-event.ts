import type { Insertable, Selectable, UpdateObject } from 'kysely'
import type { Db, Tables } from '../../kernel/columns.ts'
import { type EventScope, tenantDb } from '../../kernel/scoped-db.ts'
import type { EventsTable } from './tables.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { EVENT_STATES } from './states.ts'

export type EventRow = Selectable<EventsTable>

/**
 * Locks the event row, which serializes changes to its draft, its status, and totals over the whole event. It must be the first lock of a
 * transaction that takes several. Inserting rows that reference the event does not conflict with this lock.
 */
export const lockEventRow = (ctx: EventScope): Promise<EventRow> =>
  tenantDb(ctx).selectFrom('events').selectAll().where('id', '=', ctx.event.id).forNoKeyUpdate().executeTakeFirstOrThrow()

/** Updates columns of the event row. Only the `authoring` domain decides which values are allowed. */
export async function updateEventRow(ctx: EventScope, columns: Omit<UpdateObject<Tables, 'events'>, 'status'>): Promise<void> {
  await tenantDb(ctx).updateTable('events').set(columns).where('id', '=', ctx.event.id).execute()
}

/** Changes the status of the event. Does nothing if the event already has the new status or cannot change to it. */
export async function changeEventStatus({ event, ...ctx }: EventScope, to: EventRow['status']): Promise<void> {
  await changeStateOfRows(tenantDb(ctx), EVENT_STATES, to).where('id', '=', event.id).execute()
}

/** Inserts an event row, or returns null if the client already has an event with that code. */
export async function insertEventRow(db: Db, columns: Insertable<EventsTable>): Promise<EventRow | null> {
  const row = await db
    .insertInto('events')
    .values(columns)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'client_id', 'code']).doNothing())
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}
