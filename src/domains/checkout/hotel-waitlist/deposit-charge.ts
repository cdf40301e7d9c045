import { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { sendWaitlistRoomEmails } from '../../housing/emails.ts'
import { confirmOfferedRoom } from '../../housing/fill-waitlist.ts'
import { markGuaranteedStays } from '../../housing/guarantee-status.ts'
import { updateReservation } from '../../housing/reservations.ts'
import { releaseHeldRoom } from '../../housing/reserve.ts'
import { findHeldRoom, getHotelWaitlistEntry, lockWaitlistEntryRoomNights } from '../../housing/waitlist-entries.ts'
import { NO_ROOMS_REASON, calculateRoomOfferEnd } from '../../housing/waitlist-rooms.ts'
import { applyCreditToOpenInvoices } from '../../orders/ledger.ts'
import { lockOrder } from '../../orders/orders.ts'
import { recordCardPayment } from '../../payments/card-payments.ts'
import { type ChargeRow, formatChargeProblems, type PaidCharge } from '../../payments/charges.ts'
import { trySendPaymentEmail } from '../../payments/email-about-payment.ts'
import { defineSavedCardCharge, startSavedCardCharge } from '../../payments/saved-card-charges.ts'
import { loadEventSnapshot, type EventSnapshot } from '../../registration/event-snapshot.ts'
import type { ParticipantRow } from '../../registration/participant-shape.ts'
import { getParticipant } from '../../registration/participant-rows.ts'
import { refundUnusablePayment } from '../../registration/sale/refund-payment.ts'
import { sendEmailAboutReservation, recordWaitlistRoom } from '../room-waitlist.ts'
import { type DepositToCharge, NOT_CONFIRMED_SKIP_REASON, offerHeldRoom } from './assign.ts'
import { type WaitlistFillRow, listWaitlistFillEntries, lockWaitlistFill, updateWaitlistFillEntry } from './fill-rows.ts'
import { loadWaitlistFillRun, assignRoomsToWaitlistEntries } from './serve.ts'

/**
 * Charges a room deposit to the saved card of a waiting list entry. The room is held until the outcome is known. Then the room is confirmed
 * or, if the charge failed, offered to the same participant or given to the next waiting list entry.
 */
export const hotelDepositCardCharge = defineSavedCardCharge({
  kind: 'housing.deposit',
  more: { fillId: z.string() },
  paid: fillPaid,
  failed: passOn,
})

/**
 * Schedules the card charge of a hotel deposit. With `here`, the request that assigned the room charges the card itself, right after its
 * commit.
 */
export const scheduleDepositCharge =
  (fillId: string, { here }: { here: boolean }) =>
  (ctx: EventContext, { entry, attempt, amount, currency, card }: DepositToCharge): Promise<string> =>
    startSavedCardCharge(
      ctx,
      hotelDepositCardCharge,
      {
        participantId: entry.participant_id,
        hotelEntry: { id: entry.id, attempt },
        isTestData: entry.is_test_data,
        purpose: 'hotel deposit',
        amount,
        currency,
        card,
      },
      { fillId },
      { here },
    )

async function loadEntry(ctx: EventContext, charge: ChargeRow) {
  const entry = await getHotelWaitlistEntry(ctx, charge.hotel_entry_id!)
  return { entry, row: await getParticipant(ctx, entry.participant_id), held: await findHeldRoom(ctx, entry.id) }
}

const loadSnapshot = async (ctx: EventContext, row: ParticipantRow): Promise<EventSnapshot> => ({
  ...(await loadEventSnapshot(ctx)),
  isTest: row.is_test_data,
})

/** Confirms the room of a paid deposit, with the deposit as an order line, its invoice and its payment. */
async function fillPaid(ctx: EventContext, paid: PaidCharge, { fillId }: { fillId: string }) {
  const { charge } = paid
  const { entry, row, held } = await loadEntry(ctx, charge)
  const tried = await runInSavepoint(ctx, async () => {
    if (entry.status !== 'waiting' || !held) throw preconditionFailed('The room is not held any more')
    const snapshot = await loadSnapshot(ctx, row)
    const paidBy = { charge_id: charge.id, saved_card_id: charge.card_id }
    const filled = await confirmOfferedRoom(ctx, { snapshot, entry, held, paidBy })
    const sale = await recordWaitlistRoom(ctx, snapshot, row, filled)
    if (!sale) throw preconditionFailed('The room needs no deposit any more')
    return sale
  })
  if (tried.refused) {
    if (held && entry.status === 'waiting') await releaseHeldRoom(ctx, held)
    await updateWaitlistFillEntry(
      ctx,
      { fillId, entryId: entry.id },
      { outcome: 'skipped', reason: `${tried.refused.message}: the card is refunded` },
    )
    return refundUnusablePayment(ctx, row, paid, 'The room was not taken')
  }
  const { orderId, invoice } = tried.done
  await recordCardPayment(ctx, await lockOrder(ctx, orderId), invoice?.id ?? null, paid)
  await applyCreditToOpenInvoices(ctx, orderId)
  await markGuaranteedStays(ctx, row.id)
  await updateWaitlistFillEntry(ctx, { fillId, entryId: entry.id }, { outcome: 'filled', reason: null })
  const problems = await trySendPaymentEmail(ctx, () =>
    sendEmailAboutReservation(ctx, row, held!.id, (about) => sendWaitlistRoomEmails(ctx, [about])),
  )
  return { orderId, invoiceId: invoice?.id ?? null, flag: formatChargeProblems(problems) }
}

/** Offers the room to the participant whose card was declined, or releases it and gives it to the next waiting list entry. */
async function passOn(ctx: EventContext, charge: ChargeRow, { fillId }: { fillId: string }, failureCode: string): Promise<void> {
  const fill = await lockWaitlistFill(ctx, fillId)
  const { entry, row, held } = await loadEntry(ctx, charge)
  const at = { fillId, entryId: entry.id }
  if (entry.status !== 'waiting' || !held) return updateWaitlistFillEntry(ctx, at, { outcome: 'skipped', reason: failureCode })
  const isOver = ctx.event.status === 'archived'
  const snapshot = isOver ? null : await loadSnapshot(ctx, row)
  const until = fill.on_decline === 'offer' && snapshot ? calculateRoomOfferEnd(snapshot, entry) : null
  if (until !== null) {
    const kept = await updateReservation(ctx, held, { charging: false, held_until: until })
    const offered = await offerHeldRoom(ctx, { entry, row }, { held: kept, until, amount: charge.amount, reason: failureCode })
    return updateWaitlistFillEntry(ctx, at, offered)
  }
  const next = isOver ? [] : await listNextEntryIds(ctx, fill)
  await lockWaitlistEntryRoomNights(ctx, [entry.id, ...next])
  await releaseHeldRoom(ctx, held)
  await updateWaitlistFillEntry(ctx, at, { outcome: 'skipped', reason: failureCode, reservation_id: null })
  if (next.length > 0)
    await assignRoomsToWaitlistEntries(ctx, await loadWaitlistFillRun(ctx, fill, scheduleDepositCharge(fillId, { here: false })), {
      stopAt: NOT_CONFIRMED_SKIP_REASON,
    })
}

/** Lists, in order, the waiting list entries of a call of fill_hotel_waitlist that still wait for a hotel room. */
const listNextEntryIds = async (ctx: EventContext, { id }: WaitlistFillRow): Promise<string[]> =>
  (await listWaitlistFillEntries(ctx, id)).flatMap(({ outcome, reason, entry_id }) =>
    outcome === null || reason === NO_ROOMS_REASON ? [entry_id] : [],
  )
