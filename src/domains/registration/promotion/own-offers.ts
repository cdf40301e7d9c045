import { notFound } from '../../../kernel/errors.ts'
import { type Money, toMoney } from '../../../kernel/money.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { type RegistrationContext, loadEventSnapshot } from '../event-snapshot.ts'
import { formatParticipantName, type ParticipantRow } from '../participant-shape.ts'
import { listGuests } from '../participant-rows.ts'
import { getWaitlistTargetName } from '../waitlist/waitlist.ts'
import { acceptWaitlistOffer, declineWaitlistOffer } from './accept-offer.ts'
import { findOfferPricingTime, isOpenWaitlistOffer, type WaitlistEntryRow } from './entries.ts'
import { type FulfilledWaitlistEntry, planWaitlistFulfilment } from './fulfilment.ts'

/** An offer from the waiting list as shown to its participant. */
export interface OpenWaitlistOffer {
  entryId: string
  /** The name of the offered product, flow or event. */
  name: string
  quantity: number
  /** The name of the guest whom the offer is for; null if it is for the participant. */
  guest: string | null
  until: Date
  /** The price of the offer; null if the offer can no longer be accepted, for example because the product is no longer sold. */
  price: { total: Money; due: Money } | null
}

/** Lists the participant and the guests whom they act for, because guests have no pages of their own. */
const listOwnPeople = async (ctx: RegistrationContext, row: ParticipantRow): Promise<ParticipantRow[]> => [
  row,
  ...(await listGuests(ctx, row.id)),
]

export async function hasWaitlistOffers(ctx: RegistrationContext, row: ParticipantRow): Promise<boolean> {
  return (await listOfferedEntries(ctx, await listOwnPeople(ctx, row))).length > 0
}

/** Lists the open offers of a participant and their guests with prices. Runs in a transaction, because pricing locks the group. */
export async function listOwnWaitlistOffers(ctx: RegistrationContext, row: ParticipantRow): Promise<OpenWaitlistOffer[]> {
  const people = await listOwnPeople(ctx, row)
  const snapshot = await loadEventSnapshot(ctx)
  const offers: OpenWaitlistOffer[] = []
  for (const entry of await listOfferedEntries(ctx, people)) {
    if (!isOpenWaitlistOffer(entry, snapshot.at)) continue
    const holder = people.find(({ id }) => id === entry.participant_id)!
    const plan = await runInSavepoint(ctx, async () =>
      planWaitlistFulfilment(ctx, {
        snapshot: { ...snapshot, isTest: holder.is_test_data },
        entry,
        row: holder,
        pricedAt: await findOfferPricingTime(ctx, entry),
      }),
    )
    const inCurrency = (minor: number) => toMoney(minor, snapshot.currency)
    offers.push({
      entryId: entry.id,
      name: getWaitlistTargetName(snapshot.config, entry.target),
      quantity: entry.quantity,
      guest: holder.id === row.id ? null : formatParticipantName(holder),
      until: entry.offered_until!,
      price: plan.refused ? null : { total: inCurrency(plan.done.total), due: inCurrency(plan.done.due) },
    })
  }
  return offers
}

const listOfferedEntries = (ctx: RegistrationContext, people: readonly ParticipantRow[]): Promise<WaitlistEntryRow[]> =>
  eventDb(ctx)
    .selectFrom('waitlist_entries')
    .selectAll()
    .where(
      'participant_id',
      'in',
      people.map(({ id }) => id),
    )
    .where('status', '=', 'offered')
    .orderBy('offered_until')
    .orderBy('id')
    .execute()

/** Accepts a waiting list offer of the participant or their guest. A repeated call changes nothing and returns null. */
export async function acceptOwnWaitlistOffer(
  ctx: RegistrationContext,
  row: ParticipantRow,
  entryId: string,
): Promise<FulfilledWaitlistEntry | null> {
  const status = await getOwnEntryStatus(ctx, row, entryId)
  return status === 'promoted' ? null : acceptWaitlistOffer(ctx, entryId)
}

/** Declines a waiting list offer of the participant or their guest. A repeated call changes nothing. */
export async function declineOwnWaitlistOffer(ctx: RegistrationContext, row: ParticipantRow, entryId: string): Promise<void> {
  const status = await getOwnEntryStatus(ctx, row, entryId)
  if (status !== 'declined') await declineWaitlistOffer(ctx, entryId)
}

async function getOwnEntryStatus(ctx: RegistrationContext, row: ParticipantRow, entryId: string): Promise<string> {
  const people = await listOwnPeople(ctx, row)
  const entry = await eventDb(ctx)
    .selectFrom('waitlist_entries')
    .select(['status', 'reason', 'participant_id'])
    .where('id', '=', entryId)
    .executeTakeFirst()
  if (!entry || people.every(({ id }) => id !== entry.participant_id)) throw notFound('There is no such offer')
  return entry.reason ?? entry.status
}
