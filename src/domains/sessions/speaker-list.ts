import { sql } from 'kysely'
import { toOneLine, count, id, list, object, oneOf, untrustedText } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { createUnknownNameError } from '../../kernel/nearest.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { countCappedTotal } from '../../kernel/totals.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import {
  listMissingSpeakerDetails,
  MISSING_SPEAKER_DETAILS,
  MISSING_SPEAKER_DETAIL_SQL,
  type MissingSpeakerDetail,
  SpeakerSession,
} from './speaker-shape.ts'
import type { SpeakerStatus } from './speakers.ts'
import { SPEAKER_STATES } from './states.ts'

export const ListedSpeaker = object({
  id: id('speaker'),
  name: untrustedText(),
  email: untrustedText(),
  company: untrustedText().nullable(),
  status: oneOf(SPEAKER_STATES.all),
  submissions: count(),
  sessions: toOneLine(list(SpeakerSession), 'sessionId, title, status, role'),
  missing: list(oneOf(MISSING_SPEAKER_DETAILS)),
})

interface SpeakerFilter {
  status?: readonly SpeakerStatus[] | undefined
  trackCode?: string | undefined
  hasSession?: boolean | undefined
  missing?: readonly MissingSpeakerDetail[] | undefined
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

const atSpeaker = (alias: string) =>
  sql`${sql.ref(`${alias}.tenant_id`)} = speakers.tenant_id and ${sql.ref(`${alias}.event_id`)} = speakers.event_id`
const joinSession = sql`join sessions s on s.tenant_id = x.tenant_id and s.event_id = x.event_id and s.id = x.session_id and s.status <> 'cancelled'`
const joinSubmission = sql`join submissions s on s.tenant_id = x.tenant_id and s.event_id = x.event_id and s.id = x.submission_id and s.status <> 'merged'`
const ofSpeaker = sql`where ${atSpeaker('x')} and x.speaker_id = speakers.id`

const hasSessionSql = sql<boolean>`exists (select from session_speakers x ${joinSession} ${ofSpeaker})`

/** SQL condition that the speaker has a session in the track, or a submission that the submitter or the committee assigned to it. */
const isInTrack = (trackCode: string) => sql<boolean>`(
  exists (select from session_speakers x ${joinSession} ${ofSpeaker} and s.track_code = ${trackCode})
  or exists (select from submission_speakers x ${joinSubmission} ${ofSpeaker} and coalesce(s.decided_track_code, s.track_code) = ${trackCode}))`

/** Lists speakers by last name, with their sessions and their missing details. */
export async function listSpeakers(ctx: EventContext, { status, trackCode, hasSession, missing, search, ...page }: SpeakerFilter) {
  let rows = eventDb(ctx).selectFrom('speakers')
  if (status?.length) rows = rows.where('speakers.status', 'in', status)
  if (trackCode !== undefined) {
    await requireTrack(ctx, trackCode)
    rows = rows.where(isInTrack(trackCode))
  }
  if (hasSession !== undefined) rows = rows.where(hasSession ? hasSessionSql : sql<boolean>`not ${hasSessionSql}`)
  if (missing?.length)
    rows = rows.where(
      sql<boolean>`(${sql.join(
        missing.map((part) => MISSING_SPEAKER_DETAIL_SQL[part]),
        sql` or `,
      )})`,
    )
  if (search !== undefined) rows = rows.where(buildWordMatchCondition(sql`speakers.searched`, search))
  const { items, ...rest } = await readPage(ctx, page, {
    rows: rows
      .select(['speakers.id', 'first_name', 'last_name', 'email', 'company', 'speakers.status', 'bio', 'headshot_file_id', 'disclosure'])
      .select(sql<number>`(select count(*)::int from submission_speakers x ${joinSubmission} ${ofSpeaker})`.as('submissions'))
      .select(
        sql<{ sessionId: string; title: string; status: 'draft' | 'scheduled' | 'cancelled'; role: string }[]>`coalesce((
          select json_agg(json_build_object('sessionId', s.id, 'title', s.title, 'status', s.status, 'role', x.role) order by s.starts_at, s.id)
          from session_speakers x ${joinSession} ${ofSpeaker}), '[]')`.as('sessions'),
      ),
    order: [
      { by: sql`speakers.last_name`, type: 'text', of: (row) => row.last_name },
      { by: sql`speakers.first_name`, type: 'text', of: (row) => row.first_name },
      { by: sql`speakers.id`, type: 'text', of: (row) => row.id },
    ],
    shape: (row) => ({
      id: row.id,
      name: `${row.first_name} ${row.last_name}`.trim(),
      email: row.email,
      company: row.company,
      status: row.status,
      submissions: row.submissions,
      sessions: row.sessions,
      missing: listMissingSpeakerDetails(row),
    }),
  })
  const counted = await rows
    .select(['speakers.status', sql<number>`count(*)::int`.as('count')])
    .groupBy('speakers.status')
    .execute()
  return {
    speakers: items,
    counts: Object.fromEntries(counted.map((one) => [one.status, one.count])),
    ...(await countCappedTotal(ctx, rows)),
    ...rest,
  }
}

/** Throws if the event does not have the track. */
export async function requireTrack(ctx: EventContext, trackCode: string): Promise<void> {
  const { sessions } = (await readDraftConfiguration(ctx)).config
  const codes = sessions.tracks.map(({ code }) => code)
  if (!codes.includes(trackCode)) throw createUnknownNameError('trackCode', trackCode, codes, 'track')
}
