import { type Selectable, sql, type Updateable } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import { newId } from '../../../kernel/ids.ts'
import { splitIntoInsertBatches } from '../../../kernel/insert-batches.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingQueryContext } from '../../housing/context.ts'

export type WaitlistFillRow = Selectable<Tables['hotel_waitlist_fills']>
export type WaitlistFillEntryRow = Selectable<Tables['hotel_waitlist_fill_entries']>
export type WaitlistFillOutcome = Pick<WaitlistFillEntryRow, 'outcome'> &
  Partial<Pick<WaitlistFillEntryRow, 'reason' | 'amount' | 'reservation_id' | 'charge_id' | 'attempt' | 'max_charge'>>

/**
 * Stores a call that gives hotel rooms to the waiting list (a fill), with the waiting list entries in the order in which they get rooms.
 */
export async function insertWaitlistFill(
  ctx: HousingQueryContext,
  fill: Pick<WaitlistFillRow, 'hotel_id' | 'room_type_code' | 'most' | 'on_decline' | 'use_returned'>,
  entryIds: readonly string[],
): Promise<WaitlistFillRow> {
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id }
  const row = await ctx.db
    .insertInto('hotel_waitlist_fills')
    .values({ ...at, ...fill, id: newId() })
    .returningAll()
    .executeTakeFirstOrThrow()
  const entries = entryIds.map((entry_id, ordinal) => ({ ...at, fill_id: row.id, entry_id, ordinal }))
  for (const part of splitIntoInsertBatches(entries)) await ctx.db.insertInto('hotel_waitlist_fill_entries').values(part).execute()
  return row
}

/**
 * Locks the row of a fill (a tool call that gives rooms to the waiting list), so that only one transaction at a time gives rooms to its
 * entries.
 */
export const lockWaitlistFill = (ctx: HousingQueryContext, id: string): Promise<WaitlistFillRow> =>
  eventDb(ctx).selectFrom('hotel_waitlist_fills').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow()

export const saveWaitlistFillJob = (ctx: HousingQueryContext, { id }: WaitlistFillRow, jobId: string) =>
  eventDb(ctx).updateTable('hotel_waitlist_fills').set({ job_id: jobId }).where('id', '=', id).execute()

export const findWaitlistFillByJob = (ctx: HousingQueryContext, jobId: string): Promise<WaitlistFillRow | undefined> =>
  eventDb(ctx).selectFrom('hotel_waitlist_fills').selectAll().where('job_id', '=', jobId).executeTakeFirst()

export const listWaitlistFillEntries = (ctx: HousingQueryContext, fillId: string): Promise<WaitlistFillEntryRow[]> =>
  eventDb(ctx).selectFrom('hotel_waitlist_fill_entries').selectAll().where('fill_id', '=', fillId).orderBy('ordinal').execute()

interface OpenEntries {
  /** If given, also includes entries that were skipped for this reason, because they may get a room now. */
  orSkippedFor?: string | undefined
  limit?: number | undefined
}

/** Lists, in order, the waiting list entries that a fill (a call that gives hotel rooms to the waiting list) has not processed yet. */
export async function listOpenWaitlistFillEntries(
  ctx: HousingQueryContext,
  fillId: string,
  { orSkippedFor, limit }: OpenEntries,
): Promise<WaitlistFillEntryRow[]> {
  let query = eventDb(ctx).selectFrom('hotel_waitlist_fill_entries').selectAll().where('fill_id', '=', fillId)
  query = query.where((eb) =>
    orSkippedFor === undefined ? eb('outcome', 'is', null) : eb.or([eb('outcome', 'is', null), eb('reason', '=', orSkippedFor)]),
  )
  query = query.orderBy('ordinal')
  return (limit === undefined ? query : query.limit(limit)).execute()
}

export interface WaitlistFillProgress {
  total: number
  processed: number
  /** Number of waiting list entries that got a room or an offer, or whose room is held while their card is charged. */
  served: number
  /** Number of waiting list entries whose card is still to be charged. */
  untried: number
}

/**
 * Counts the waiting list entries of a fill (a call that gives hotel rooms to the waiting list) in the database, because its background job
 * needs the numbers after every batch.
 */
export async function countWaitlistFillEntries(
  { db, tenantId, event }: HousingQueryContext,
  fillId: string,
): Promise<WaitlistFillProgress> {
  const { rows } = await sql<WaitlistFillProgress>`
    select count(*)::int as total, count(f.outcome)::int as processed, count(*) filter (where f.outcome <> 'skipped')::int as served,
      count(*) filter (where f.outcome = 'charge_pending' and c.status = 'pending' and c.attempts = 0)::int as untried
    from hotel_waitlist_fill_entries f
    left join charges c on c.tenant_id = f.tenant_id and c.event_id = f.event_id and c.id = f.charge_id
    where f.tenant_id = ${tenantId} and f.event_id = ${event.id} and f.fill_id = ${fillId}`.execute(db)
  return rows[0]!
}

type WaitlistFillEntryChange = { entryId: string } & Updateable<Tables['hotel_waitlist_fill_entries']>

export const updateWaitlistFillEntry = (
  ctx: HousingQueryContext,
  { fillId, entryId }: { fillId: string; entryId: string },
  columns: Updateable<Tables['hotel_waitlist_fill_entries']>,
): Promise<void> => updateWaitlistFillEntries(ctx, fillId, [{ ...columns, entryId }])

/** Stores the outcomes of waiting list entries with one statement. Columns that an outcome does not contain keep their values. */
export async function updateWaitlistFillEntries(
  { db, tenantId, event }: HousingQueryContext,
  fillId: string,
  changes: readonly WaitlistFillEntryChange[],
): Promise<void> {
  if (changes.length === 0) return
  const columns = JSON.stringify(changes.map(({ entryId, ...change }) => ({ ...change, entry_id: entryId })))
  await sql`
    update hotel_waitlist_fill_entries f set outcome = n.outcome, reason = n.reason, amount = n.amount, reservation_id = n.reservation_id,
      charge_id = n.charge_id, attempt = n.attempt, max_charge = n.max_charge
    from jsonb_array_elements(${columns}::jsonb) c
    join hotel_waitlist_fill_entries o on o.tenant_id = ${tenantId} and o.event_id = ${event.id} and o.fill_id = ${fillId}
      and o.entry_id = c ->> 'entry_id'
    cross join lateral jsonb_populate_record(o, c) n
    where f.tenant_id = o.tenant_id and f.event_id = o.event_id and f.fill_id = o.fill_id and f.entry_id = o.entry_id`.execute(db)
}

/** Finds the latest fill (call that gives hotel rooms to the waiting list) that charged a card for the waiting list entry. */
export async function findWaitlistFillByChargedEntry(
  { db, tenantId, event }: HousingQueryContext,
  entryId: string,
): Promise<WaitlistFillRow | null> {
  const { rows } = await sql<WaitlistFillRow>`
    select f.* from hotel_waitlist_fills f
    join hotel_waitlist_fill_entries e on e.tenant_id = f.tenant_id and e.event_id = f.event_id and e.fill_id = f.id
    where f.tenant_id = ${tenantId} and f.event_id = ${event.id} and e.entry_id = ${entryId} and e.charge_id is not null
    order by f.created_at desc, f.id desc limit 1`.execute(db)
  return rows[0] ?? null
}
