import { toCanonicalJson } from '../../kernel/canonical.ts'
import type { CheckoutUrls } from '../../kernel/cards.ts'
import type { EventContext } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { INVENTORY_HOLD_MINUTES, holdUnits, setHoldExpiryTime, suspendHoldExpiry, releaseHolds } from '../inventory/units.ts'
import { releaseRoomHolds, resumeRoomHoldExpiry, pauseRoomHoldExpiry } from '../housing/hold.ts'
import type { NewOrderLine } from '../orders/lines.ts'
import { findOrder } from '../orders/orders.ts'
import type { ChargeRow } from '../payments/charges.ts'
import { type BlockedCheckout, defineCheckoutCharge, isBlockedCheckout, startCheckout, type StartedCheckout } from '../payments/checkout.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { evaluateSubmission, type RegistrationSubmission } from '../registration/submit.ts'
import { buildSoldOutError } from '../registration/waitlist/waitlist.ts'
import { CONFIRMED_CHOICES_SCHEMA, completePaidRegistration, filterBookingAnswers } from './complete-paid-registration.ts'
import { sendPaymentFailedEmail } from './payment-emails.ts'

/** The checkout that completes a registration after payment. Until then the registration stays incomplete and its capacity is held. */
export const registrationPaymentCheckout = defineCheckoutCharge({
  kind: 'checkout.registration',
  more: CONFIRMED_CHOICES_SCHEMA,
  paid: completePaidRegistration,
  async failed(ctx, charge) {
    const row = await getParticipant(ctx, charge.participant_id)
    if (row.status === 'incomplete') await endHold(ctx, charge, row)
    await sendPaymentFailedEmail(ctx, charge, row)
  },
})

/**
 * Releases the capacity after a payment that did not succeed. After a declined card, the capacity stays held until the checkout ends, so
 * that the participant can try again.
 */
async function endHold(ctx: EventContext, charge: ChargeRow, { id: participantId }: ParticipantRow): Promise<void> {
  if (charge.ends_at! <= (await getDatabaseTime(ctx))) {
    await releaseHolds(ctx, { participantId })
    await releaseRoomHolds(ctx, participantId)
  } else {
    await setHoldExpiryTime(ctx, { participantId }, charge.ends_at!)
    await resumeRoomHoldExpiry(ctx, participantId, charge.ends_at!)
  }
}

interface PaidRegistration {
  /** The submission of an incomplete registration with the confirmed choices. */
  submission: RegistrationSubmission & { participant: ParticipantRow }
  urls: CheckoutUrls
  /** The consent text that the participant accepted, if the card is to be saved. */
  consent?: string | null
  /** The deposit of the held room, which the participant always pays themselves. */
  deposit?: NewOrderLine | null
  /** The amount to pay now, if less than the total. The rest stays open on the invoice. */
  part?: number
}

/** Calculates the amount that the participant has to pay, after existing credit. Products paid by a group or host are excluded. */
async function priceOf(
  ctx: RegistrationContext,
  submission: RegistrationSubmission & { participant: ParticipantRow },
  deposit: NewOrderLine | null,
) {
  const plan = evaluateSubmission(submission)
  const { group = null, host = null, participant } = submission
  const isOwn = host === null && group?.payBy !== 'group'
  const lines = [...(isOwn ? plan.billFor(plan.chosen).lines : []), ...(deposit ? [deposit] : [])]
  if (lines.length === 0) return { plan, lines, due: 0 }
  const credit = (await findOrder(ctx, { participantId: participant.id }))?.unapplied ?? 0
  return { plan, lines, due: Math.max(0, sumMinorUnits(lines.map((line) => line.total)) + credit) }
}

/**
 * Opens a checkout for a registration that must be paid first, and holds its capacity for as long as the participant can pay. Rejects
 * everything that `submitRegistration` would reject, so that every payment can be fulfilled.
 */
export async function beginPaidRegistration(
  ctx: RegistrationContext,
  { submission, urls, consent = null, deposit = null, part }: PaidRegistration,
): Promise<StartedCheckout | BlockedCheckout> {
  const { snapshot, flow, participant } = submission
  if (participant.status !== 'incomplete')
    throw preconditionFailed(`There is nothing to pay here: the registration is ${participant.status}`)
  const { plan, lines, due: whole } = await priceOf(ctx, submission, deposit)
  const due = Math.min(whole, part ?? whole)
  if (due === 0) throw preconditionFailed('There is nothing to pay. Finish the registration.')
  const holder = { participantId: participant.id }
  const endsAt = new Date((await getDatabaseTime(ctx)).getTime() + INVENTORY_HOLD_MINUTES * 60_000)
  if (!snapshot.isTest) {
    const full = await holdUnits(ctx, holder, plan.capacityFor(plan.chosen), { until: endsAt })
    if (full !== null) throw await buildSoldOutError(ctx, snapshot.config, full)
  }
  const begun = await startCheckout(
    ctx,
    registrationPaymentCheckout,
    {
      participantId: participant.id,
      isTestData: snapshot.isTest,
      purpose: `registration ${flow.slug}`,
      amount: due,
      currency: snapshot.currency,
      lines: lines.flatMap(({ description, quantity, total }) =>
        total === 0 ? [] : [{ name: quantity === 1 ? description : `${description} × ${quantity}`, amount: total }],
      ),
      urls,
      consent,
      endsAt,
    },
    {
      flowSlug: flow.slug,
      versionId: snapshot.versionId,
      pricedAt: (submission.pricedAt ?? snapshot.at).toISOString(),
      choices: filterBookingAnswers(submission.answers, true),
      rest: whole - due,
      tags: plan.givenTags,
    },
    // Compares without `pricedAt`, which is new in each attempt, so that an open checkout for the same choices and amount is reused.
    { isSame: (open, wanted) => toCanonicalJson({ ...open, pricedAt: '' }) === toCanonicalJson({ ...wanted, pricedAt: '' }) },
  )
  if (isBlockedCheckout(begun)) return begun
  await suspendHoldExpiry(ctx, holder)
  await pauseRoomHoldExpiry(ctx, participant.id)
  return begun
}
