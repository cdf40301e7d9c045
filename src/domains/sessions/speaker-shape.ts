import { sql } from 'kysely'
import type { z } from 'zod'
import { toOneLine, count, id, instant, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { EventContext } from '../../kernel/context.ts'
import type { SessionQueryContext } from './context.ts'
import { CustomQuestionAnswers } from './speaker-record.ts'
import type { SpeakerRow } from './speakers.ts'
import { SESSION_STATES, SPEAKER_STATES } from './states.ts'

/** The details that a speaker may still have to provide. */
export const MISSING_SPEAKER_DETAILS = ['bio', 'headshot', 'disclosure', 'confirmation'] as const
export type MissingSpeakerDetail = (typeof MISSING_SPEAKER_DETAILS)[number]

/** SQL conditions on the table `speakers` for each missing detail. */
export const MISSING_SPEAKER_DETAIL_SQL = {
  bio: sql<boolean>`speakers.bio is null`,
  headshot: sql<boolean>`speakers.headshot_file_id is null`,
  disclosure: sql<boolean>`speakers.disclosure is null`,
  confirmation: sql<boolean>`speakers.status in ('prospect', 'invited')`,
} as const satisfies Record<MissingSpeakerDetail, unknown>

export const listMissingSpeakerDetails = (
  row: Pick<SpeakerRow, 'bio' | 'headshot_file_id' | 'disclosure' | 'status'>,
): MissingSpeakerDetail[] => {
  const missing: Record<MissingSpeakerDetail, boolean> = {
    bio: row.bio === null,
    headshot: row.headshot_file_id === null,
    disclosure: row.disclosure === null,
    confirmation: row.status === 'prospect' || row.status === 'invited',
  }
  return MISSING_SPEAKER_DETAILS.filter((part) => missing[part])
}

export const SpeakerSession = object({ sessionId: text(), title: untrustedText(), status: oneOf(SESSION_STATES.all), role: text() })

export const Speaker = toOneLine(
  object({
    id: id('speaker'),
    firstName: untrustedText(),
    lastName: untrustedText(),
    email: untrustedText(),
    company: untrustedText().nullable(),
    jobTitle: untrustedText().nullable(),
    bio: untrustedText().nullable(),
    headshotFileId: text().nullable(),
    links: list(untrustedText()),
    country: text().nullable(),
    status: oneOf(SPEAKER_STATES.all),
    availability: list(object({ from: instant(), until: instant() })),
    disclosure: untrustedText().nullable(),
    answers: CustomQuestionAnswers.optional(),
    contactId: text().nullable(),
    participantId: text().nullable(),
    invitedAt: instant().nullable(),
    missing: list(oneOf(MISSING_SPEAKER_DETAILS)),
    submissions: list(object({ number: text(), title: untrustedText(), status: text(), role: text() })),
    sessions: list(SpeakerSession),
    revision: count(),
  }),
  'id, firstName, lastName, email, company, bio, status, submissions[], sessions[] ...',
)

/** Describes a speaker. Answers may be personal data, so they require personal.read. */
export async function describeSpeaker(
  ctx: SessionQueryContext & Pick<EventContext, 'permissions'>,
  row: SpeakerRow,
): Promise<z.input<typeof Speaker>> {
  return {
    id: row.id,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    company: row.company,
    jobTitle: row.job_title,
    bio: row.bio,
    headshotFileId: row.headshot_file_id,
    links: row.links,
    country: row.country,
    status: row.status,
    availability: row.availability,
    disclosure: row.disclosure,
    ...(ctx.permissions.has('personal.read') ? { answers: row.answers } : {}),
    contactId: row.contact_id,
    participantId: row.participant_id,
    invitedAt: row.invited_at && formatInstant(row.invited_at),
    missing: listMissingSpeakerDetails(row),
    submissions: await listSpeakerSubmissions(ctx, row.id),
    sessions: await listSpeakerSessions(ctx, row.id),
    revision: row.revision,
  }
}

/** Lists the speaker's sessions, without cancelled ones. */
export const listSpeakerSessions = (ctx: SessionQueryContext, speakerId: string) =>
  eventDb(ctx)
    .selectFrom('session_speakers as x')
    .innerJoin('sessions as s', (join) => joinRowsOfSameEvent(join, 's.id', 'x.session_id'))
    .select(['s.id as sessionId', 's.title', 's.status', 'x.role'])
    .where('x.speaker_id', '=', speakerId)
    .where('s.status', '<>', 'cancelled')
    .orderBy('s.starts_at')
    .orderBy('s.id')
    .execute()

const listSpeakerSubmissions = (ctx: SessionQueryContext, speakerId: string) =>
  eventDb(ctx)
    .selectFrom('submission_speakers as x')
    .innerJoin('submissions as s', (join) => joinRowsOfSameEvent(join, 's.id', 'x.submission_id'))
    .select(['s.number', 's.title', 's.status', 'x.role'])
    .where('x.speaker_id', '=', speakerId)
    .where('s.status', '<>', 'merged')
    .orderBy('s.number')
    .execute()
