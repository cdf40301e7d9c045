import type { CheckoutUrls } from '../../kernel/cards.ts'
import type { EventContext } from '../../kernel/context.ts'
import { databaseTime } from '../../kernel/database-time.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { sumMinor } from '../../kernel/money.ts'
import { HOLD_MINUTES, holdPlaces, keepUntil, keepWhileCharging, releaseHolds } from '../inventory/places.ts'
import { dropHolds, keepRoomUntil, keepRoomWhileCharging } from '../housing/hold.ts'
import type { NewLine } from '../orders/lines.ts'
import { findOrderOf } from '../orders/orders.ts'
import type { ChargeRow } from '../payments/charges.ts'
import { beginCheckout, type Begun, defineCheckout } from '../payments/checkout.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { planOf, type Submission } from '../registration/submit.ts'
import { refuseFull } from '../registration/waitlist.ts'
import { CONFIRMED, finishPaid, onlyChoices } from './finish-paid.ts'
import { mailFailedPayment } from './mails.ts'

/** A registration that is finished when it is paid: until then the person is incomplete and their places are held. */
export const registrationCheckout = defineCheckout({
  kind: 'checkout.registration',
  more: CONFIRMED,
  paid: finishPaid,
  async failed(ctx, charge) {
    const row = await getParticipant(ctx, charge.participant_id)
    if (row.status === 'incomplete') await endHold(ctx, charge, row)
    await mailFailedPayment(ctx, charge, row)
  },
})

/** Whoever was declined may try again as long as the places are theirs; the rest go to others. */
async function endHold(ctx: EventContext, charge: ChargeRow, { id: participantId }: ParticipantRow): Promise<void> {
  if (charge.ends_at! <= (await databaseTime(ctx))) {
    await releaseHolds(ctx, { participantId })
    await dropHolds(ctx, participantId)
  } else {
    await keepUntil(ctx, { participantId }, charge.ends_at!)
    await keepRoomUntil(ctx, participantId, charge.ends_at!)
  }
}

interface PaidRegistration {
  /** Of somebody who is incomplete, with what they confirmed. */
  submission: Submission & { participant: ParticipantRow }
  urls: CheckoutUrls
  /** The words to which they agreed, where their card is to be kept. */
  consent?: string | null
  /** Of the room that is held for them: their own, whoever pays for the rest. */
  deposit?: NewLine | null
  /** Where only a part is paid now: the rest stays open on the invoice. */
  part?: number
}

/** What a submission costs the person: what a group or a host pays is nothing to them, and credit that they have counts. */
async function priceOf(ctx: AtEvent, submission: Submission & { participant: ParticipantRow }, deposit: NewLine | null) {
  const plan = planOf(submission)
  const { group = null, host = null, participant } = submission
  const isOwn = host === null && group?.payBy !== 'group'
  const lines = [...(isOwn ? plan.billFor(plan.chosen).lines : []), ...(deposit ? [deposit] : [])]
  if (lines.length === 0) return { plan, lines, due: 0 }
  const credit = (await findOrderOf(ctx, { participantId: participant.id }))?.unapplied ?? 0
  return { plan, lines, due: Math.max(0, sumMinor(lines.map((line) => line.total)) + credit) }
}

/**
 * Opens a checkout for a registration that has to be paid first: its places are held as long as the person may pay. Refuses what `submit` would
 * refuse, so that nobody pays for what they cannot have.
 */
export async function beginPaidRegistration(
  ctx: AtEvent,
  { submission, urls, consent = null, deposit = null, part }: PaidRegistration,
): Promise<Begun> {
  const { scene, flow, participant } = submission
  if (participant.status !== 'incomplete')
    throw preconditionFailed(`The registration is ${participant.status}: there is nothing to pay here`)
  const { plan, lines, due: whole } = await priceOf(ctx, submission, deposit)
  const due = Math.min(whole, part ?? whole)
  if (due === 0) throw preconditionFailed('There is nothing to pay: finish the registration')
  const holder = { participantId: participant.id }
  const endsAt = new Date((await databaseTime(ctx)).getTime() + HOLD_MINUTES * 60_000)
  if (!scene.isTest) {
    const full = await holdPlaces(ctx, holder, plan.placesFor(plan.chosen), { until: endsAt })
    if (full !== null) throw await refuseFull(ctx, scene.config, full)
  }
  const begun = await beginCheckout(
    ctx,
    registrationCheckout,
    {
      participantId: participant.id,
      isTestData: scene.isTest,
      purpose: `registration ${flow.slug}`,
      amount: due,
      currency: scene.currency,
      lines: lines.flatMap(({ description, quantity, total }) =>
        total === 0 ? [] : [{ name: quantity === 1 ? description : `${description} × ${quantity}`, amount: total }],
      ),
      urls,
      consent,
      endsAt,
    },
    {
      flowSlug: flow.slug,
      versionId: scene.versionId,
      pricedAt: (submission.pricedAt ?? scene.at).toISOString(),
      choices: onlyChoices(submission.answers, true),
      rest: whole - due,
    },
  )
  await keepWhileCharging(ctx, holder)
  await keepRoomWhileCharging(ctx, participant.id)
  return begun
}
