import { sql } from 'kysely'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import type { SessionQueryContext } from '../sessions/context.ts'
import type { SpeakerRow } from '../sessions/speakers.ts'
import { findSpeakerConflicts, type ScheduleConflict } from './schedule.ts'

interface SessionSpeaker extends Pick<SpeakerRow, 'id' | 'availability' | 'status'> {
  name: string
}

interface SessionFacts {
  code: string
  title: string
  status: 'scheduled' | 'cancelled'
  trackCode: string
  roomCode: string | null
  startsAt: Date
  endsAt: Date
  /** The number of the submission that became this session; null for sessions without a submission. */
  submission: string | null
  speakers: SessionSpeaker[]
}

export interface SessionWithSpeakerClashes extends Omit<SessionFacts, 'speakers'> {
  speakers: string[]
  clashes: { kind: ScheduleConflict['kind']; speaker: string }[]
}

/** Lists the scheduled sessions for organizers by time, with warnings about speakers who are unavailable or have not confirmed. */
export async function listProgramSessions(
  { db, tenantId, event }: SessionQueryContext,
  search?: string,
): Promise<SessionWithSpeakerClashes[]> {
  const { rows } = await sql<SessionFacts>`
    select s.code, s.title, s.status, s.track_code as "trackCode", s.room_code as "roomCode", s.starts_at as "startsAt",
      s.ends_at as "endsAt", u.number as submission,
      coalesce((
        select jsonb_agg(jsonb_build_object('id', p.id, 'name', concat_ws(' ', p.first_name, p.last_name), 'availability', p.availability,
          'status', p.status) order by x.position)
        from session_speakers x join speakers p on p.tenant_id = x.tenant_id and p.event_id = x.event_id and p.id = x.speaker_id
        where x.tenant_id = s.tenant_id and x.event_id = s.event_id and x.session_id = s.id), '[]') as speakers
    from sessions s left join submissions u on u.tenant_id = s.tenant_id and u.event_id = s.event_id and u.id = s.submission_id
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.status in ('scheduled', 'cancelled') and s.starts_at is not null
      and ${search === undefined ? sql`true` : buildWordMatchCondition(sql`s.searched`, search)}
    order by s.starts_at, s.room_code nulls last, s.id`.execute(db)
  return rows.map(({ speakers, ...session }) => ({
    ...session,
    speakers: speakers.map(({ name }) => name),
    clashes:
      session.status === 'cancelled'
        ? []
        : speakers.flatMap((speaker) =>
            findSpeakerConflicts(speaker, session.startsAt, session.endsAt).map(({ kind }) => ({ kind, speaker: speaker.name })),
          ),
  }))
}
