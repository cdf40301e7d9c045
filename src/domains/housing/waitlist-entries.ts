import { type Selectable, sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingContext, HousingQueryContext } from './context.ts'
import type { ReservationRow } from './tables.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { HOTEL_WAITLIST_STATES } from './states.ts'

export type HotelWaitlistEntry = Selectable<Tables['hotel_waitlist_entries']>

/** A hotel waiting list entry, with the state of the card charges of its deposit. */
export interface HotelWaitlistEntryWithCharges extends HotelWaitlistEntry {
  /** Whether a card charge of the deposit is in progress. */
  charging: boolean
  /** Whether a card charge of the deposit has succeeded. */
  charged: boolean
  /** Number of failed card charges of the deposit. */
  failedCharges: number
}

export const isEntryChargePendingSql = sql<boolean>`exists (select from charges c where c.tenant_id = w.tenant_id and c.event_id = w.event_id
  and c.hotel_entry_id = w.id and c.status in ('pending', 'unknown'))`

const MAX_WAITLIST_ENTRIES = 1000

export interface HotelWaitlistEntryFilter {
  hotelId: string | null
  roomTypeCode?: string | null
  priorityTags?: readonly string[]
  isTest?: boolean
}

/**
 * Lists the waiting entries for a hotel, including entries that name it as an alternative: by the first priority tag that the participant
 * has, then priority, then position. Entries whose card charge is in progress are left out, because a room is already held for them. Test
 * data has its own queue.
 */
export async function listHotelWaitlistEntryIds(
  { db, tenantId, event }: HousingQueryContext,
  { hotelId, roomTypeCode = null, priorityTags = [], isTest = false }: HotelWaitlistEntryFilter,
): Promise<string[]> {
  const alternative = JSON.stringify([{ hotelId }])
  const { rows } = await sql<{ id: string }>`
    select w.id from hotel_waitlist_entries w
    join participants p on p.tenant_id = w.tenant_id and p.event_id = w.event_id and p.id = w.participant_id
    where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.status = 'waiting' and w.is_test_data = ${isTest} and not ${isEntryChargePendingSql}
      and (${hotelId}::text is null or w.hotel_id is null or w.alternatives @> ${alternative}::jsonb or w.hotel_id = ${hotelId}
        and (${roomTypeCode}::text is null or w.room_type_code is null or w.room_type_code = ${roomTypeCode}))
    order by ${priorityOf(priorityTags)}, w.priority desc, w.position limit ${MAX_WAITLIST_ENTRIES}`.execute(db)
  return rows.map(({ id }) => id)
}

const priorityOf = (tags: readonly string[]) => sql`
  coalesce((select min(t.n) from unnest(${tags}::text[]) with ordinality as t(tag, n) where t.tag = any(p.tags)), 2147483647)`

