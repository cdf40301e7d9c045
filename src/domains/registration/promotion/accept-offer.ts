import type { EventContext } from '../../../kernel/context.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { getParticipant } from '../people.ts'
import { openScene } from '../scene.ts'
import { getEntry, moveEntry } from './entries.ts'
import { mailWaitlist } from './mails.ts'
import { type Fulfilled, wishOf } from './wish.ts'

/** Somebody takes the place they were offered, at the price of the offer: it is theirs, and what it costs is on an invoice. */
export async function acceptOffer(ctx: EventContext, entryId: string): Promise<Fulfilled> {
  const entry = await getEntry(ctx, entryId)
  const scene = await openScene(ctx)
  if (entry.status !== 'offered') throw preconditionFailed(`This offer is not open any more: it is ${entry.reason ?? entry.status}`)
  if (entry.offered_until! <= scene.at) throw preconditionFailed(`This offer ended at ${entry.offered_until!.toISOString()}`)
  const row = await getParticipant(ctx, entry.participant_id)
  const wish = await wishOf(ctx, {
    scene: { ...scene, isTest: row.is_test_data },
    entry,
    row,
    pricedAt: entry.priced_at ?? (await offeredAt(ctx, entryId)),
  })
  const fulfilled = await wish.fulfil({ beyondCapacity: false })
  await moveEntry(ctx, entry, { status: 'promoted' })
  const { orderId } = fulfilled
  await mailWaitlist(ctx, 'waitlist.promoted', { scene, entry, row: await getParticipant(ctx, row.id), price: wish.total, orderId })
  return fulfilled
}

/** A price is fixed while its place is held. Test data holds none. */
async function offeredAt({ db, tenantId, event }: EventContext, entryId: string): Promise<Date | null> {
  const hold = await db
    .selectFrom('holds')
    .select('created_at')
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('entry_id', '=', entryId)
    .where('status', '=', 'active')
    .orderBy('created_at')
    .executeTakeFirst()
  return hold?.created_at ?? null
}
