import { recordChange } from '../../kernel/audit.ts'
import { findOrder, lockOrder } from '../orders/orders.ts'
import { toParticipantAnswerColumns } from './answers.ts'
import { assertGuestLimit, getGuestSettings, getGuestType, GUEST_TYPE_ANSWER_KEY, splitGuestAnswers } from './guests.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { insertParticipant } from './participant-rows.ts'
import type { RegistrationContext, EventSnapshot } from './event-snapshot.ts'
import type { RegistrationSubmission } from './submit.ts'
import { getOrderOwner } from './sale/payer.ts'
import { recalculateTags } from './tags.ts'

type Beginning = Pick<RegistrationSubmission, 'flow' | 'answers' | 'manualTags' | 'directoryTags' | 'source' | 'group' | 'host'> & {
  snapshot: Pick<EventSnapshot, 'config' | 'versionId' | 'isTest'>
}

/** Creates an incomplete registration. Required fields are not checked, no capacity is held and no products are sold. */
export async function createIncompleteRegistration(ctx: RegistrationContext, beginning: Beginning): Promise<ParticipantRow> {
  const { snapshot, flow, manualTags, directoryTags = [], source, group, host } = beginning
  const { answers, guestType } = host && flow.kind !== 'guest' ? await readGuest(ctx, beginning, host) : { ...beginning, guestType: null }
  const participant = await insertParticipant(ctx, {
    ...toParticipantAnswerColumns(answers),
    flow_slug: flow.slug,
    manual_tags: [...manualTags],
    directory_tags: [...directoryTags],
    version_id: snapshot.versionId,
    group_id: group?.id ?? null,
    host_id: host?.id ?? null,
    guest_type: guestType,
    is_test_data: snapshot.isTest,
    source,
  })
  recordChange(ctx, {
    kind: 'participant',
    id: participant.id,
    after: { ...answers, status: participant.status, flowSlug: flow.slug },
  })
  await recalculateTags(ctx, snapshot.config, [participant.id])
  return participant
}

/** Reads the answers and the type of an incomplete guest, who takes one of the spots that the host has for guests. */
async function readGuest(ctx: RegistrationContext, { flow, answers: given }: Beginning, host: ParticipantRow) {
  const { named, answers } = splitGuestAnswers(given)
  const hasChoice = named === undefined && getGuestSettings(flow).types.length > 1
  const { type } = hasChoice ? { type: null } : getGuestType(flow, named, GUEST_TYPE_ANSWER_KEY)
  // Guests are counted after the order of the payer is locked, as for complete guests.
  const order = await findOrder(ctx, await getOrderOwner(ctx, host))
  if (order) await lockOrder(ctx, order.id)
  await assertGuestLimit(ctx, flow, host, null)
  return { answers, guestType: type }
}
