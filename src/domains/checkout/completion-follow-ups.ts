import { eventDb } from '../../kernel/scoped-db.ts'
import { answersOf } from '../registration/answers.ts'
import { sendConfirmation } from '../registration/confirmation.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import { markInviteRegistered } from '../registration/invitations/invites.ts'
import { endVisit } from '../registration/flows/visits.ts'
import { joinWaitlist } from '../registration/waitlist/waitlist.ts'
import { submitBoothRequest } from './booth-request.ts'
import { makeCreatorGroupLeader } from './group-choice.ts'

/** The work that follows a completed registration, in the order in which it is done. */
export const FOLLOW_UPS = ['confirmation', 'invitation', 'group', 'visit', 'booth', 'waitlist'] as const
export type FollowUp = (typeof FOLLOW_UPS)[number]

const RUN: Readonly<Record<FollowUp, (ctx: EventScope, participant: ParticipantRow) => Promise<unknown>>> = {
  confirmation: async (ctx, { id, email, host_id }) => {
    if (email !== null || host_id !== null) await sendConfirmation(ctx, id)
  },
  invitation: (ctx, { id }) => markInviteRegistered(ctx, id),
  group: makeCreatorGroupLeader,
  visit: async (ctx, { id, status }) => {
    const visitId = (await findProgress(ctx, id))?.visit_id ?? null
    if (visitId !== null) await endVisit(ctx, visitId, status === 'waitlisted' ? 'waitlisted' : 'completed', id)
  },
  booth: async (ctx, participant) => {
    const request = (await findProgress(ctx, participant.id))?.booth_request ?? null
    if (request !== null) await submitBoothRequest(ctx, await loadEventSnapshot(ctx), participant, request)
  },
  waitlist: joinProductWaitlists,
}

export const runFollowUp = (ctx: EventScope, followUp: FollowUp, participant: ParticipantRow): Promise<unknown> =>
  RUN[followUp](ctx, participant)

/** Runs all follow-ups in the transaction that completes the registration. If one fails, the registration is not completed. */
export async function runCompletionFollowUps(ctx: EventScope, participant: ParticipantRow): Promise<void> {
  for (const followUp of FOLLOW_UPS) await runFollowUp(ctx, followUp, participant)
}

const findProgress = (ctx: EventScope, participantId: string) =>
  eventDb(ctx)
    .selectFrom('registration_progress')
    .select(['visit_id', 'waits', 'booth_request'])
    .where('participant_id', '=', participantId)
    .executeTakeFirst()

async function joinProductWaitlists(ctx: EventScope, participant: ParticipantRow): Promise<void> {
  if (participant.status !== 'complete') return
  const targets = (await findProgress(ctx, participant.id))?.waits.filter((key) => key.startsWith('product:')) ?? []
  if (targets.length === 0) return
  const snapshot = await loadEventSnapshot(ctx)
  const { manual_tags: manualTags, source, flow_slug } = participant
  await joinWaitlist(ctx, {
    snapshot,
    flow: getFlow(snapshot, flow_slug!),
    participant,
    answers: answersOf(participant),
    targets,
    manualTags,
    source,
  })
}
