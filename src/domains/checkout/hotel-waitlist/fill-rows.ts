import { type Selectable, sql, type Updateable } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import { newId } from '../../../kernel/ids.ts'
import { splitForInsert } from '../../../kernel/insert-batches.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { EventQueryScope } from '../../housing/context.ts'

export type FillRow = Selectable<Tables['hotel_waitlist_fills']>
export type FillEntryRow = Selectable<Tables['hotel_waitlist_fill_entries']>
export type FillOutcome = Pick<FillEntryRow, 'outcome'> &
  Partial<Pick<FillEntryRow, 'reason' | 'amount' | 'reservation_id' | 'charge_id' | 'attempt' | 'max_charge'>>

/** Stores a fill (a call that gives rooms to the waiting list) with its entries in the order in which they get rooms. */
export async function insertFill(
  ctx: EventQueryScope,
  fill: Pick<FillRow, 'hotel_id' | 'room_type_code' | 'most' | 'on_decline' | 'use_returned'>,
  entryIds: readonly string[],
): Promise<FillRow> {
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id }
  const row = await ctx.db
    .insertInto('hotel_waitlist_fills')
    .values({ ...at, ...fill, id: newId() })
    .returningAll()
    .executeTakeFirstOrThrow()
  const entries = entryIds.map((entry_id, ordinal) => ({ ...at, fill_id: row.id, entry_id, ordinal }))
  for (const part of splitForInsert(entries)) await ctx.db.insertInto('hotel_waitlist_fill_entries').values(part).execute()
  return row
}

/** Locks a fill, so that only one transaction at a time gives rooms to its entries. */
export const lockFill = (ctx: EventQueryScope, id: string): Promise<FillRow> =>
  eventDb(ctx).selectFrom('hotel_waitlist_fills').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow()

export const saveFillJob = (ctx: EventQueryScope, { id }: FillRow, jobId: string) =>
  eventDb(ctx).updateTable('hotel_waitlist_fills').set({ job_id: jobId }).where('id', '=', id).execute()

export const findFillByJob = (ctx: EventQueryScope, jobId: string): Promise<FillRow | undefined> =>
  eventDb(ctx).selectFrom('hotel_waitlist_fills').selectAll().where('job_id', '=', jobId).executeTakeFirst()

export const listFillEntries = (ctx: EventQueryScope, fillId: string): Promise<FillEntryRow[]> =>
  eventDb(ctx).selectFrom('hotel_waitlist_fill_entries').selectAll().where('fill_id', '=', fillId).orderBy('ordinal').execute()

interface OpenEntries {
  /** A skip reason: entries that were skipped for this reason are listed, too. */
  orSkippedFor?: string | undefined
  limit?: number | undefined
}

/** Lists the entries of a fill that are not processed yet, in order. */
export async function listOpenFillEntries(
  ctx: EventQueryScope,
  fillId: string,
  { orSkippedFor, limit }: OpenEntries,
): Promise<FillEntryRow[]> {
  let query = eventDb(ctx).selectFrom('hotel_waitlist_fill_entries').selectAll().where('fill_id', '=', fillId)
  query = query.where((eb) =>
    orSkippedFor === undefined ? eb('outcome', 'is', null) : eb.or([eb('outcome', 'is', null), eb('reason', '=', orSkippedFor)]),
  )
  query = query.orderBy('ordinal')
  return (limit === undefined ? query : query.limit(limit)).execute()
}

export interface FillProgress {
  total: number
  processed: number
  /** Entries that got a room, an offer, or a room that is held while their card is charged. */
  served: number
  /** Entries whose card was not tried yet. */
  untried: number
}

/** Counts the entries of a fill in the database, because a job needs the counts after every step. */
export async function countFillEntries({ db, tenantId, event }: EventQueryScope, fillId: string): Promise<FillProgress> {
  const { rows } = await sql<FillProgress>`
    select count(*)::int as total, count(f.outcome)::int as processed, count(*) filter (where f.outcome <> 'skipped')::int as served,
      count(*) filter (where f.outcome = 'charge_pending' and c.status = 'pending' and c.attempts = 0)::int as untried
    from hotel_waitlist_fill_entries f
    left join charges c on c.tenant_id = f.tenant_id and c.event_id = f.event_id and c.id = f.charge_id
    where f.tenant_id = ${tenantId} and f.event_id = ${event.id} and f.fill_id = ${fillId}`.execute(db)
  return rows[0]!
}

export const updateFillEntry = (
  ctx: EventQueryScope,
  { fillId, entryId }: { fillId: string; entryId: string },
  columns: Updateable<Tables['hotel_waitlist_fill_entries']>,
) =>
  eventDb(ctx)
    .updateTable('hotel_waitlist_fill_entries')
    .set(columns)
    .where('fill_id', '=', fillId)
    .where('entry_id', '=', entryId)
    .execute()

/** Finds the latest fill that charged a card for the entry. */
export async function findFillByChargedEntry({ db, tenantId, event }: EventQueryScope, entryId: string): Promise<FillRow | null> {
  const { rows } = await sql<FillRow>`
    select f.* from hotel_waitlist_fills f
    join hotel_waitlist_fill_entries e on e.tenant_id = f.tenant_id and e.event_id = f.event_id and e.fill_id = f.id
    where f.tenant_id = ${tenantId} and f.event_id = ${event.id} and e.entry_id = ${entryId} and e.charge_id is not null
    order by f.created_at desc, f.id desc limit 1`.execute(db)
  return rows[0] ?? null
}
