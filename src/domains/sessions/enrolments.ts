import { type Selectable, sql } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { SessionQueryContext } from './context.ts'
import type { SessionEnrolmentsTable } from './tables.ts'

export interface Enrolment {
  participantId: string
  sessionId: string
  code: string
  title: string
  startsAt: Date
  endsAt: Date
  roomCode: string | null
  productCode: string | null
  status: Selectable<SessionEnrolmentsTable>['status']
  /** The rank on the session's waiting list; null if the participant is enrolled. */
  rank: number | null
  isCancelled: boolean
  /** The iCalendar sequence number, which grows with every change of the conference session or of the enrolment. */
  sequence: number
}

/** Lists all current and past enrolments of the participants, sorted by start time. */
export async function listEnrolments(
  { db, tenantId, event }: SessionQueryContext,
  participantIds: readonly string[],
): Promise<Enrolment[]> {
  const { rows } = await sql<Enrolment>`
    select e.participant_id as "participantId", s.id as "sessionId", s.code, s.title, s.starts_at as "startsAt", s.ends_at as "endsAt",
      s.room_code as "roomCode", s.product_code as "productCode", e.status, s.status = 'cancelled' as "isCancelled",
      s.revision + e.revision - 2 as sequence,
      case when e.status = 'waitlisted' then (
        select count(*)::int from session_enrolments w where w.tenant_id = e.tenant_id and w.event_id = e.event_id and w.session_id = e.session_id
          and w.status = 'waitlisted' and w.position <= e.position) end as rank
    from session_enrolments e join sessions s on s.tenant_id = e.tenant_id and s.event_id = e.event_id and s.id = e.session_id
    where e.tenant_id = ${tenantId} and e.event_id = ${event.id} and e.participant_id = any(${participantIds}) and s.starts_at is not null
    order by s.starts_at, s.title, s.id, e.participant_id`.execute(db)
  return rows
}

/** Lists active enrolments and waiting list entries of participants. */
export const listActiveEnrolments = async (ctx: SessionQueryContext, participantId: string): Promise<Enrolment[]> =>
  (await listEnrolments(ctx, [participantId])).filter(({ status, isCancelled }) => status !== 'cancelled' && !isCancelled)

export async function listEnrolledSessions(ctx: SessionQueryContext, participantIds: readonly string[]) {
  const rows = await eventDb(ctx)
    .selectFrom('session_enrolments as e')
    .innerJoin('sessions as s', (join) => joinRowsOfSameEvent(join, 's.id', 'e.session_id'))
    .select(['e.participant_id as participantId', 's.id', 's.title', 's.product_code as productCode'])
    .where('e.participant_id', '=', sql<string>`any(${participantIds})`)
    .where('e.status', '=', 'enrolled')
    .where('s.status', '=', 'scheduled')
    .orderBy('s.starts_at')
    .orderBy('s.id')
    .execute()
  return Map.groupBy(rows, ({ participantId }) => participantId)
}

export type EnrolledSession = Pick<Selectable<Tables['sessions']>, 'id' | 'title'> & { productCode: string | null }

/** Returns the name of a session room, or its code if the room was removed from the configuration. */
export const getRoomName = ({ sessions }: Pick<EventConfig, 'sessions'>, code: string | null): string | null =>
  code === null ? null : (sessions.rooms.find((room) => room.code === code)?.name ?? code)
