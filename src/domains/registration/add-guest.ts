import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { evaluateFlow } from '../configuration/flow/walk.ts'
import { sellUnits } from '../inventory/units.ts'
import { recordSale } from '../orders/record-sale.ts'
import { priceOrderLines } from './sale/billing.ts'
import { assertFlowOpen } from './flows/assert-flow-open.ts'
import {
  addGuests,
  assertGuestLimit,
  completeGuest,
  type Guest,
  getGuestSettings,
  getGuestType,
  GUEST_TYPE_ANSWER_KEY,
  splitGuestAnswers,
} from './guests.ts'
import { getQuestionLabel } from './missing-fields.ts'
import { collectAssignedTags, lockGroupOfParticipant } from './participant-group.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { getParticipant } from './participant-rows.ts'
import { listRequiredCapacity } from './sale/capacity-needed.ts'
import { getOrCreatePayerOrder } from './sale/payer.ts'
import { readStoredAnswers } from './answers.ts'
import type { EventSnapshot, RegistrationContext } from './event-snapshot.ts'
import type { RegistrationSubmission, SubmissionResult } from './submit.ts'
import { recalculateTags } from './tags.ts'
import { buildSoldOutError } from './waitlist/waitlist.ts'

/** Returns the participant who brings a guest. Test participants and real ones cannot bring each other, because test data stays separate. */
export async function getGuestHost(
  ctx: RegistrationContext,
  { isTest }: Pick<EventSnapshot, 'isTest'>,
  hostId: string,
): Promise<ParticipantRow> {
  const host = await getParticipant(ctx, hostId)
  if (host.is_test_data !== isTest)
    throw preconditionFailed(
      isTest
        ? 'The event is in test mode, so guests of real participants cannot be registered'
        : 'Guests of a test participant can only be registered in test mode',
    )
  if (host.host_id !== null) throw preconditionFailed('A guest cannot bring guests. Use the ID of their host.')
  if (host.status !== 'complete')
    throw preconditionFailed(`The host's registration is ${host.status}. Guests can only be added to a complete registration.`)
  return host
}

/**
 * Adds a guest to a completed registration, or completes a guest's incomplete or cancelled registration. The guest type determines the
 * guest's product, which is billed to the payer of the host at the host's price.
 */
export async function addGuest(
  ctx: RegistrationContext,
  submission: RegistrationSubmission,
  host: ParticipantRow,
): Promise<SubmissionResult> {
  const { snapshot, flow, participant: existing, overrideCapacity = false } = submission
  if (!submission.overrideClosed) assertFlowOpen(flow, snapshot)
  const { named, answers } = splitGuestAnswers(submission.answers)
  const guest: Guest = { ...getGuestType(flow, named ?? submission.guestType ?? undefined, GUEST_TYPE_ANSWER_KEY), answers }
  if (!submission.skipRequired) refuseMissing(submission, getGuestSettings(flow).fields)
  // The group, which may pay, is locked before capacity and order.
  const group = await lockGroupOfParticipant(ctx, host)
  if (!snapshot.isTest) {
    const places = listRequiredCapacity({ flow, chosen: [], guests: [guest], isGuest: null, discountCode: null })
    const full = await sellUnits(ctx, { participantId: existing?.id ?? host.id }, places, { beyondCapacity: overrideCapacity })
    if (full !== null)
      throw await buildSoldOutError(ctx, snapshot.config, full, undefined, 'guests cannot join a waiting list, pass overrideCapacity')
  }
  const order = await getOrCreatePayerOrder(ctx, host)
  // Guests are counted after the order is locked, so that two guests added concurrently cannot both take the last allowed spot.
  await assertGuestLimit(ctx, flow, host, existing)
  const tags = collectAssignedTags(host, group)
  const walk = evaluateFlow(snapshot.config, flow, {
    answers: readStoredAnswers(host),
    tags,
    timezone: snapshot.timezone,
    now: snapshot.at,
  })
  const bill = priceOrderLines({
    snapshot,
    chosen: [],
    guests: [guest],
    buyer: order.bill_to,
    discountCode: null,
    given: walk.priceTags,
  })
  const { source, manualTags } = submission
  const adding = { snapshot, flow, host, guests: [guest], source, manualTags }
  const participant = existing ? await completeGuest(ctx, adding, guest, existing) : (await addGuests(ctx, adding))[0]!
  const lines = bill.lines.map(({ guest: _guest, ...line }) => ({ ...line, participantId: participant.id }))
  const sold = await recordSale(ctx, { order: { id: order.id }, lines, terms: snapshot })
  await recalculateTags(ctx, snapshot.config, [participant.id])
  return { participant, ...sold, waitsFor: [], dropped: [] }
}

function refuseMissing({ snapshot, answers }: RegistrationSubmission, fields: readonly { binding: string; required: boolean }[]): void {
  const required = fields
    .filter((field) => field.required)
    .map(({ binding }) => `@participant.${binding.slice(binding.lastIndexOf('.') + 1)}`)
  const missing = [...new Set(['@participant.firstName', '@participant.lastName', ...required])].filter(
    (binding) => answers[binding] == null,
  )
  if (missing.length > 0) {
    throw invalidArguments(missing.map((path) => ({ path, message: `${getQuestionLabel(snapshot.config, path)} is required` })))
  }
}
