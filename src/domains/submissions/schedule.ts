import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { createUnknownNameError } from '../../kernel/nearest.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { toDayInZone, formatInstant } from '../../kernel/time.ts'
import { cancelSession, editSession, moveSession, type SessionRow, unscheduleSession } from '../sessions/change-session.ts'
import type { SessionQueryContext, SessionContext } from '../sessions/context.ts'
import { createSession } from '../sessions/sessions.ts'
import type { SpeakerRow } from '../sessions/speakers.ts'
import { SUBMISSION_STATES } from './states.ts'
import { announceSubmissionChange, listSubmissionSpeakers, lockSubmission, readSubmissionConfig } from './submissions.ts'
import type { SubmissionRow } from './tables.ts'

export const findSessionOfSubmission = async (ctx: SessionQueryContext, submissionId: string): Promise<SessionRow | null> =>
  (await eventDb(ctx).selectFrom('sessions').selectAll().where('submission_id', '=', submissionId).executeTakeFirst()) ?? null

interface Slot {
  startsAt: string
  roomCode: string
  endsAt?: string | undefined
}

/** A warning about a scheduled session, which does not prevent scheduling. */
export interface ScheduleConflict {
  kind: 'speaker_unavailable' | 'speaker_not_confirmed'
  speakerId: string
}

const MINUTE_MS = 60_000

/** Schedules an accepted submission as a session, or moves its session. The format determines the length. */
export async function scheduleSubmission(ctx: SessionContext, number: string, slot: Slot) {
  const { config, facts } = await readSubmissionConfig(ctx)
  const rooms = config.sessions.rooms.map(({ code }) => code)
  if (!rooms.includes(slot.roomCode)) throw createUnknownNameError('roomCode', slot.roomCode, rooms, 'room')
  const row = await lockSubmission(ctx, number)
  if (row.status !== 'accepted' && row.status !== 'confirmed')
    throw preconditionFailed(`Submission ${row.number} is ${row.status}. Only accepted or confirmed submissions can be scheduled.`)
  const formatCode = row.decided_format_code ?? row.format_code
  const minutes = config.sessions.formats.find(({ code }) => code === formatCode)?.minutes ?? 60
  const startsAt = new Date(slot.startsAt)
  const endsAt = slot.endsAt === undefined ? new Date(startsAt.getTime() + minutes * MINUTE_MS) : new Date(slot.endsAt)
  if (endsAt <= startsAt) throw invalidArguments([{ path: 'endsAt', message: 'must be after startsAt' }])
  requireEventDay('startsAt', startsAt, facts)
  // A session may end at midnight after the last day.
  requireEventDay('endsAt', new Date(endsAt.getTime() - 1), facts)
  const speakers = await listSubmissionSpeakers(ctx, row.id)
  const session = await saveSession(ctx, row, { startsAt, endsAt, roomCode: slot.roomCode }, speakers)
  announceSubmissionChange(ctx, row.id, ['session'])
  return { row, session, conflicts: await listScheduleConflicts(ctx, speakers, startsAt, endsAt) }
}

function requireEventDay(
  path: 'startsAt' | 'endsAt',
  at: Date,
  { timezone, startsOn, endsOn }: { timezone: string; startsOn: string; endsOn: string },
): void {
  const day = toDayInZone(timezone, at)
  if (day < startsOn || day > endsOn)
    throw invalidArguments([{ path, message: `is on ${day}, outside the event days ${startsOn} to ${endsOn}` }])
}

async function saveSession(
  ctx: SessionContext,
  row: SubmissionRow,
  slot: { startsAt: Date; endsAt: Date; roomCode: string },
  speakers: Awaited<ReturnType<typeof listSubmissionSpeakers>>,
): Promise<SessionRow> {
  const known = await findSessionOfSubmission(ctx, row.id)
  if (known) return moveSession(ctx, known, { ...slot, speakers })
  return createSession(ctx, { ...toSessionFields(row), ...slot, speakers, submissionId: row.id })
}

const toSessionFields = (row: SubmissionRow) => ({
  title: row.title,
  ...(row.abstract === null ? {} : { abstract: row.abstract }),
  trackCode: row.decided_track_code ?? row.track_code,
  formatCode: row.decided_format_code ?? row.format_code,
})

async function listScheduleConflicts(
  ctx: SessionContext,
  speakers: readonly { speakerId: string }[],
  startsAt: Date,
  endsAt: Date,
): Promise<ScheduleConflict[]> {
  if (speakers.length === 0) return []
  const ids = speakers.map(({ speakerId }) => speakerId)
  const rows = await eventDb(ctx)
    .selectFrom('speakers')
    .select(['id', 'availability', 'status'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.flatMap((speaker) => findSpeakerConflicts(speaker, startsAt, endsAt))
}

type SpeakerFacts = Pick<SpeakerRow, 'id' | 'availability' | 'status'>

/** Lists why a speaker may miss a session at this time: not available, declined or withdrawn. */
export function findSpeakerConflicts({ id, availability, status }: SpeakerFacts, startsAt: Date, endsAt: Date): ScheduleConflict[] {
  const fits = availability.some(({ from, until }) => new Date(from) <= startsAt && endsAt <= new Date(until))
  return [
    ...(availability.length > 0 && !fits ? [{ kind: 'speaker_unavailable' as const, speakerId: id }] : []),
    ...(status === 'declined' || status === 'withdrawn' ? [{ kind: 'speaker_not_confirmed' as const, speakerId: id }] : []),
  ]
}

/** Removes the session of a submission from the programme, if it has one. */
export async function unscheduleSubmission(ctx: SessionContext, { id }: Pick<SubmissionRow, 'id'>): Promise<void> {
  const session = await findSessionOfSubmission(ctx, id)
  if (session) await unscheduleSession(ctx, session)
}

/** Updates title, description, track, format and speakers of the session from its submission. */
export async function updateSessionFromSubmission(ctx: SessionContext, row: SubmissionRow): Promise<void> {
  const session = await findSessionOfSubmission(ctx, row.id)
  if (!session || session.status === 'cancelled') return
  const { title, trackCode, formatCode } = toSessionFields(row)
  const edit = { title, abstract: row.abstract, track_code: trackCode, format_code: formatCode }
  await editSession(ctx, session, edit, await listSubmissionSpeakers(ctx, row.id))
}

/** Cancels an accepted submission and its session, and emails everyone enrolled and its speakers. */
export async function cancelSubmission(
  ctx: SessionContext,
  number: string,
  reason: string,
): Promise<{ row: SubmissionRow; emails: number }> {
  const row = await changeRecordState(ctx, SUBMISSION_STATES, await lockSubmission(ctx, number), 'cancelled', { audited: { reason } })
  const session = await findSessionOfSubmission(ctx, row.id)
  return { row, emails: session ? await cancelSession(ctx, session, reason) : 0 }
}

export const describeScheduledSession = (session: SessionRow) => ({
  sessionId: session.id,
  code: session.code,
  status: session.status,
  roomCode: session.room_code,
  startsAt: session.starts_at && formatInstant(session.starts_at),
  endsAt: session.ends_at && formatInstant(session.ends_at),
})
