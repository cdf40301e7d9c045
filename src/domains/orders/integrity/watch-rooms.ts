import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import type { RecurringTask } from '../../../kernel/recurring.ts'
import { checkIntegrity } from './check.ts'
import { ROOM_INTEGRITY_CHECKS } from './rooms.ts'

/**
 * Checks the room counters of every event that still sells or hosts rooms, and logs a difference as an error. `watchDataIntegrity` only checks
 * events with a recorded change.
 */
export const watchRoomNightCounts: RecurringTask = {
  name: 'room-counters',
  schedule: { everySeconds: 60 },
  async run({ transact, log }) {
    for (const { tenantId, eventId } of await transact(listEventsWithRooms)) {
      const found = await transact((db) => checkIntegrity(db, tenantId, eventId, ROOM_INTEGRITY_CHECKS))
      for (const { id, ok, violations, samples } of found)
        if (!ok)
          log.error('room counters differ', {
            tenant: String(tenantId),
            event: eventId,
            name: id,
            count: violations,
            error: samples.join(', '),
          })
    }
  },
}

async function listEventsWithRooms(db: Db): Promise<{ tenantId: number; eventId: string }[]> {
  const { rows } = await sql<{ tenantId: number; eventId: string }>`
    select e.tenant_id as "tenantId", e.id as "eventId" from events e
    where e.status <> 'archived' and exists (
      select from room_nights r where r.tenant_id = e.tenant_id and r.event_id = e.id
        and r.night >= (lanyard_now() at time zone e.timezone)::date - 1)
    order by 1, 2 /* reads the rows of all tenants */`.execute(db)
  return rows
}
