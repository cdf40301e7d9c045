import { sql } from 'kysely'
import { notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { countAvailableUnits, readStockLevels } from '../../inventory/units.ts'
import { readStoredAnswers } from '../answers.ts'
import { type RegistrationContext, getFlow, loadEventSnapshot } from '../event-snapshot.ts'
import { formatParticipantName, type ParticipantRow } from '../participant-shape.ts'
import { listGuests } from '../participant-rows.ts'
import { getWaitlistTargetName, joinWaitlist } from '../waitlist/waitlist.ts'
import { findLatestOfferEndTime, getWaitlistEntry, isOpenWaitlistOffer, setWaitlistEntryStatus, type WaitlistEntry } from './entries.ts'

/**
 * The state of a waiting list entry as its participant sees it. `ended` means that the organizer removed the entry or a cancellation ended
 * it.
 */
export type OwnWaitlistEntryState = 'waiting' | 'open' | 'accepted' | 'declined' | 'expired' | 'left' | 'ended'

/** A waiting list entry of a participant or their guest. */
export interface OwnWaitlistEntry {
  id: string
  /** The name of the product, flow or event that the participant waits for. */
  name: string
  /** The name of the guest that the entry is for; null if it is for the participant. */
  guest: string | null
  state: OwnWaitlistEntryState
  /** The end of the latest offer for the entry; null if there was none. */
  until: Date | null
  /** The number of people who are waiting for the same product, flow or event now. */
  waiting: number
  /** Whether the participant can join this waiting list again, because the product is sold out but still offered. */
  mayRejoin: boolean
}

/** Reads one waiting list entry of the participant or their guests. Throws `not_found` if it does not exist. */
export async function getOwnWaitlistEntry(ctx: RegistrationContext, row: ParticipantRow, entryId: string): Promise<OwnWaitlistEntry> {
  const { entry, holder } = await findEntryAndHolder(ctx, row, entryId)
  const { config, at } = await loadEventSnapshot(ctx, holder.is_test_data ? { test: { useDraft: true } } : {})
  const state = toState(entry, at)
  const hasEnded = state === 'declined' || state === 'expired' || state === 'left'
  return {
    id: entry.id,
    name: getWaitlistTargetName(config, entry.target),
    guest: holder.id === row.id ? null : formatParticipantName(holder),
    state,
    until: await findLatestOfferEndTime(ctx, entry),
    waiting: await countWaiting(ctx, entry),
    mayRejoin: hasEnded && holder.status === 'complete' && (await canJoin(ctx, entry)),
  }
}

/** Finds the latest waiting list entry whose offer has expired; null if a newer entry has replaced it. */
export async function findExpiredWaitlistEntryId(ctx: RegistrationContext, row: ParticipantRow): Promise<string | null> {
  const people = [row, ...(await listGuests(ctx, row.id))]
  const latest = await eventDb(ctx)
    .selectFrom('waitlist_entries')
    .select(['id', 'status', 'reason'])
    .where(
      'participant_id',
      'in',
      people.map(({ id }) => id),
    )
    .orderBy('position', 'desc')
    .executeTakeFirst()
  return latest?.reason === 'offer_expired' || latest?.status === 'offered' ? latest.id : null
}

/** Leaves the waiting list of a product. If the whole registration waits, it is cancelled instead. A repeated call changes nothing. */
export async function leaveOwnWaitlist(ctx: RegistrationContext, row: ParticipantRow, entryId: string): Promise<void> {
  const { entry, holder } = await findEntryAndHolder(ctx, row, entryId)
  if (entry.reason === 'left') return
  if (entry.status !== 'waiting' || holder.status !== 'complete')
    throw preconditionFailed(`This waiting list entry cannot be left: it is ${entry.reason ?? entry.status}`)
  await setWaitlistEntryStatus(ctx, entry, { status: 'removed', reason: 'left' })
}

/** Joins the end of a product's waiting list again. Returns the new entry, or the current entry if the participant is already waiting. */
export async function rejoinOwnWaitlist(ctx: RegistrationContext, row: ParticipantRow, entryId: string): Promise<string> {
  const { entry, holder } = await findEntryAndHolder(ctx, row, entryId)
  const snapshot = await loadEventSnapshot(ctx, holder.is_test_data ? { test: { useDraft: true } } : {})
  const findLive = () =>
    eventDb(ctx)
      .selectFrom('waitlist_entries')
      .select('id')
      .where('participant_id', '=', holder.id)
      .where('target', '=', entry.target)
      .where('status', 'in', ['waiting', 'offered'])
      .executeTakeFirst()
  const live = await findLive()
  if (live) return live.id
  if (holder.status !== 'complete' || !(await canJoin(ctx, entry)))
    throw preconditionFailed('This waiting list cannot be joined: the product is not sold out, or has no waiting list any more.')
  await joinWaitlist(ctx, {
    snapshot,
    flow: getFlow(snapshot, holder.flow_slug!),
    participant: holder,
    answers: { ...readStoredAnswers(holder), [`@${entry.target.replace(':', '.')}`]: entry.quantity },
    targets: [entry.target],
    manualTags: holder.manual_tags,
    source: holder.source,
  })
  return (await findLive())!.id
}

async function findEntryAndHolder(ctx: RegistrationContext, row: ParticipantRow, entryId: string) {
  const people = [row, ...(await listGuests(ctx, row.id))]
  const found = await eventDb(ctx).selectFrom('waitlist_entries').select('participant_id').where('id', '=', entryId).executeTakeFirst()
  const holder = people.find(({ id }) => id === found?.participant_id)
  if (!holder) throw notFound('There is no such waiting list entry')
  return { entry: await getWaitlistEntry(ctx, entryId), holder }
}

function toState(entry: WaitlistEntry, at: Date): OwnWaitlistEntryState {
  if (entry.status === 'waiting') return 'waiting'
  if (entry.status === 'promoted') return 'accepted'
  if (entry.status === 'offered') return isOpenWaitlistOffer(entry, at) ? 'open' : 'expired'
  if (entry.reason === 'offer_expired') return 'expired'
  return entry.reason === 'declined' || entry.reason === 'left' ? entry.reason : 'ended'
}

async function countWaiting({ db, tenantId, event }: RegistrationContext, { target, is_test_data }: WaitlistEntry): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from waitlist_entries where tenant_id = ${tenantId} and event_id = ${event.id} and target = ${target}
      and status = 'waiting' and is_test_data = ${is_test_data}`.execute(db)
  return rows[0]!.count
}

/** Whether the product of a waiting list entry still has a waiting list and no unit is free. */
async function canJoin(ctx: RegistrationContext, { target, is_test_data }: WaitlistEntry): Promise<boolean> {
  const { config } = await loadEventSnapshot(ctx, is_test_data ? { test: { useDraft: true } } : {})
  const product = config.products.find(({ code }) => target === `product:${code}`)
  if (!product?.waitlist || product.retired) return false
  const stock = (await readStockLevels(ctx, [target])).get(target)
  const free = stock ? countAvailableUnits(stock) : null
  return free !== null && free <= 0
}
