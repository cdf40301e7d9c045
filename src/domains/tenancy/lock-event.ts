import type { Selectable } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { EventsTable } from './tables.ts'

export type EventRow = Selectable<EventsTable>

/**
 * Taken before anything that must be decided for an event by one at a time: its draft, its states, what is counted over all of it.
 * The first lock of every transaction that takes more than one; rows that only refer to the event are added meanwhile.
 */
export const lockEvent = ({ tenantId, event, db }: { tenantId: number; event: { id: string }; db: Db }): Promise<EventRow> =>
  db
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', event.id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
