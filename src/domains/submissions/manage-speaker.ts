import { toOneLine, code, count, email, flag, id, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { buildEditArguments } from '../../kernel/record-shapes.ts'
import { participantReferenceSchema, resolveParticipant } from '../registration/find/resolve-participant.ts'
import { INVITE_SKIP_REASONS } from '../sessions/invite-speakers.ts'
import { SPEAKER_RECORD } from '../sessions/speaker-record.ts'
import { describeSpeaker, listSpeakerSessions, Speaker } from '../sessions/speaker-shape.ts'
import { findSpeakerByEmail, getSpeaker, linkSpeakerToRegistration, setSpeakerStatus, updateSpeaker } from '../sessions/speakers.ts'
import { deleteSpeaker, mergeSpeakers } from './speakers.ts'

const { email: _email, ...fields } = buildEditArguments(SPEAKER_RECORD)

export const MANAGE_SPEAKER_ARGUMENTS = {
  speakerId: id('speaker'),
  email: email(),
  ...fields,
  speakerIds: list(id('speaker'), 500),
  flowSlug: code(),
  message: text(1000),
  resend: flag(),
  status: oneOf(['confirmed', 'declined', 'withdrawn']),
  reason: text(500),
  participantId: participantReferenceSchema(),
  keepId: id('speaker'),
  dropId: id('speaker'),
}

export const MANAGE_SPEAKER_RESULT_FIELDS = {
  speaker: Speaker.optional(),
  changed: list(text()).optional(),
  needsSpeaker: toOneLine(list(object({ sessionId: text(), title: untrustedText() })), 'sessionId, title').optional(),
  deleted: count().optional(),
  queued: count().optional(),
  skipped: toOneLine(list(object({ reason: oneOf(INVITE_SKIP_REASONS), count: count() })), 'reason, count').optional(),
}

/** The optional fields that the actions create and update of manage_speaker accept. */
export const EDITABLE_SPEAKER_FIELDS = [
  'company',
  'jobTitle',
  'bio',
  'headshotFileId',
  'links',
  'country',
  'availability',
  'disclosure',
  'answers',
] as const

export const getSpeakerDetails = async (ctx: EventContext, speakerId: string) => ({
  speaker: await describeSpeaker(ctx, await getSpeaker(ctx, speakerId)),
})

export async function getSpeakerByIdOrEmail(
  ctx: EventContext,
  { speakerId, email: address }: { speakerId?: string | undefined; email?: string | undefined },
) {
  if ((speakerId === undefined) === (address === undefined))
    throw invalidArguments(['speakerId', 'email'].map((path) => ({ path, message: 'pass either speakerId or email' })))
  if (speakerId !== undefined) return getSpeakerDetails(ctx, speakerId)
  const row = await findSpeakerByEmail(ctx, address!)
  if (!row) throw notFound(`No speaker ${address} at this event. Use list_speakers to search by name, email or company.`)
  return { speaker: await describeSpeaker(ctx, row) }
}

export async function updateSpeakerAndReturnDetails(
  ctx: EventContext,
  { speakerId, ...edit }: { speakerId: string } & Parameters<typeof updateSpeaker>[2],
) {
  const { changed } = await updateSpeaker(ctx, speakerId, edit)
  return { ...(await getSpeakerDetails(ctx, speakerId)), changed }
}

interface NewStatus {
  speakerId: string
  status: 'confirmed' | 'declined' | 'withdrawn'
  reason?: string | undefined
}

/** Sets the speaker's status. If the speaker does not attend, returns the sessions that still list this speaker. */
export async function setSpeakerStatusAndShow(ctx: EventContext, { speakerId, status, reason }: NewStatus) {
  const changed = await setSpeakerStatus(ctx, speakerId, status, reason)
  const sessions = status === 'confirmed' ? [] : await listSpeakerSessions(ctx, speakerId)
  return {
    ...(await getSpeakerDetails(ctx, speakerId)),
    changed: changed ? ['status'] : [],
    needsSpeaker: sessions.map(({ sessionId, title }) => ({ sessionId, title })),
  }
}

export async function linkParticipantAndShowSpeaker(
  ctx: EventContext,
  { speakerId, participantId }: { speakerId: string; participantId: string },
) {
  const { id: found } = await resolveParticipant(ctx, participantId)
  const changed = await linkSpeakerToRegistration(ctx, speakerId, found)
  return { ...(await getSpeakerDetails(ctx, speakerId)), changed }
}

export async function mergeSpeakersAndReturnDetails(ctx: EventContext, { keepId, dropId }: { keepId: string; dropId: string }) {
  const { changed } = await mergeSpeakers(ctx, keepId, dropId)
  return { ...(await getSpeakerDetails(ctx, keepId)), changed }
}

export async function deleteSpeakerAndReturnCount(ctx: EventContext, { speakerId }: { speakerId: string }) {
  await deleteSpeaker(ctx, speakerId)
  return { deleted: 1 }
}
