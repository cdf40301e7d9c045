import { sql } from 'kysely'
import { AppError, preconditionFailed } from '../../../kernel/errors.ts'
import { releaseHolds } from '../../inventory/units.ts'
import { type RegistrationContext, loadEventSnapshot } from '../event-snapshot.ts'
import { getParticipant } from '../participant-rows.ts'
import { findOfferPricingTime, getWaitlistEntry, isOpenWaitlistOffer, setWaitlistEntryStatus, type WaitlistEntry } from './entries.ts'
import { sendWaitlistEmail } from './emails.ts'
import { type FulfilledWaitlistEntry, planWaitlistFulfilment } from './fulfilment.ts'

/** Accepts an offer at the offered price. The registration gets the spot, and the price is invoiced. */
export async function acceptWaitlistOffer(ctx: RegistrationContext, entryId: string): Promise<FulfilledWaitlistEntry> {
  try {
    return await fulfilOffer(ctx, entryId)
  } catch (error) {
    // If the offer has ended in the meantime, for example because the organizer sold the seat, that error is reported instead.
    if (error instanceof AppError) await getOpenOffer(ctx, entryId)
    throw error
  }
}

async function fulfilOffer(ctx: RegistrationContext, entryId: string): Promise<FulfilledWaitlistEntry> {
  const { entry, snapshot } = await getOpenOffer(ctx, entryId)
  const row = await getParticipant(ctx, entry.participant_id)
  const wish = await planWaitlistFulfilment(ctx, {
    snapshot: { ...snapshot, isTest: row.is_test_data },
    entry,
    row,
    pricedAt: await findOfferPricingTime(ctx, entry),
  })
  const fulfilled = await wish.fulfil({ beyondCapacity: false })
  await setWaitlistEntryStatus(ctx, entry, { status: 'promoted' })
  const { orderId } = fulfilled
  await sendWaitlistEmail(ctx, 'waitlist.promoted', { snapshot, entry, row: await getParticipant(ctx, row.id), price: wish.total, orderId })
  return fulfilled
}

/** Declines an offer. The spot becomes free and the participant leaves this waiting list. */
export async function declineWaitlistOffer(ctx: RegistrationContext, entryId: string): Promise<void> {
  const { entry } = await getOpenOffer(ctx, entryId)
  await releaseHolds(ctx, { participantId: entry.participant_id, entryId })
  await setWaitlistEntryStatus(ctx, entry, { status: 'removed', reason: 'declined' })
  await sql`select participants_stop_waiting(${ctx.tenantId}, ${ctx.event.id}, ${entry.participant_id})`.execute(ctx.db)
}

async function getOpenOffer(ctx: RegistrationContext, entryId: string) {
  const entry: WaitlistEntry = await getWaitlistEntry(ctx, entryId)
  const snapshot = await loadEventSnapshot(ctx)
  if (entry.status !== 'offered') throw preconditionFailed(`This offer is no longer open: it is ${entry.reason ?? entry.status}`)
  if (!isOpenWaitlistOffer(entry, snapshot.at)) throw preconditionFailed(`This offer expired at ${entry.offered_until!.toISOString()}`)
  return { entry, snapshot }
}
