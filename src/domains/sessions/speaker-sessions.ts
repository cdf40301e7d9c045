import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { EventScope } from './context.ts'
import { listSpeakerSessions } from './speaker-shape.ts'
import type { SpeakerRow } from './speakers.ts'

/** Moves the sessions of one speaker to another. On a session of both, only the other stays. Returns the number of moved sessions. */
export async function moveSpeakerSessions({ db, tenantId, event }: EventScope, fromId: string, toId: string): Promise<number> {
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

/** Deletes the row of a speaker without sessions. Cancelled sessions lose the speaker. */
export async function deleteSpeakerRow(ctx: EventScope, row: SpeakerRow): Promise<void> {
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
