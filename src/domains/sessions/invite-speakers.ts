import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { createUnknownNameError } from '../../kernel/nearest.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { endOfDay } from '../../kernel/time.ts'
import { readConfigForRegistration, readDraftConfiguration } from '../configuration/read.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import type { SessionContext } from './context.ts'
import { buildSpeakerPageUrl } from './speaker-links.ts'
import { lockSpeaker, type SpeakerRow } from './speakers.ts'
import { SPEAKER_STATES } from './states.ts'

export const INVITE_SKIP_REASONS = ['already_confirmed', 'recently_invited'] as const
type SkipReason = (typeof INVITE_SKIP_REASONS)[number]

interface SpeakerInvitation {
  speakerIds: readonly string[]
  flowSlug?: string | undefined
  message?: string | undefined
  /** Whether to invite speakers again who were invited within the last 24 hours. */
  resend?: boolean | undefined
}

/** Emails speakers a personal link to answer the invitation and to register. */
export async function inviteSpeakers(ctx: SessionContext, { speakerIds, flowSlug, message, resend = false }: SpeakerInvitation) {
  const { config, facts } = (await readConfigForRegistration(ctx)) ?? (await readDraftConfiguration(ctx))
  const flows = config.flows.filter(({ kind, retired }) => kind === 'speaker' && !retired)
  const flow = flowSlug === undefined ? flows[0] : flows.find(({ slug }) => slug === flowSlug)
  if (flowSlug !== undefined && !flow)
    throw createUnknownNameError(
      'flowSlug',
      flowSlug,
      flows.map(({ slug }) => slug),
      'speaker flow',
    )
  if (facts.status === 'draft') throw preconditionFailed('Publish the event first: the link of the invitation opens a page of the event.')
  const expiresAt = flow?.closesAt ? new Date(flow.closesAt) : endOfDay(facts.timezone, facts.endsOn)
  const skipped = new Map<SkipReason, number>()
  const queued: SpeakerRow[] = []
  for (const speakerId of [...new Set(speakerIds)].toSorted()) {
    const speaker = await lockSpeaker(ctx, speakerId)
    const reason = findSkipReason(speaker, facts.now, resend)
    if (reason) skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
    else queued.push(await inviteSpeaker(ctx, speaker, { message, expiresAt, flowSlug }))
  }
  return { queued: queued.length, skipped: [...skipped].map(([reason, count]) => ({ reason, count })) }
}

const DAY_MS = 24 * 60 * 60 * 1000

function findSkipReason({ status, invited_at }: SpeakerRow, now: Date, resend: boolean): SkipReason | null {
  if (status === 'confirmed') return 'already_confirmed'
  return !resend && invited_at !== null && now.getTime() - invited_at.getTime() < DAY_MS ? 'recently_invited' : null
}

async function inviteSpeaker(
  ctx: SessionContext,
  speaker: SpeakerRow,
  { message, expiresAt, flowSlug }: { message: string | undefined; expiresAt: Date; flowSlug: string | undefined },
): Promise<SpeakerRow> {
  const [row] = await eventDb(ctx)
    .updateTable('speakers')
    .set({ invited_at: sql<Date>`lanyard_now()` })
    .where('id', '=', speaker.id)
    .returningAll()
    .execute()
  if (speaker.status === 'invited') recordChange(ctx, { kind: 'speaker', id: speaker.id, after: { invitedAt: row!.invited_at } })
  else await changeRecordState(ctx, SPEAKER_STATES, row!, 'invited')
  const link = buildSpeakerPageUrl(ctx, { kind: 'speaker', id: speaker.id })
  await sendEventEmail(ctx, {
    trigger: 'speaker.invited',
    participant: null,
    to: { email: speaker.email, name: `${speaker.first_name} ${speaker.last_name}` },
    values: {
      'speaker.firstName': speaker.first_name,
      'speaker.lastName': speaker.last_name,
      'speaker.fullName': `${speaker.first_name} ${speaker.last_name}`,
      'invite.inviter': ctx.actor.name,
      'invite.message': message,
      'invite.expiresAt': { instant: expiresAt, zone: ctx.event.timezone },
      'links.invite': flowSlug === undefined ? link : `${link}?flow=${flowSlug}`,
    },
    isTestData: false,
    sourceKind: 'speaker',
    sourceId: speaker.id,
    // Emails with the same key are sent only once, so each invitation gets a random key.
    recipientKey: newId(),
  })
  return row!
}
