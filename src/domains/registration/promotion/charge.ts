import { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { tryPart } from '../../../kernel/savepoint.ts'
import { keepUntil, releaseHolds } from '../../inventory/places.ts'
import { applyCredit } from '../../orders/ledger.ts'
import { lockOrder } from '../../orders/orders.ts'
import { recordCardPayment } from '../../payments/card-payments.ts'
import type { ChargeRow, Paid } from '../../payments/charges.ts'
import { defineCharge } from '../../payments/saved-card-charges.ts'
import { giveBack } from '../give-back.ts'
import { getParticipant } from '../people.ts'
import { openScene } from '../scene.ts'
import { getEntry, moveEntry } from './entries.ts'
import { mailWaitlist } from './mails.ts'
import { wishOf } from './wish.ts'

/** How long an offer is good that is made at this moment. */
export const offeredUntil = (at: Date, hours: number): Date => new Date(at.getTime() + hours * 3_600_000)

/**
 * The saved card of somebody who waits. Until it is known whether it paid, their place is held and nothing else happens to them; then they
 * are promoted, or offered the place to pay it themselves, or wait on.
 */
export const waitlistCharge = defineCharge({
  kind: 'waitlist.charge',
  more: { offerHours: z.number(), onDecline: z.enum(['offer', 'skip']), beyondCapacity: z.boolean() },
  paid: promotePaid,
  async failed(ctx, charge, { onDecline, offerHours }) {
    const { entry, row } = await waiting(ctx, charge)
    if (entry.status !== 'waiting') return
    const holder = { participantId: row.id, entryId: entry.id }
    if (onDecline === 'skip' || ctx.event.status === 'archived') return releaseHolds(ctx, holder)
    const scene = await openScene(ctx)
    const until = offeredUntil(scene.at, offerHours)
    await keepUntil(ctx, holder, until)
    await moveEntry(ctx, entry, { status: 'offered', until })
    await mailWaitlist(ctx, 'waitlist.offered', { scene, entry, row, price: charge.amount, until })
  },
})

async function waiting(ctx: EventContext, charge: ChargeRow) {
  const entry = await getEntry(ctx, charge.entry_id!)
  return { entry, row: await getParticipant(ctx, entry.participant_id) }
}

async function promotePaid(ctx: EventContext, paid: Paid, { beyondCapacity }: { beyondCapacity: boolean }) {
  const { charge } = paid
  const { entry, row } = await waiting(ctx, charge)
  const tried = await tryPart(ctx, async () => {
    if (entry.status !== 'waiting') return null
    const scene = { ...(await openScene(ctx)), isTest: row.is_test_data }
    const wish = await wishOf(ctx, { scene, entry, row, pricedAt: entry.priced_at ?? charge.created_at })
    const fulfilled = await wish.fulfil({ beyondCapacity })
    await moveEntry(ctx, entry, { status: 'promoted' })
    return { ...fulfilled, scene, price: wish.total }
  })
  const done = tried.refused ? null : tried.done
  if (!done) return returnPaid(ctx, paid)
  await recordCardPayment(ctx, await lockOrder(ctx, done.orderId), done.invoice?.id ?? null, paid)
  await applyCredit(ctx, done.orderId)
  const { orderId, scene, price } = done
  await mailWaitlist(ctx, 'waitlist.promoted', { scene, entry, row: await getParticipant(ctx, row.id), price, orderId })
  return { orderId, invoiceId: done.invoice?.id ?? null }
}

/** They went away, or it is no longer sold. */
async function returnPaid(ctx: EventContext, paid: Paid) {
  const { entry, row } = await waiting(ctx, paid.charge)
  if (entry.status === 'waiting') await releaseHolds(ctx, { participantId: row.id, entryId: entry.id })
  return giveBack(ctx, row, paid, 'The place was not taken')
}
