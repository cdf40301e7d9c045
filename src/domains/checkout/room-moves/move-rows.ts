import { type Selectable, sql } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import { splitIntoInsertBatches } from '../../../kernel/insert-batches.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingQueryContext } from '../../housing/context.ts'
import type { ReservationMoveRequest, UnmovedStay } from '../../housing/moves/stays.ts'
import type { MovedStayResult, ReservationMoveResults } from './move-stays.ts'

export type HotelMoveRow = Selectable<Tables['hotel_moves']>

/** The stored arguments of a tool call that moves reservations. The reservations themselves are stored as separate rows. */
export interface StoredMoveArguments extends Omit<ReservationMoveRequest, 'reservationIds' | 'among'> {
  /** Whether the caller listed the reservations. If not, the caller named the hotel that they are moved from. */
  named: boolean
  /** Reservations that the caller listed and that do not exist. */
  missing: UnmovedStay[]
}

interface NewMove {
  id: string
  jobId: string
  terms: StoredMoveArguments
  notify: boolean
  reservationIds: readonly string[]
}

/** Stores a tool call that moves many reservations, with the reservations in the order in which they will be moved. */
export async function insertHotelMove(ctx: HousingQueryContext, { id, jobId, terms, notify, reservationIds }: NewMove): Promise<void> {
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id }
  await ctx.db
    .insertInto('hotel_moves')
    .values({ ...at, id, terms: JSON.stringify(terms), notify, job_id: jobId })
    .execute()
  const stays = reservationIds.map((reservation_id, ordinal) => ({ ...at, move_id: id, reservation_id, ordinal }))
  for (const part of splitIntoInsertBatches(stays)) await ctx.db.insertInto('hotel_move_stays').values(part).execute()
}

/** Locks the row of the tool call, so that only one transaction at a time moves its reservations. */
export const lockHotelMove = (ctx: HousingQueryContext, id: string): Promise<HotelMoveRow> =>
  eventDb(ctx).selectFrom('hotel_moves').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow()

export const findHotelMoveByJob = (ctx: HousingQueryContext, jobId: string): Promise<HotelMoveRow | undefined> =>
  eventDb(ctx).selectFrom('hotel_moves').selectAll().where('job_id', '=', jobId).executeTakeFirst()

const selectStays = (ctx: HousingQueryContext, moveId: string) =>
  eventDb(ctx).selectFrom('hotel_move_stays').where('move_id', '=', moveId).orderBy('ordinal')

/** Lists the next reservations that have no result yet. */
export const listNextReservationsToMove = async (ctx: HousingQueryContext, moveId: string, limit: number): Promise<string[]> =>
  (await selectStays(ctx, moveId).select('reservation_id').where('outcome', 'is', null).limit(limit).execute()).map(
    ({ reservation_id }) => reservation_id,
  )

export async function countReservationsOfMove(
  { db, tenantId, event }: HousingQueryContext,
  moveId: string,
): Promise<{ total: number; done: number; moved: number }> {
  const { rows } = await sql<{ total: number; done: number; moved: number }>`
    select count(*)::int as total, count(outcome)::int as done, count(*) filter (where outcome = 'moved')::int as moved
    from hotel_move_stays where tenant_id = ${tenantId} and event_id = ${event.id} and move_id = ${moveId}`.execute(db)
  return rows[0]!
}

export async function saveReservationMoveResults(
  { db, tenantId, event }: HousingQueryContext,
  moveId: string,
  { moved, notMoved }: ReservationMoveResults,
): Promise<void> {
  const results = [
    ...moved.map((result) => ({ id: result.reservationId, outcome: 'moved', result })),
    ...notMoved.map((result) => ({ id: result.reservationId, outcome: 'notMoved', result })),
  ]
  await sql`
    update hotel_move_stays s set outcome = r.outcome, result = r.result
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as r (id text, outcome text, result jsonb)
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.move_id = ${moveId} and s.reservation_id = r.id`.execute(db)
}

/** Reads what the background job has done so far with each reservation. */
export async function readReservationMoveResults(
  ctx: HousingQueryContext,
  { id, terms }: Pick<HotelMoveRow, 'id' | 'terms'>,
): Promise<ReservationMoveResults> {
  const rows = await selectStays(ctx, id).select(['outcome', 'result']).where('outcome', 'is not', null).execute()
  const moved = rows.filter(({ outcome }) => outcome === 'moved').map(({ result }) => result as unknown as MovedStayResult)
  const notMoved = rows.filter(({ outcome }) => outcome === 'notMoved').map(({ result }) => result as unknown as UnmovedStay)
  return {
    moved,
    notMoved: [...(terms as unknown as StoredMoveArguments).missing, ...notMoved],
    cardsWithheld: moved.filter(({ cardWithheld }) => cardWithheld).length,
  }
}
