import { type Selectable, sql } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { Where } from './at-event.ts'
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
  /** How many stand in line up to them; null for who does not wait. */
  rank: number | null
  isCancelled: boolean
  /** Grows with every change of the session or of their place in it. */
  sequence: number
}

/** All that these people have or had of the program, in the order in which it begins. */
export async function enrolmentsOf({ db, tenantId, event }: Where, participantIds: readonly string[]): Promise<Enrolment[]> {
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

/** What somebody has now: a place, or a place in line. */
export const liveEnrolments = async (ctx: Where, participantId: string): Promise<Enrolment[]> =>
  (await enrolmentsOf(ctx, [participantId])).filter(({ status, isCancelled }) => status !== 'cancelled' && !isCancelled)

/** Titles of what these people hear, by person. */
export async function heardBy({ db, tenantId, event }: Where, participantIds: readonly string[]) {
  const rows = await db
    .selectFrom('session_enrolments as e')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.tenant_id', '=', 'e.tenant_id').onRef('s.event_id', '=', 'e.event_id').onRef('s.id', '=', 'e.session_id'),
    )
    .select(['e.participant_id as participantId', 's.id', 's.title', 's.product_code as productCode'])
    .where('e.tenant_id', '=', tenantId)
    .where('e.event_id', '=', event.id)
    .where('e.participant_id', '=', sql<string>`any(${participantIds})`)
    .where('e.status', '=', 'enrolled')
    .where('s.status', '=', 'scheduled')
    .orderBy('s.starts_at')
    .orderBy('s.id')
    .execute()
  return Map.groupBy(rows, ({ participantId }) => participantId)
}

export type Heard = Pick<Selectable<Tables['sessions']>, 'id' | 'title'> & { productCode: string | null }

/** As the event calls it, where it still has it. */
export const roomName = ({ sessions }: Pick<EventConfig, 'sessions'>, code: string | null): string | null =>
  code === null ? null : (sessions.rooms.find((room) => room.code === code)?.name ?? code)
