import { brief, code, count, email, flag, id, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { manageEventTool } from '../../kernel/manage-tool.ts'
import { editArguments } from '../../kernel/record-shapes.ts'
import { INVITE_SKIP_REASONS, inviteSpeakers } from '../../domains/sessions/invite-speakers.ts'
import { SPEAKER } from '../../domains/sessions/speaker-record.ts'
import { describeSpeaker, listSpeakerSessions, Speaker } from '../../domains/sessions/speaker-shape.ts'
import {
  createSpeaker,
  findSpeakerByEmail,
  getSpeaker,
  linkSpeaker,
  type NewSpeaker,
  setSpeakerStatus,
  updateSpeaker,
} from '../../domains/sessions/speakers.ts'
import { resolveParticipant } from '../../domains/registration/find/resolve-participant.ts'
import { participantReference } from '../../domains/registration/find/resolve-participant.ts'
import { deleteSpeaker, mergeSpeakers } from '../../domains/submissions/speakers.ts'

const { email: _email, ...fields } = editArguments(SPEAKER)
const FIELD_NAMES = ['company', 'jobTitle', 'bio', 'headshotFileId', 'links', 'country', 'availability', 'disclosure', 'answers'] as const

const show = async (ctx: EventContext, speakerId: string) => ({ speaker: await describeSpeaker(ctx, await getSpeaker(ctx, speakerId)) })

export default manageEventTool({
  name: 'manage_speaker',
  title: 'Manage a speaker',
  description:
    'Invite a speaker (faculty, presenter, keynote) by email, merge duplicates or delete one, which cannot be undone: make a dryRun first. Actions: get, create, update (bio), invite, set_status (confirmed, declined, pulled out), link_participant (registration), merge, delete. For many use import_speakers. Returns the speaker.',
  effect: 'destructive',
  area: 'sessions',
  keyed: true,
  openWorld: true,
  input: {
    speakerId: id('speaker'),
    email: email(),
    ...fields,
    speakerIds: list(id('speaker'), 500),
    flowSlug: code(),
    message: text(1000),
    resend: flag(),
    status: oneOf(['confirmed', 'declined', 'withdrawn']),
    reason: text(500),
    participantId: participantReference(),
    keepId: id('speaker'),
    dropId: id('speaker'),
  },
  output: {
    speaker: Speaker.optional(),
    changed: list(text()).optional(),
    needsSpeaker: brief(list(object({ sessionId: text(), title: untrustedText() })), 'sessionId, title').optional(),
    deleted: count().optional(),
    queued: count().optional(),
    skipped: brief(list(object({ reason: oneOf(INVITE_SKIP_REASONS), count: count() })), 'reason, count').optional(),
  },
  actions: (action) => ({
    get: action.read([], getBySpeakerIdOrEmail, { takes: ['speakerId', 'email'] }),
    create: action.change(
      ['firstName', 'lastName', 'email'],
      async (ctx, input) => show(ctx, (await createSpeaker(ctx, input as NewSpeaker)).id),
      { takes: FIELD_NAMES },
    ),
    update: action.change(
      ['speakerId'],
      async (ctx, { speakerId, ...edit }) => {
        const { changed } = await updateSpeaker(ctx, speakerId, edit)
        return { ...(await show(ctx, speakerId)), changed }
      },
      { takes: ['firstName', 'lastName', 'email', ...FIELD_NAMES, 'clear', 'ifRevision'] },
    ),
    invite: action.change(['speakerIds'], inviteSpeakers, { takes: ['flowSlug', 'message', 'resend'], also: ['email.send'] }),
    set_status: action.change(
      ['speakerId', 'status'],
      async (ctx, { speakerId, status, reason }) => {
        const changed = await setSpeakerStatus(ctx, speakerId, status, reason)
        const sessions = status === 'confirmed' ? [] : await listSpeakerSessions(ctx, speakerId)
        return {
          ...(await show(ctx, speakerId)),
          changed: changed ? ['status'] : [],
          needsSpeaker: sessions.map(({ sessionId, title }) => ({ sessionId, title })),
        }
      },
      { takes: ['reason'] },
    ),
    link_participant: action.change(['speakerId', 'participantId'], async (ctx, { speakerId, participantId }) => {
      const { id: found } = await resolveParticipant(ctx, participantId)
      const changed = await linkSpeaker(ctx, speakerId, found)
      return { ...(await show(ctx, speakerId)), changed }
    }),
    merge: action.change(['keepId', 'dropId'], async (ctx, { keepId, dropId }) => ({
      ...(await mergeSpeakers(ctx, keepId, dropId)),
      ...(await show(ctx, keepId)),
    })),
    delete: action.change(['speakerId'], async (ctx, { speakerId }) => {
      await deleteSpeaker(ctx, speakerId)
      return { deleted: 1 }
    }),
  }),
})

async function getBySpeakerIdOrEmail(
  ctx: EventContext,
  { speakerId, email: address }: { speakerId?: string | undefined; email?: string | undefined },
) {
  if ((speakerId === undefined) === (address === undefined))
    throw invalidArguments(['speakerId', 'email'].map((path) => ({ path, message: 'pass either speakerId or email' })))
  if (speakerId !== undefined) return show(ctx, speakerId)
  const row = await findSpeakerByEmail(ctx, address!)
  if (!row) throw notFound(`No speaker ${address} at this event. Use list_speakers to search by name, email or company.`)
  return { speaker: await describeSpeaker(ctx, row) }
}
