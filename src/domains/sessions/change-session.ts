import type { Selectable } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { changeRecordState, changeStateOfRows } from '../../kernel/states.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import { formatFullName } from '../messages/event-mail/person.ts'
import type { SessionContext } from './context.ts'
import { lockSessions } from './enrol.ts'
import { requireNoScheduleClash, rethrowScheduleClash } from './sessions.ts'
import { SESSION_STATES, ENROLMENT_STATES } from './states.ts'
import type { SpeakerRole } from './tables.ts'

export type SessionRow = Selectable<Tables['sessions']>

export interface SessionSpeaker {
  speakerId: string
  role: SpeakerRole
}

interface SessionSlot {
  startsAt: Date
  endsAt: Date
  roomCode: string | undefined
  speakers: readonly SessionSpeaker[]
}

const announceSession = (ctx: SessionContext, id: string, changed: readonly string[]) =>
  announceToWebhooks(ctx, { kind: 'session.updated', entity: 'session', id, changed, isTestData: false })

/** Moves a session to another time and room. If the room or a speaker is busy, the error names the conflicting session. */
export async function moveSession(
  ctx: SessionContext,
  session: SessionRow,
  { startsAt, endsAt, roomCode, speakers }: SessionSlot,
): Promise<SessionRow> {
  await requireNoScheduleClash(ctx, { startsAt, endsAt, roomCode, speakers, sessionId: session.id })
  const times = { starts_at: startsAt, ends_at: endsAt, room_code: roomCode ?? null }
  const audited = { startsAt, endsAt, roomCode }
  const row =
    session.status === 'scheduled'
      ? await eventDb(ctx)
          .updateTable('sessions')
          .set(times)
          .where('id', '=', session.id)
          .returningAll()
          .executeTakeFirstOrThrow()
          .catch(rethrowScheduleClash)
      : await changeRecordState(ctx, SESSION_STATES, session, 'scheduled', { columns: times, audited }).catch(rethrowScheduleClash)
  if (session.status === 'scheduled')
    recordChange(ctx, {
      kind: 'session',
      id: session.id,
      before: { startsAt: session.starts_at, endsAt: session.ends_at, roomCode: session.room_code },
      after: audited,
    })
  announceSession(ctx, session.id, ['startsAt', 'endsAt', 'roomCode', 'status'])
  return row
}

/**
 * Removes a session from the programme. It becomes a draft without time and room, and keeps its enrolments for when it is scheduled again.
 */
export async function unscheduleSession(ctx: SessionContext, session: SessionRow): Promise<void> {
  if (session.status !== 'scheduled') return
  await changeRecordState(ctx, SESSION_STATES, session, 'draft', { columns: { starts_at: null, ends_at: null, room_code: null } })
  announceSession(ctx, session.id, ['startsAt', 'endsAt', 'roomCode', 'status'])
}

/** Edits title, description, track, format and speakers of a session. A speaker with another session at that time is rejected. */
export async function editSession(
  ctx: SessionContext,
  session: SessionRow,
  edit: { title: string; abstract: string | null; track_code: string; format_code: string },
  speakers: readonly SessionSpeaker[],
): Promise<void> {
  if (session.starts_at && session.ends_at && session.status === 'scheduled')
    await requireNoScheduleClash(ctx, {
      startsAt: session.starts_at,
      endsAt: session.ends_at,
      roomCode: undefined,
      speakers,
      sessionId: session.id,
    })
  await eventDb(ctx).updateTable('sessions').set(edit).where('id', '=', session.id).execute()
  await replaceSessionSpeakers(ctx, session.id, speakers)
  const before = { title: session.title, abstract: session.abstract, track_code: session.track_code, format_code: session.format_code }
  const changed = recordChange(ctx, { kind: 'session', id: session.id, before, after: edit })
  if (changed.length > 0) announceSession(ctx, session.id, changed)
}

async function replaceSessionSpeakers(ctx: SessionContext, sessionId: string, speakers: readonly SessionSpeaker[]): Promise<void> {
  const own = eventDb(ctx).selectFrom('session_speakers').select(['speaker_id as speakerId', 'role'])
  const before = await own.where('session_id', '=', sessionId).orderBy('position').execute()
  if (JSON.stringify(before) === JSON.stringify(speakers.map(({ speakerId, role }) => ({ speakerId, role })))) return
  await eventDb(ctx).deleteFrom('session_speakers').where('session_id', '=', sessionId).execute()
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id, session_id: sessionId }
  for (const [index, { speakerId, role }] of speakers.entries())
    await ctx.db
      .insertInto('session_speakers')
      .values({ ...at, speaker_id: speakerId, role, position: index + 1 })
      .execute()
      .catch(rethrowScheduleClash)
}

/** Cancels a session: frees its room, ends its enrolments, and emails everyone enrolled and its speakers. Returns the number of emails. */
export async function cancelSession(ctx: SessionContext, session: SessionRow, reason: string | undefined): Promise<number> {
  if (session.status === 'cancelled') return 0
  await lockSessions(ctx, [session.id])
  await changeRecordState(ctx, SESSION_STATES, session, 'cancelled', { audited: reason === undefined ? {} : { reason } })
  announceSession(ctx, session.id, ['status'])
  const ended = await changeStateOfRows(eventDb(ctx), ENROLMENT_STATES, 'cancelled')
    .set({ position: null })
    .where('session_id', '=', session.id)
    .returning('participant_id')
    .execute()
  return sendCancelledEmails(
    ctx,
    session,
    ended.map(({ participant_id }) => participant_id),
    reason,
  )
}

interface Recipient {
  email: string
  name: string
  participant: Selectable<Tables['participants']> | null
}

/** Emails everyone enrolled and the speakers of a cancelled session, once per address. A guest without an address gets no email. */
async function sendCancelledEmails(
  ctx: SessionContext,
  session: SessionRow,
  participantIds: readonly string[],
  reason: string | undefined,
): Promise<number> {
  const people =
    participantIds.length === 0
      ? []
      : await eventDb(ctx).selectFrom('participants').selectAll().where('id', 'in', participantIds).orderBy('id').execute()
  const speakers = await eventDb(ctx)
    .selectFrom('session_speakers as x')
    .innerJoin('speakers as p', (join) => joinRowsOfSameEvent(join, 'p.id', 'x.speaker_id'))
    .select(['p.email', 'p.first_name', 'p.last_name'])
    .where('x.session_id', '=', session.id)
    .where('p.status', 'not in', ['declined', 'withdrawn'])
    .orderBy('x.position')
    .execute()
  const recipients = new Map<string, Recipient>()
  for (const person of people)
    if (person.email !== null)
      recipients.set(person.email_norm!, { email: person.email, name: formatFullName(person), participant: person })
  for (const speaker of speakers) {
    const key = foldEmailCase(speaker.email)
    if (!recipients.has(key))
      recipients.set(key, { email: speaker.email, name: `${speaker.first_name} ${speaker.last_name}`, participant: null })
  }
  for (const { email, name, participant } of recipients.values())
    await sendEventEmail(ctx, {
      trigger: 'session.cancelled',
      participant,
      to: { email, name },
      values: {
        'session.title': session.title,
        'session.startsAt': session.starts_at && { instant: session.starts_at, zone: ctx.event.timezone },
        'session.room': session.room_code,
        'session.reason': reason,
      },
      isTestData: participant?.is_test_data ?? false,
      sourceKind: 'session',
      sourceId: session.id,
    })
  return recipients.size
}
