import { eventDb } from '../../kernel/scoped-db.ts'
import { answersOf } from '../registration/answers.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import { markInviteRegistered } from '../registration/invitations/invites.ts'
import { endVisit } from '../registration/flows/visits.ts'
import { joinWaitlist } from '../registration/waitlist/waitlist.ts'
import { submitBoothRequest } from './booth-request.ts'
import { makeCreatorGroupLeader } from './group-choice.ts'

/**
 * Follow-up work after a registration is completed: ends the visit, marks the invitation as used, makes the creator of a group its
 * leader, submits the booth application and joins waiting lists.
 */
export async function runCompletionFollowUps(ctx: EventScope, participant: ParticipantRow): Promise<void> {
  const { id, status } = participant
  const progress = await eventDb(ctx)
    .selectFrom('registration_progress')
    .select(['visit_id', 'waits', 'booth_request'])
    .where('participant_id', '=', id)
    .executeTakeFirst()
  await markInviteRegistered(ctx, id)
  await makeCreatorGroupLeader(ctx, participant)
  if (!progress) return
  if (progress.visit_id !== null) await endVisit(ctx, progress.visit_id, status === 'waitlisted' ? 'waitlisted' : 'completed', id)
  const targets = progress.waits.filter((key) => key.startsWith('product:'))
  if (status !== 'complete' || (targets.length === 0 && progress.booth_request === null)) return
  const snapshot = await loadEventSnapshot(ctx)
  await submitBoothRequest(ctx, snapshot, participant, progress.booth_request)
  if (targets.length === 0) return
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
