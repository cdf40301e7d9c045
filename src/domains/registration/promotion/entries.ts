import { type Selectable, sql } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import { notFound } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { RegistrationContext } from '../event-snapshot.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { WAITLIST_ENTRY_STATES } from '../states.ts'

export type WaitlistEntryRow = Selectable<Tables['waitlist_entries']>

/** A waiting list entry, and whether a card charge is in progress for it. */
export interface WaitlistEntry extends WaitlistEntryRow {
  charging: boolean
}

/** Selects waiting list entries by id, or the first `count` entries that wait for a target (an inventory key, such as a product). */
export type WaitlistEntrySelection = { entryIds: readonly string[] } | { target: string; count: number }

/** Lists waiting list entries, sorted by the first priority tag that the participant has, then by position. */
export async function listSelectedWaitlistEntries(
  ctx: RegistrationContext,
  chosen: WaitlistEntrySelection,
  { priorityTags = [], from = [] }: { priorityTags?: readonly string[]; from?: readonly WaitlistEntryRow['status'][] } = {},
): Promise<WaitlistEntry[]> {
  const which =
    'entryIds' in chosen
      ? sql`w.id = any(${chosen.entryIds})`
      : sql`w.target = ${chosen.target} and w.status = any(${from}) and not w.is_test_data and not ${isCharging}`
  const { rows } = await sql<WaitlistEntry>`
    select w.*, ${isCharging} as charging
    from waitlist_entries w
    join participants p on p.tenant_id = w.tenant_id and p.event_id = w.event_id and p.id = w.participant_id
    where w.tenant_id = ${ctx.tenantId} and w.event_id = ${ctx.event.id} and ${which}
    order by coalesce((select min(t.n) from unnest(${priorityTags}::text[]) with ordinality as t(tag, n) where t.tag = any(p.tags)), 2147483647),
      w.position
    limit ${'count' in chosen ? chosen.count : null}::bigint`.execute(ctx.db)
  if ('entryIds' in chosen) {
    const missing = chosen.entryIds.find((id) => rows.every((row) => row.id !== id))
    if (missing !== undefined)
      throw notFound(`No waitlist entry ${missing} at this event. Use find_participants with waitlistedFor to see the waiting list`)
  }
  return rows
}

const isCharging = sql<boolean>`exists (select from charges c where c.tenant_id = w.tenant_id and c.event_id = w.event_id and c.entry_id = w.id
  and c.status in ('pending', 'unknown'))`

export async function getWaitlistEntry(ctx: RegistrationContext, id: string): Promise<WaitlistEntry> {
  return (await listSelectedWaitlistEntries(ctx, { entryIds: [id] }))[0]!
}

/** Lists the waiting list entries of a participant that wait for a spot or have an open offer. */
export const listActiveWaitlistEntries = (ctx: RegistrationContext, participantId: string): Promise<WaitlistEntryRow[]> =>
  eventDb(ctx)
    .selectFrom('waitlist_entries')
    .selectAll()
    .where('participant_id', '=', participantId)
    .where('status', 'in', ['waiting', 'offered'])
    .orderBy('position')
    .execute()

/**
 * Whether the waiting list offer can be accepted at this time. The stored status of an expired offer may still be `offered` for a moment.
 */
export const isOpenWaitlistOffer = ({ status, offered_until }: WaitlistEntryRow, at: Date): boolean =>
  status === 'offered' && offered_until !== null && offered_until > at

/**
 * Finds the time as of which an offer is priced: when the participant joined the waiting list, if prices are fixed at that time, or when
 * the offer was made. Null for an offer to a test participant, which holds no capacity and has no stored time.
 */
export async function findOfferPricingTime(ctx: RegistrationContext, { id, priced_at }: WaitlistEntryRow): Promise<Date | null> {
  if (priced_at !== null) return priced_at
  const hold = await eventDb(ctx)
    .selectFrom('holds')
    .select('created_at')
    .where('entry_id', '=', id)
    .where('status', '=', 'active')
    .orderBy('created_at')
    .executeTakeFirst()
  return hold?.created_at ?? null
}

/**
 * Finds the end of the latest offer for a waiting list entry, also after the offer has ended; null if there was no offer. Ended offers are
 * found by their capacity hold, or by the end of the entry for test participants, whose offers hold no capacity.
 */
export async function findLatestOfferEndTime(
  ctx: RegistrationContext,
  { id, offered_until, reason, ended_at }: WaitlistEntryRow,
): Promise<Date | null> {
  if (offered_until !== null) return offered_until
  const hold = await eventDb(ctx)
    .selectFrom('holds')
    .select('expires_at')
    .where('entry_id', '=', id)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return hold?.expires_at ?? (reason === 'offer_expired' ? ended_at : null)
}

type EntryTransition =
  | { status: 'offered'; until: Date }
  | { status: 'promoted' }
  | { status: 'waiting' }
  | { status: 'removed'; reason: string }

/**
 * Changes the status of a waiting list entry. If a concurrent transaction changed the entry, throws so that the transaction is retried with
 * current data.
 */
export async function setWaitlistEntryStatus(ctx: RegistrationContext, entry: WaitlistEntryRow, move: EntryTransition): Promise<void> {
  const over = move.status === 'promoted' || move.status === 'removed'
  await changeRecordState(ctx, WAITLIST_ENTRY_STATES, entry, move.status, {
    columns: {
      offered_until: move.status === 'offered' ? move.until : null,
      reason: move.status === 'removed' ? move.reason : null,
      ...(over ? { ended_at: sql`lanyard_now()` } : {}),
    },
    retried: true,
  })
}
