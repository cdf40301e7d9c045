import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { SessionContext } from './context.ts'
import { listSpeakerSessions } from './speaker-shape.ts'
import { requireNoScheduleClash, rethrowScheduleClash } from './sessions.ts'
import type { SpeakerRow } from './speakers.ts'
import type { SpeakerRole } from './tables.ts'

/**
 * Transfers the sessions of one speaker to another. If both are on a session, only the other speaker stays. Returns the number of
 * transferred sessions.
 */
export async function transferSpeakerSessions({ db, tenantId, event }: SessionContext, fromId: string, toId: string): Promise<number> {
  const { rows } = await sql`
    update session_speakers x set speaker_id = ${toId} where x.tenant_id = ${tenantId} and x.event_id = ${event.id} and x.speaker_id = ${fromId}
      and not exists (select from session_speakers k where k.tenant_id = x.tenant_id and k.event_id = x.event_id
        and k.session_id = x.session_id and k.speaker_id = ${toId})
    returning 1`
    .execute(db)
    .catch((error: unknown) => {
      if ((error as { code?: string }).code !== '23P01') throw error
      throw conflict('Both speakers have a session at the same time. Move one of the sessions before merging.')
    })
  await eventDb({ db, tenantId, event }).deleteFrom('session_speakers').where('speaker_id', '=', fromId).execute()
  return rows.length
}

/** Deletes a speaker who has no sessions. The speaker is removed from cancelled sessions. */
export async function deleteSpeakerRow(ctx: SessionContext, row: SpeakerRow): Promise<void> {
  const sessions = await listSpeakerSessions(ctx, row.id)
  if (sessions.length > 0)
    throw preconditionFailed(
      `This speaker is on ${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}. Take the speaker off before deleting, or set the status withdrawn.`,
    )
  await eventDb(ctx).deleteFrom('session_speakers').where('speaker_id', '=', row.id).execute()
  await eventDb(ctx).deleteFrom('speakers').where('id', '=', row.id).execute()
  ctx.effects.add('deletes', row.id, { speakerId: row.id })
  recordChange(ctx, { kind: 'speaker', id: row.id, before: { email: row.email, status: row.status } })
}

/** Lists the ids of the event's sessions by case-folded title and by code. A title that several sessions have is left out. */
export async function listSessionIdsByName(ctx: SessionContext): Promise<Map<string, string>> {
  const rows = await eventDb(ctx).selectFrom('sessions').select(['id', 'code', 'title']).where('status', '<>', 'cancelled').execute()
  const fold = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
  const byTitle = Map.groupBy(rows, ({ title }) => fold(title))
  return new Map([
    ...[...byTitle].flatMap(([title, same]) => (same.length === 1 ? [[title, same[0]!.id] as const] : [])),
    ...rows.map(({ id, code }) => [code, id] as const),
  ])
}

/** Adds a speaker to a session if they are not on it. Throws if the speaker has another session at that time. */
export async function addSpeakerToSession(
  ctx: SessionContext,
  { speakerId, sessionId, role }: { speakerId: string; sessionId: string; role: SpeakerRole },
): Promise<void> {
  const session = await eventDb(ctx).selectFrom('sessions').selectAll().where('id', '=', sessionId).executeTakeFirstOrThrow()
  const speakers = await eventDb(ctx).selectFrom('session_speakers').selectAll().where('session_id', '=', sessionId).execute()
  if (speakers.some((one) => one.speaker_id === speakerId)) return
  if (session.status === 'scheduled')
    await requireNoScheduleClash(ctx, {
      startsAt: session.starts_at!,
      endsAt: session.ends_at!,
      roomCode: undefined,
      speakers: [{ speakerId }],
      sessionId,
    })
  await ctx.db
    .insertInto('session_speakers')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      session_id: sessionId,
      speaker_id: speakerId,
      role,
      position: Math.max(0, ...speakers.map(({ position }) => position)) + 1,
    })
    .execute()
    .catch(rethrowScheduleClash)
  recordChange(ctx, { kind: 'session', id: sessionId, after: { speaker: speakerId, role } })
}
