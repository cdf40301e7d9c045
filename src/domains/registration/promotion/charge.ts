import { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { setHoldExpiryTime, releaseHolds } from '../../inventory/units.ts'
import { applyCreditToOpenInvoices } from '../../orders/ledger.ts'
import { lockOrder } from '../../orders/orders.ts'
import { recordCardPayment } from '../../payments/card-payments.ts'
import { type ChargeRow, formatChargeProblems, type PaidCharge } from '../../payments/charges.ts'
import { trySendPaymentEmail } from '../../payments/email-about-payment.ts'
import { defineSavedCardCharge } from '../../payments/saved-card-charges.ts'
import { refundUnusablePayment } from '../sale/refund-payment.ts'
import { getParticipant } from '../participant-rows.ts'
import { loadEventSnapshot } from '../event-snapshot.ts'
import { getWaitlistEntry, setWaitlistEntryStatus } from './entries.ts'
import { sendWaitlistEmail } from './emails.ts'
import { planWaitlistFulfilment } from './fulfilment.ts'

export const computeOfferDeadline = (at: Date, hours: number): Date => new Date(at.getTime() + hours * 3_600_000)

/**
 * Charges the saved card of a participant on the waiting list. The spot is held until the outcome is known. Then the entry is promoted or,
 * if the charge failed, offered for payment or left waiting.
 */
export const waitlistSavedCardCharge = defineSavedCardCharge({
  kind: 'waitlist.charge',
  more: { offerHours: z.number(), onDecline: z.enum(['offer', 'skip']), beyondCapacity: z.boolean() },
  paid: promotePaid,
  async failed(ctx, charge, { onDecline, offerHours }) {
    const { entry, row } = await loadEntryAndParticipant(ctx, charge)
    if (entry.status !== 'waiting') return
    const holder = { participantId: row.id, entryId: entry.id }
    if (onDecline === 'skip' || ctx.event.status === 'archived') return releaseHolds(ctx, holder)
    const snapshot = await loadEventSnapshot(ctx)
    const until = computeOfferDeadline(snapshot.at, offerHours)
    await setHoldExpiryTime(ctx, holder, until)
    await setWaitlistEntryStatus(ctx, entry, { status: 'offered', until })
    await sendWaitlistEmail(ctx, 'waitlist.offered', { snapshot, entry, row, price: charge.amount, until })
  },
})

async function loadEntryAndParticipant(ctx: EventContext, charge: ChargeRow) {
  const entry = await getWaitlistEntry(ctx, charge.entry_id!)
  return { entry, row: await getParticipant(ctx, entry.participant_id) }
}

async function promotePaid(ctx: EventContext, paid: PaidCharge, { beyondCapacity }: { beyondCapacity: boolean }) {
  const { charge } = paid
  const { entry, row } = await loadEntryAndParticipant(ctx, charge)
  const tried = await runInSavepoint(ctx, async () => {
    if (entry.status !== 'waiting') return null
    const snapshot = { ...(await loadEventSnapshot(ctx)), isTest: row.is_test_data }
    const wish = await planWaitlistFulfilment(ctx, { snapshot, entry, row, pricedAt: entry.priced_at ?? charge.created_at })
    const fulfilled = await wish.fulfil({ beyondCapacity })
    await setWaitlistEntryStatus(ctx, entry, { status: 'promoted' })
    return { ...fulfilled, snapshot, price: wish.total }
  })
  const done = tried.refused ? null : tried.done
  if (!done) return refundPaid(ctx, paid)
  await recordCardPayment(ctx, await lockOrder(ctx, done.orderId), done.invoice?.id ?? null, paid)
  await applyCreditToOpenInvoices(ctx, done.orderId)
  const { orderId, snapshot, price } = done
  const problems = await trySendPaymentEmail(ctx, async () =>
    sendWaitlistEmail(ctx, 'waitlist.promoted', { snapshot, entry, row: await getParticipant(ctx, row.id), price, orderId }),
  )
  return { orderId, invoiceId: done.invoice?.id ?? null, flag: formatChargeProblems(problems) }
}

/** Refunds a charge whose waiting list entry was removed, or whose product is no longer sold. */
async function refundPaid(ctx: EventContext, paid: PaidCharge) {
  const { entry, row } = await loadEntryAndParticipant(ctx, paid.charge)
  if (entry.status === 'waiting') await releaseHolds(ctx, { participantId: row.id, entryId: entry.id })
  return refundUnusablePayment(ctx, row, paid, 'The place was not taken')
}
