import { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { readVersionById } from '../configuration/read.ts'
import { releaseRoomHolds } from '../housing/hold.ts'
import { markSecuredStays } from '../housing/guarantee-status.ts'
import { releaseHolds } from '../inventory/units.ts'
import { applyCredit } from '../orders/ledger.ts'
import { lockOrder } from '../orders/orders.ts'
import { recordCardPayment } from '../payments/card-payments.ts'
import { formatCharge, type PaidCharge } from '../payments/charges.ts'
import { type Answers, answersOf, isChoice } from '../registration/answers.ts'
import { sendConfirmation } from '../registration/confirmation.ts'
import { refundUnusablePayment, refundCredit } from '../registration/sale/refund-payment.ts'
import { lockGroupOf } from '../registration/participant-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { openPayerOrder } from '../registration/sale/payer.ts'
import { toIdentity } from '../registration/add.ts'
import { findDuplicate, getParticipant } from '../registration/participant-rows.ts'
import { getFlow, loadEventSnapshot, type EventSnapshot } from '../registration/event-snapshot.ts'
import { submitRegistration } from '../registration/submit.ts'
import { runCompletionFollowUps } from './completion-follow-ups.ts'

/**
 * The choices the participant confirmed before paying, which are what the payment buys. All other answers are read when the payment
 * arrives.
 */
export const CONFIRMED_CHOICES = {
  flowSlug: z.string(),
  /** The configuration version used for pricing; null for the draft. */
  versionId: z.string().nullable(),
  pricedAt: z.string(),
  choices: z.record(z.string(), z.unknown()),
  /** The amount the participant chose to pay later, in minor units. */
  rest: z.number().default(0),
}
type ConfirmedChoices = z.output<z.ZodObject<typeof CONFIRMED_CHOICES>>

/** Keeps either only the choices (products, guests, sessions, discount code) or only the other answers. */
export const filterChoices = (answers: Answers, wanted: boolean) =>
  Object.fromEntries(Object.entries(answers).filter(([binding]) => isChoice(binding) === wanted))

/**
 * Handles a successful payment: completes the registration with order, invoice, payment and email, or refunds the payment if that is no
 * longer possible.
 */
export async function completePaidRegistration(ctx: EventContext, paid: PaidCharge, confirmed: ConfirmedChoices) {
  const row = await getParticipant(ctx, paid.charge.participant_id)
  if (row.status === 'complete') return applyLatePayment(ctx, row, paid)
  const tried = await runInSavepoint(ctx, () =>
    row.status === 'incomplete' ? submitConfirmed(ctx, row, confirmed) : Promise.resolve(null),
  )
  const done = tried.refused ? null : tried.done
  if (!done) {
    if (row.status === 'incomplete') {
      await releaseHolds(ctx, { participantId: row.id })
      await releaseRoomHolds(ctx, row.id)
    }
    return refundUnusablePayment(
      ctx,
      row,
      paid,
      row.status === 'cancelled' ? 'The registration was cancelled' : 'The spot is no longer available',
    )
  }
  const { orderId, invoice } = done
  const order = await lockOrder(ctx, orderId)
  await recordCardPayment(ctx, order, invoice?.id ?? null, paid)
  const { balance, currency } = await applyCredit(ctx, orderId)
  await markSecuredStays(ctx, row.id)
  if (row.email !== null) await sendConfirmation(ctx, row.id)
  await runCompletionFollowUps(ctx, await getParticipant(ctx, row.id))
  const left = formatCharge({ amount: Math.abs(balance), currency })
  const flag =
    balance === confirmed.rest
      ? null
      : `${left} ${balance > 0 ? 'is still owed' : 'is held as credit'} after the payment: the price changed in the meantime`
  return { orderId, invoiceId: invoice?.id ?? null, flag }
}

/**
 * Submits the registration with the configuration version and prices that the participant confirmed. Required answers were checked before
 * the payment.
 */
async function submitConfirmed(ctx: EventContext, row: ParticipantRow, { flowSlug, versionId, pricedAt, choices }: ConfirmedChoices) {
  const snapshot = await loadPricedSnapshot(ctx, row, versionId)
  // The owner of the mailbox may have verified another registration of the same person while an unknown visitor was paying.
  const duplicate = row.is_test_data ? null : await findDuplicate(ctx, toIdentity(answersOf(row), null))
  if (duplicate && duplicate.id !== row.id) throw preconditionFailed('The same person has another registration')
  const submitted = await submitRegistration(ctx, {
    snapshot,
    flow: getFlow(snapshot, flowSlug),
    answers: { ...filterChoices(answersOf(row), false), ...choices },
    manualTags: row.manual_tags,
    directoryTags: row.directory_tags,
    source: row.source,
    participant: row,
    group: await lockGroupOf(ctx, row),
    skipRequired: true,
    overrideClosed: true,
    pricedAt: new Date(pricedAt),
  })
  if (submitted.own === null) throw preconditionFailed('There is no longer a spot for this registration')
  return submitted.own
}

async function loadPricedSnapshot(ctx: EventContext, row: ParticipantRow, versionId: string | null): Promise<EventSnapshot> {
  const isTest = row.is_test_data
  const snapshot = { ...(await loadEventSnapshot(ctx, isTest ? { test: { useDraft: true } } : {})), isTest }
  if (versionId === null || versionId === snapshot.versionId) return snapshot
  return { ...snapshot, config: (await readVersionById(ctx, versionId)).config, versionId }
}

/**
 * The registration was completed another way before the payment arrived. The payment is applied to open invoices, and the rest is
 * refunded.
 */
async function applyLatePayment(ctx: EventContext, row: ParticipantRow, paid: PaidCharge) {
  const order = await openPayerOrder(ctx, row)
  await recordCardPayment(ctx, order, null, paid)
  const { unapplied } = await applyCredit(ctx, order.id)
  const rest = Math.min(-unapplied, paid.amount)
  if (rest > 0) await refundCredit(ctx, row, await lockOrder(ctx, order.id), { amount: rest, note: 'It was already paid' })
  return { orderId: order.id, invoiceId: null }
}
