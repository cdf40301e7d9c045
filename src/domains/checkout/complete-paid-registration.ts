import { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { readConfigVersionById } from '../configuration/read.ts'
import { releaseRoomHolds } from '../housing/hold.ts'
import { markGuaranteedStays } from '../housing/guarantee-status.ts'
import { releaseHolds } from '../inventory/units.ts'
import { applyCreditToOpenInvoices } from '../orders/ledger.ts'
import { lockOrder } from '../orders/orders.ts'
import { recordCardPayment } from '../payments/card-payments.ts'
import { formatChargeAmount, formatChargeProblems, type PaidCharge } from '../payments/charges.ts'
import { type Answers, readStoredAnswers, isBookingAnswerKey } from '../registration/answers.ts'
import { refundUnusablePayment, refundOrderCreditToCard } from '../registration/sale/refund-payment.ts'
import { lockGroupOfParticipant } from '../registration/participant-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getOrCreatePayerOrder } from '../registration/sale/payer.ts'
import { toParticipantIdentity } from '../registration/add.ts'
import type { RecordedSale } from '../orders/record-sale.ts'
import { findDuplicateRegistration, getParticipant } from '../registration/participant-rows.ts'
import { getFlow, loadEventSnapshot, type EventSnapshot } from '../registration/event-snapshot.ts'
import { submitRegistration } from '../registration/submit.ts'
import { runFollowUpsAfterPayment } from './paid-follow-ups.ts'

/**
 * The choices that the participant confirmed before paying, which the payment buys. All other answers are read when the payment arrives.
 */
export const CONFIRMED_CHOICES_SCHEMA = {
  flowSlug: z.string(),
  /** The configuration version used for pricing; null for the draft. */
  versionId: z.string().nullable(),
  pricedAt: z.string(),
  choices: z.record(z.string(), z.unknown()),
  /** The amount the participant chose to pay later, in minor units. */
  rest: z.number().default(0),
  /** The tags at the time of the payment, which decide visibility and prices: from the directory, the organizer and the group. */
  tags: z.array(z.string()).optional(),
}
type ConfirmedChoices = z.output<z.ZodObject<typeof CONFIRMED_CHOICES_SCHEMA>>

/** Returns either only the choices that make up the purchase (products, guests, sessions, discount code) or only the other answers. */
export const filterBookingAnswers = (answers: Answers, wanted: boolean) =>
  Object.fromEntries(Object.entries(answers).filter(([binding]) => isBookingAnswerKey(binding) === wanted))

/**
 * Handles a successful payment: completes the registration with order, invoice and payment, or refunds the payment if that is no longer
 * possible. A failure of later steps, such as the room, emails and a booth application, never undoes the completion: it is returned as the
 * flag of the charge, and the step is retried alone.
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
  const booked = await bookPayment(ctx, row, paid, { ...done, rest: confirmed.rest })
  await markGuaranteedStays(ctx, row.id)
  const failures = await runFollowUpsAfterPayment(ctx, await getParticipant(ctx, row.id), paid.charge.id)
  const flags = [...booked.flags, ...describeDroppedSessions(done.dropped), ...failures]
  return { orderId: booked.orderId, invoiceId: booked.invoiceId, flag: formatChargeProblems(flags) }
}

const describeDroppedSessions = (dropped: readonly string[]): string[] => {
  const sessions = dropped.filter((one) => one.startsWith('session.')).length
  return sessions === 0 ? [] : [`${sessions} of the chosen sessions could no longer be booked`]
}

interface BookedPayment {
  orderId: string
  invoiceId: string | null
  flags: string[]
}

/** Books the payment on the order of the completed registration. If the paid room was not available any more, its deposit is refunded. */
async function bookPayment(
  ctx: EventContext,
  row: ParticipantRow,
  paid: PaidCharge,
  { own, isGroupOrder, dropped, rest }: SubmittedRegistration & { rest: number },
): Promise<BookedPayment> {
  const withoutRoom = dropped.includes('housing')
  if (withoutRoom) await releaseRoomHolds(ctx, row.id)
  // The group pays for everything but the room, so the participant has paid for the room only.
  if (withoutRoom && isGroupOrder) {
    const { flag, ...booked } = await refundUnusablePayment(ctx, row, paid, ROOM_GONE)
    return { ...booked, flags: [`${ROOM_GONE}: the payment was refunded`, ...(flag === null ? [] : [flag])] }
  }
  const { orderId, invoice } = own
  await recordCardPayment(ctx, await lockOrder(ctx, orderId), invoice?.id ?? null, paid)
  const { balance, currency, unapplied } = await applyCreditToOpenInvoices(ctx, orderId)
  const invoiceId = invoice?.id ?? null
  if (withoutRoom) {
    const unused = Math.min(-unapplied, paid.amount)
    if (unused <= 0) return { orderId, invoiceId, flags: [ROOM_GONE] }
    const problems = await refundOrderCreditToCard(ctx, row, await lockOrder(ctx, orderId), { amount: unused, note: ROOM_GONE })
    const refunded = formatChargeAmount({ amount: unused, currency })
    return { orderId, invoiceId, flags: [`${ROOM_GONE}: ${refunded} was refunded`, ...problems] }
  }
  const left = formatChargeAmount({ amount: Math.abs(balance), currency })
  const flag = `${left} ${balance > 0 ? 'is still owed' : 'is held as credit'} after the payment: the price changed in the meantime`
  return { orderId, invoiceId, flags: balance === rest ? [] : [flag] }
}

const ROOM_GONE = 'The room is no longer available'

interface SubmittedRegistration {
  own: RecordedSale
  isGroupOrder: boolean
  dropped: readonly string[]
}

/**
 * Submits the registration with the configuration version, prices and tags that the participant confirmed. Required answers were checked
 * before the payment.
 */
async function submitConfirmed(
  ctx: EventContext,
  row: ParticipantRow,
  { flowSlug, versionId, pricedAt, choices, tags }: ConfirmedChoices,
): Promise<SubmittedRegistration> {
  const snapshot = await loadPricedSnapshot(ctx, row, versionId)
  // While an unknown visitor was paying, the owner of the email address may have verified another registration of the same person.
  const duplicate = row.is_test_data
    ? null
    : await findDuplicateRegistration(ctx, toParticipantIdentity(readStoredAnswers(row), null), { isVerified: true })
  if (duplicate && duplicate.id !== row.id) throw preconditionFailed('The same person has another registration')
  const group = await lockGroupOfParticipant(ctx, row)
  const { own, dropped } = await submitRegistration(ctx, {
    snapshot,
    flow: getFlow(snapshot, flowSlug),
    answers: { ...filterBookingAnswers(readStoredAnswers(row), false), ...choices },
    manualTags: row.manual_tags,
    directoryTags: row.directory_tags,
    source: row.source,
    participant: row,
    group,
    skipRequired: true,
    overrideClosed: true,
    isPaid: true,
    pricedAt: new Date(pricedAt),
    ...(tags ? { pricedTags: tags } : {}),
  })
  if (own == null) throw preconditionFailed('There is no longer a spot for this registration')
  return { own, isGroupOrder: group?.payBy === 'group', dropped }
}

async function loadPricedSnapshot(ctx: EventContext, row: ParticipantRow, versionId: string | null): Promise<EventSnapshot> {
  const isTest = row.is_test_data
  const snapshot = { ...(await loadEventSnapshot(ctx, isTest ? { test: { useDraft: true } } : {})), isTest }
  if (versionId === null || versionId === snapshot.versionId) return snapshot
  return { ...snapshot, config: (await readConfigVersionById(ctx, versionId)).config, versionId }
}

/**
 * Applies a payment that arrived after the registration was completed in another way. It pays open invoices, and the remaining amount is
 * refunded.
 */
async function applyLatePayment(ctx: EventContext, row: ParticipantRow, paid: PaidCharge) {
  const order = await getOrCreatePayerOrder(ctx, row)
  await recordCardPayment(ctx, order, null, paid)
  const { unapplied } = await applyCreditToOpenInvoices(ctx, order.id)
  const rest = Math.min(-unapplied, paid.amount)
  const refund = async () =>
    refundOrderCreditToCard(ctx, row, await lockOrder(ctx, order.id), { amount: rest, note: 'It was already paid' })
  return { orderId: order.id, invoiceId: null, flag: formatChargeProblems(rest > 0 ? await refund() : []) }
}
