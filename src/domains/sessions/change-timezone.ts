import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { conflict } from '../../kernel/errors.ts'
import type { SessionQueryContext, SessionContext } from './context.ts'

interface TimezoneChange {
  from: string
  to: string
}

/** SQL expression for the start of a session at the same local time in the new time zone. */
const movedStart = ({ from, to }: TimezoneChange) => sql`(starts_at at time zone ${from}) at time zone ${to}`

/** Counts the sessions whose start or local time differs in the new time zone, by whether they have begun. */
export async function countSessionsInOtherTimezone({ db, tenantId, event }: SessionQueryContext, change: TimezoneChange) {
  const { rows } = await sql<{ upcoming: number; begun: number }>`
    select count(*) filter (where starts_at > lanyard_now())::int as upcoming, count(*) filter (where starts_at <= lanyard_now())::int as begun
    from sessions where tenant_id = ${tenantId} and event_id = ${event.id} and status <> 'cancelled' and starts_at <> ${movedStart(change)}`.execute(
    db,
  )
  return rows[0]!
}

/**
 * Moves upcoming sessions to the same local time in the new time zone, because a programme refers to the local time at the venue. Their
 * length does not change. Sessions that have begun keep their instant, because attendance was recorded then.
 */
export async function keepLocalTimesOfSessions(ctx: SessionContext, change: TimezoneChange): Promise<void> {
  // All sessions move in one statement, but a trigger moves the times of speakers row by row, so the constraint on speakers is deferred.
  await sql`set constraints session_speakers_once deferred`.execute(ctx.db)
  const { rows } = await sql<{ id: string; wasAt: Date; startsAt: Date; endsAt: Date }>`
    with moved as (
      select id, starts_at as was_at, ${movedStart(change)} as starts_at, ends_at - starts_at as length from sessions
      where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and status <> 'cancelled' and starts_at > lanyard_now()
        and starts_at <> ${movedStart(change)})
    update sessions s set starts_at = m.starts_at, ends_at = m.starts_at + m.length, revision = s.revision + 1
    from moved m where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.id = m.id
    returning s.id, m.was_at as "wasAt", s.starts_at as "startsAt", s.ends_at as "endsAt"`
    .execute(ctx.db)
    .catch(rethrowOverlap)
  await sql`set constraints session_speakers_once immediate`.execute(ctx.db).catch(rethrowOverlap)
  for (const { id, wasAt, startsAt, endsAt } of rows) {
    announceToWebhooks(ctx, { kind: 'session.updated', entity: 'session', id, changed: ['startsAt', 'endsAt'], isTestData: false })
    recordChange(ctx, { kind: 'session', id, before: { startsAt: wasAt }, after: { startsAt, endsAt } })
  }
}

const EXCLUSION_VIOLATION = '23P01'

/**
 * Converts the database error about overlapping sessions. The time between upcoming sessions does not change, so only a session that has
 * begun, or a clock change, can cause an overlap.
 */
function rethrowOverlap(error: unknown): never {
  throw (error as { code?: string }).code === EXCLUSION_VIOLATION
    ? conflict('In this time zone two sessions would overlap in one room or with one speaker. Move one of them first')
    : error
}
