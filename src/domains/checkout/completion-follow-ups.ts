import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { runAfterCommit } from '../../kernel/commit-change.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { readStoredAnswers } from '../registration/answers.ts'
import { scheduleRegistrationEmail } from '../registration/due-emails.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { markInviteAsUsed } from '../registration/invitations/invites.ts'
import { endFlowVisit } from '../registration/flows/visits.ts'
import { joinWaitlist } from '../registration/waitlist/waitlist.ts'
import { submitBoothRequest } from './booth-request.ts'
import { makeCreatorGroupLeader } from './group-choice.ts'
import { saveAlternativeHotels } from './other-hotels.ts'
import { cancelUnverifiedDuplicates } from './unverified-duplicates.ts'

/** The tasks that run after a registration is completed, such as the confirmation email, in this order. */
export const COMPLETION_FOLLOW_UPS = ['confirmation', 'invitation', 'visit', 'group', 'booth', 'waitlist', 'hotels', 'duplicates'] as const
export type CompletionFollowUp = (typeof COMPLETION_FOLLOW_UPS)[number]

/** Data that the form pages have stored for the tasks after completion: flow visit, waiting lists, booth request, alternative hotels. */
export type CompletionFollowUpData = Pick<
  Selectable<Tables['registration_progress']>,
  'visit_id' | 'waits' | 'booth_request' | 'other_hotels'
>

const RUN: Readonly<
  Record<CompletionFollowUp, (ctx: RegistrationContext, participant: ParticipantRow, left: CompletionFollowUpData) => Promise<unknown>>
> = {
  confirmation: async (ctx, participant) => {
    if (participant.email !== null || participant.host_id !== null) await scheduleRegistrationEmail(ctx, participant, 'confirmation')
  },
  invitation: (ctx, { id }) => markInviteAsUsed(ctx, id),
  visit: async (ctx, { id, status }, { visit_id }) => {
    if (visit_id !== null) await endFlowVisit(ctx, visit_id, status === 'waitlisted' ? 'waitlisted' : 'completed', id)
  },
  group: makeCreatorGroupLeader,
  booth: async (ctx, participant, { booth_request }) => {
    if (booth_request !== null) await submitBoothRequest(ctx, await loadEventSnapshot(ctx), participant, booth_request)
  },
  waitlist: joinProductWaitlists,
  hotels: async (ctx, participant, { other_hotels: hotelIds }) => {
    if (hotelIds.length === 0) return
    const snapshot = await loadEventSnapshot(ctx)
    const flow = getFlow(snapshot, participant.flow_slug!)
    await saveAlternativeHotels(ctx, { participantId: participant.id, snapshot, flow, answers: readStoredAnswers(participant), hotelIds })
  },
  duplicates: async (ctx, { email, email_unverified }) => {
    if (!email_unverified) await runAfterCommit(ctx, (later) => cancelUnverifiedDuplicates(later, email))
  },
}

export const runCompletionFollowUp = (
  ctx: RegistrationContext,
  followUp: CompletionFollowUp,
  participant: ParticipantRow,
  left: CompletionFollowUpData,
): Promise<unknown> => RUN[followUp](ctx, participant, left)

/** Tasks that need only the participant row and not the sale. They run in the same round trip as the sale. */
const WITH_SALE: readonly CompletionFollowUp[] = ['confirmation', 'invitation', 'visit']

/**
 * Splits the follow-up tasks of an immediately completed registration into those that run with the sale and those that run after the sale.
 * If one fails, the registration is not completed.
 */
export const splitCompletionFollowUps = (left: CompletionFollowUpData) => ({
  besideSale: async (ctx: RegistrationContext, before: ParticipantRow, { status }: Pick<ParticipantRow, 'status'>): Promise<void> => {
    await Promise.all(WITH_SALE.map((followUp) => RUN[followUp](ctx, { ...before, status }, left)))
  },
  afterSale: async (ctx: RegistrationContext, participant: ParticipantRow): Promise<void> => {
    for (const followUp of COMPLETION_FOLLOW_UPS) if (!WITH_SALE.includes(followUp)) await RUN[followUp](ctx, participant, left)
  },
})

const NOTHING_LEFT: CompletionFollowUpData = { visit_id: null, waits: [], booth_request: null, other_hotels: [] }

export const readCompletionFollowUpData = async (ctx: RegistrationContext, participantId: string): Promise<CompletionFollowUpData> =>
  (await eventDb(ctx)
    .selectFrom('registration_progress')
    .select(['visit_id', 'waits', 'booth_request', 'other_hotels'])
    .where('participant_id', '=', participantId)
    .executeTakeFirst()) ?? NOTHING_LEFT

async function joinProductWaitlists(
  ctx: RegistrationContext,
  participant: ParticipantRow,
  { waits }: CompletionFollowUpData,
): Promise<void> {
  if (participant.status !== 'complete') return
  const targets = waits.filter((key) => key.startsWith('product:'))
  if (targets.length === 0) return
  const snapshot = await loadEventSnapshot(ctx)
  const { manual_tags: manualTags, source, flow_slug } = participant
  await joinWaitlist(ctx, {
    snapshot,
    flow: getFlow(snapshot, flow_slug!),
    participant,
    answers: readStoredAnswers(participant),
    targets,
    manualTags,
    source,
  })
}
