import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { HousingQueryContext } from './context.ts'

/** SQL condition: half of the time to guarantee the room has passed, and no reminder was sent yet. */
const IS_HALF_TIME = sql`s.guarantee_reminded_at is null and s.guarantee_due_at > lanyard_now()
  and lanyard_now() >= s.confirmed_at + (s.guarantee_due_at - s.confirmed_at) / 2`

/**
 * SQL condition: the deadline to guarantee the room has passed. A reservation with a pending payment is not overdue, so that it is not
 * cancelled while the participant is paying.
 */
const IS_OVERDUE = sql`s.guarantee_due_at <= lanyard_now() and not exists (
  select from charges c where c.tenant_id = s.tenant_id and c.event_id = s.event_id and c.participant_id = s.participant_id
    and c.status in ('pending', 'unknown'))`

const UNSECURED = sql`s.status = 'confirmed' and s.guarantee_status = 'pending'`

/** Lists the rooms that need a reminder to guarantee them, or whose deadline for a guarantee has passed. */
export async function listRoomsWithDueGuarantee({ db, tenantId, event }: HousingQueryContext): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.id from reservations s
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and ${UNSECURED} and (${IS_OVERDUE} or ${IS_HALF_TIME})
    order by s.guarantee_due_at, s.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns what is due for a room now: a reminder of the missing guarantee, the release of the room, or nothing. */
export async function findDueGuaranteeAction(
  { db, tenantId, event }: HousingQueryContext,
  reservationId: string,
): Promise<'remind' | 'release' | null> {
  const { rows } = await sql<{ overdue: boolean }>`
    select ${IS_OVERDUE} as overdue from reservations s
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.id = ${reservationId} and ${UNSECURED}
      and (${IS_OVERDUE} or ${IS_HALF_TIME})`.execute(db)
  if (!rows[0]) return null
  return rows[0].overdue ? 'release' : 'remind'
}

/** Lists the events of all tenants that have rooms with a due reminder or release. */
export async function listEventsWithDueGuarantees(db: Db): Promise<{ tenantId: number; eventId: string }[]> {
  const { rows } = await sql<{ tenantId: number; eventId: string }>`
    select distinct s.tenant_id as "tenantId", s.event_id as "eventId" from reservations s
    join events e on e.tenant_id = s.tenant_id and e.id = s.event_id and e.status <> 'archived'
    where ${UNSECURED} and (${IS_OVERDUE} or ${IS_HALF_TIME})`.execute(db)
  return rows
}
