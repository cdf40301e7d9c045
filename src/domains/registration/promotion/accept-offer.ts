import type { EventContext } from '../../../kernel/context.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { getParticipant } from '../participant-rows.ts'
import { loadEventSnapshot } from '../event-snapshot.ts'
import { getEntry, setEntryStatus } from './entries.ts'
import { sendWaitlistEmail } from './emails.ts'
import { type FulfilledEntry, planFulfilment } from './fulfilment.ts'

/** Accepts an offer at the offered price. The registration gets the spot, and the price is invoiced. */
export async function acceptOffer(ctx: EventContext, entryId: string): Promise<FulfilledEntry> {
  const entry = await getEntry(ctx, entryId)
  const snapshot = await loadEventSnapshot(ctx)
  if (entry.status !== 'offered') throw preconditionFailed(`This offer is no longer open: it is ${entry.reason ?? entry.status}`)
  if (entry.offered_until! <= snapshot.at) throw preconditionFailed(`This offer expired at ${entry.offered_until!.toISOString()}`)
  const row = await getParticipant(ctx, entry.participant_id)
  const wish = await planFulfilment(ctx, {
    snapshot: { ...snapshot, isTest: row.is_test_data },
    entry,
    row,
    pricedAt: entry.priced_at ?? (await offeredAt(ctx, entryId)),
  })
  const fulfilled = await wish.fulfil({ beyondCapacity: false })
  await setEntryStatus(ctx, entry, { status: 'promoted' })
  const { orderId } = fulfilled
  await sendWaitlistEmail(ctx, 'waitlist.promoted', { snapshot, entry, row: await getParticipant(ctx, row.id), price: wish.total, orderId })
  return fulfilled
}

/** The time when the waiting list offer was made, which fixed the price. Null for test data, which holds no capacity. */
async function offeredAt(ctx: EventContext, entryId: string): Promise<Date | null> {
  const hold = await eventDb(ctx)
    .selectFrom('holds')
    .select('created_at')
    .where('entry_id', '=', entryId)
    .where('status', '=', 'active')
    .orderBy('created_at')
    .executeTakeFirst()
  return hold?.created_at ?? null
}