/** Sorts the ids of waiting list entries in the sequence in which they get rooms, regardless of their status. Unknown ids are left out. */
export async function sortHotelWaitlistEntryIds(
  { db, tenantId, event }: HousingQueryContext,
  ids: readonly string[],
  priorityTags: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from hotel_waitlist_entries w
    join participants p on p.tenant_id = w.tenant_id and p.event_id = w.event_id and p.id = w.participant_id
    where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.id = any(${ids})
    order by ${priorityOf(priorityTags)}, w.priority desc, w.position`.execute(db)
  return rows.map(({ id }) => id)
}

const selectCharged = ({ tenantId, event }: HousingQueryContext, ids: readonly string[]) => sql`
  select w.*, ${isEntryChargePendingSql} as charging,
    exists (select from charges c where c.tenant_id = w.tenant_id and c.event_id = w.event_id and c.hotel_entry_id = w.id
      and c.status = 'succeeded') as charged,
    (select count(*)::int from charges c where c.tenant_id = w.tenant_id and c.event_id = w.event_id and c.hotel_entry_id = w.id
      and c.status = 'failed') as "failedCharges"
  from hotel_waitlist_entries w
  where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.id = any(${ids})`

/** Locks waiting list entries. With `skipLocked`, entries that a concurrent transaction has locked are left out. */
export async function lockHotelWaitlistEntries(
  ctx: HousingQueryContext,
  ids: readonly string[],
  { skipLocked = false } = {},
): Promise<HotelWaitlistEntryWithCharges[]> {
  const locked = await sql<{ id: string }>`
    select w.id from hotel_waitlist_entries w where w.tenant_id = ${ctx.tenantId} and w.event_id = ${ctx.event.id} and w.id = any(${ids})
    order by w.id for no key update of w ${skipLocked ? sql`skip locked` : sql``}`.execute(ctx.db)
  // The entries are read after locking, because a charge may have been settled while this transaction waited for the lock.
  return getHotelWaitlistEntries(
    ctx,
    locked.rows.map(({ id }) => id),
  )
}

export const getHotelWaitlistEntries = async (ctx: HousingQueryContext, ids: readonly string[]): Promise<HotelWaitlistEntryWithCharges[]> =>
  (await sql<HotelWaitlistEntryWithCharges>`${selectCharged(ctx, ids)}`.execute(ctx.db)).rows

export const getHotelWaitlistEntry = async (ctx: HousingQueryContext, id: string): Promise<HotelWaitlistEntryWithCharges> =>
  (await getHotelWaitlistEntries(ctx, [id]))[0]!

/**
 * Locks the room nights that may be given to the entries or are held for them. Call this before locking the entries. Room nights are locked
 * before block nights, both by key, as in every transaction that takes several of them.
 */
export async function lockWaitlistEntryRoomNights({ db, tenantId, event }: HousingQueryContext, ids: readonly string[]): Promise<void> {
  const wanted = sql`
    select w.check_in, w.check_out, c.hotel_id from hotel_waitlist_entries w
    cross join lateral (
      select w.hotel_id union select a ->> 'hotelId' from jsonb_array_elements(w.alternatives) a
      union select s.hotel_id from reservations s where s.tenant_id = w.tenant_id and s.event_id = w.event_id and s.entry_id = w.id
        and s.status = 'held') c
    where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.id = any(${ids})`
  const isWanted = (row: 'r' | 'b') => sql`
    exists (select from wanted where ${sql.ref(`${row}.night`)} >= wanted.check_in and ${sql.ref(`${row}.night`)} < wanted.check_out
      and (wanted.hotel_id is null or wanted.hotel_id = ${sql.ref(`${row}.hotel_id`)}))`
  await sql`
    with wanted as materialized (${wanted})
    select from room_nights r where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and ${isWanted('r')}
    order by r.hotel_id, r.room_type_code, r.night for no key update`.execute(db)
  await sql`
    with wanted as materialized (${wanted})
    select from block_nights b where b.tenant_id = ${tenantId} and b.event_id = ${event.id} and ${isWanted('b')}
    order by b.block_id, b.hotel_id, b.room_type_code, b.night for no key update`.execute(db)
}

/** Finds the room that is held for an entry, while it is offered or its card is charged. */
export const findHeldRoom = async (ctx: HousingQueryContext, entryId: string): Promise<ReservationRow | null> =>
  (await eventDb(ctx)
    .selectFrom('reservations')
    .selectAll()
    .where('entry_id', '=', entryId)
    .where('status', '=', 'held')
    .executeTakeFirst()) ?? null

/**
 * Changes the status of a waiting list entry. If another transaction changed it first, SerializationConflict makes the caller retry the
 * whole change.
 */
export async function updateHotelWaitlistEntryStatus(
  ctx: HousingContext,
  entry: HotelWaitlistEntry,
  { status, ...columns }: Partial<Pick<HotelWaitlistEntry, 'offered_until' | 'ended_at' | 'reason'>> & Pick<HotelWaitlistEntry, 'status'>,
): Promise<void> {
  await changeRecordState(ctx, HOTEL_WAITLIST_STATES, entry, status, { columns, retried: true })
}

/** Stores the payment card of a waiting list entry, its owner's consent, and the charge that was started with the card. */
export async function recordWaitlistDepositCharge(
  ctx: HousingContext,
  entry: HotelWaitlistEntry,
  { chargeId, card, attempt }: { chargeId: string; card: { id: string; consent_at: Date | null }; attempt: number },
): Promise<void> {
  await eventDb(ctx)
    .updateTable('hotel_waitlist_entries')
    .set({ charge_id: chargeId, saved_card_id: card.id, consent_charge_at: card.consent_at })
    .where('id', '=', entry.id)
    .execute()
  recordChange(ctx, { kind: 'hotelWaitlistEntry', id: entry.id, after: { chargeId, attempt } })
}
