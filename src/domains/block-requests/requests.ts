import { sql, type Updateable } from 'kysely'
import { invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import type { Tables } from '../../kernel/columns.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { addDays, toDayInZone } from '../../kernel/time.ts'
import { type ExhibitorQueryContext, type ExhibitorContext, readLiveOrTestConfiguration } from '../exhibitors/context.ts'
import type { GrantedRooms, RoomsPerNight } from './plan-allocation.ts'
import { BLOCK_REQUEST_STATES } from './states.ts'
import type { BlockRequestRow } from './tables.ts'

export const getRequestLabel = ({ number, id }: Pick<BlockRequestRow, 'number' | 'id'>) => number ?? id

const requests = (ctx: ExhibitorQueryContext) => eventDb(ctx).selectFrom('block_requests').selectAll()

/** Finds a request by id or number. */
export async function getBlockRequestRow(ctx: ExhibitorQueryContext, by: { requestId?: string | undefined; number?: string | undefined }) {
  if ((by.requestId === undefined) === (by.number === undefined))
    throw invalidArguments([{ path: 'requestId', message: 'give either requestId or number' }])
  const query = requests(ctx)
  const row = await (
    by.requestId === undefined ? query.where('number', '=', by.number!.toUpperCase()) : query.where('id', '=', by.requestId)
  ).executeTakeFirst()
  if (!row) throw unknownRequest(by.requestId ?? by.number!)
  return row
}

const unknownRequest = (name: string) => notFound(`No block request ${name} at this event. Use list_block_requests to find it`)

/** Locks a request. Every change of a request, its rooms or its amendments is made under this lock. */
export async function lockBlockRequest(ctx: ExhibitorQueryContext, requestId: string): Promise<BlockRequestRow> {
  const row = await requests(ctx).where('id', '=', requestId).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw unknownRequest(requestId)
  return row
}

/** Rejects changes of rooms for draft, declined and closed requests. */
export function requireOpenBlockRequest(row: BlockRequestRow): void {
  const { status } = row
  if (status === 'draft' || status === 'declined' || status === 'closed')
    throw preconditionFailed(
      `Block request ${getRequestLabel(row)} is ${status}${status === 'closed' ? '. Use reactivate_block_request to open it again' : ''}`,
    )
  // Test requests cannot get rooms, because test data must not use up the supply.
  if (row.is_test_data) throw preconditionFailed(`Block request ${getRequestLabel(row)} is test data and cannot get rooms`)
}

/** The rooms of one hotel and room type that the block of a request has on one night. */
export interface BlockRoomNight extends GrantedRooms {
  booked: number
  held: number
}

export async function listBlockNights(
  ctx: ExhibitorQueryContext,
  { block_id }: Pick<BlockRequestRow, 'block_id'>,
): Promise<BlockRoomNight[]> {
  if (block_id === null) return []
  const rows = await eventDb(ctx)
    .selectFrom('block_nights')
    .select(['hotel_id as hotelId', 'room_type_code as roomTypeCode', 'night', 'rooms', 'booked', 'held'])
    .where('block_id', '=', block_id)
    .where(sql<boolean>`rooms > 0`)
    .orderBy('hotel_id')
    .orderBy('room_type_code')
    .orderBy('night')
    .execute()
  return rows
}

/** Sums rooms by night, in the order of nights. */
export function sumRoomsByNight(rows: readonly RoomsPerNight[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { night, rooms } of rows) sums.set(night, (sums.get(night) ?? 0) + rooms)
  return new Map([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export const sumRooms = (rows: readonly { rooms: number }[]): number => rows.reduce((sum, { rooms }) => sum + rooms, 0)
export const getPeakRooms = (rows: readonly RoomsPerNight[]): number => Math.max(0, ...sumRoomsByNight(rows).values())

/** Lists the nights on which fewer rooms are granted than requested. */
export function listShortfallNights(profile: readonly RoomsPerNight[], granted: readonly RoomsPerNight[]): RoomsPerNight[] {
  const has = sumRoomsByNight(granted)
  return [...sumRoomsByNight(profile)]
    .map(([night, rooms]) => ({ night, rooms: rooms - (has.get(night) ?? 0) }))
    .filter(({ rooms }) => rooms > 0)
}

/** Reads the settings of block requests, with the current day. */
export async function readBlockRequestSettings(ctx: ExhibitorContext) {
  const { config, facts } = await readLiveOrTestConfiguration(ctx, false)
  return {
    config,
    rules: config.housing.requests,
    today: toDayInZone(facts.timezone, facts.now),
    acceptDays: config.housing.requests?.acceptDays ?? 10,
  }
}

/** Returns the last day on which a requester who is emailed today can accept the allocated rooms. */
export async function computeAcceptanceDeadline(ctx: ExhibitorContext): Promise<string> {
  const { today, acceptDays } = await readBlockRequestSettings(ctx)
  return addDays(today, acceptDays)
}

/** Derives the status from the granted rooms. An accepted request stays accepted while no night has fewer rooms than were accepted. */
function deriveStatus({ status, profile, accepted }: BlockRequestRow, granted: readonly RoomsPerNight[]): BlockRequestRow['status'] {
  if (status === 'accepted' && listShortfallNights(accepted ?? [], granted).length === 0) return 'accepted'
  if (sumRooms(granted) === 0) return 'submitted'
  return listShortfallNights(profile, granted).length === 0 ? 'allocated' : 'partiallyAllocated'
}

interface Settled {
  row: BlockRequestRow
  nights: BlockRoomNight[]
  /** Whether the request lost rooms that its requester had accepted. */
  undercut: boolean
}

type BlockRequestColumns = Omit<Updateable<Tables['block_requests']>, 'status'>

/** Updates the status of a request after the rooms of its block changed. */
export async function recalculateRequestStatus(
  ctx: ExhibitorContext,
  row: BlockRequestRow,
  columns: BlockRequestColumns = {},
): Promise<Settled> {
  const nights = await listBlockNights(ctx, row)
  const status = deriveStatus(row, nights)
  const undercut = row.status === 'accepted' && status !== 'accepted'
  const all = { ...columns, ...(undercut ? { accepted: null, accept_by: null } : {}) }
  if (status !== row.status)
    return { row: await changeRecordState(ctx, BLOCK_REQUEST_STATES, row, status, { columns: all }), nights, undercut }
  return { row: Object.keys(all).length === 0 ? row : await updateRequest(ctx, row, all), nights, undercut }
}

export const updateRequest = (
  ctx: ExhibitorQueryContext,
  { id }: Pick<BlockRequestRow, 'id'>,
  columns: BlockRequestColumns,
): Promise<BlockRequestRow> =>
  eventDb(ctx).updateTable('block_requests').set(columns).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
