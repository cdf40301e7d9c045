import { sql } from 'kysely'
import { AppError, invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { toStayPriceColumns } from '../change-stay.ts'
import type { HousingContext } from '../context.ts'
import { getRoomType } from '../find-hotel.ts'
import { canReceiveCards } from '../pci/card-access.ts'
import { listNightsOfReservations } from '../reservations.ts'
import type { ReservationRow, RoomTypeRow } from '../tables.ts'
import type { BookedNight } from '../take-nights.ts'
import { findRoomLocation, type RoomLocationInput, type RoomLocation, refuseClosedBlock } from './room-location.ts'

export const MAX_MOVED_RESERVATIONS = 1000

/** Reasons why a move leaves a reservation where it is. */
export const NOT_MOVED_REASONS = [
  'no_rooms',
  'no_room_type',
  'too_small',
  'not_accessible',
  'not_confirmed',
  'same_place',
  'not_found',
  'place_refused',
] as const
export type NotMovedReason = (typeof NOT_MOVED_REASONS)[number]

export interface ReservationMoveRequest {
  from?: RoomLocationInput | undefined
  reservationIds?: readonly string[] | undefined
  /** Ids of reservations that are moved only if they are still at the source `from`. Set by background jobs that continue a move. */
  among?: readonly string[] | undefined
  to: RoomLocationInput
  /** The new code of a room type, by its old code. Room types that are not listed keep their code. */
  typeMap?: Readonly<Record<string, string>> | undefined
  count?: number | undefined
  order: 'newest' | 'oldest'
  rate: 'new' | 'keep'
  reason: string
}

export interface MovedStay {
  before: ReservationRow
  after: ReservationRow
  cardWithheld: boolean
}

export interface UnmovedStay {
  reservationId: string
  ackNumber: string | null
  reason: NotMovedReason
  detail: string
}

export type ReservationNightRow = Awaited<ReturnType<typeof listNightsOfReservations>>[number]

/** Error about a single reservation, which does not stop the move of the others. */
export class ReservationNotMovedError extends AppError {
  readonly reason: NotMovedReason
  constructor(reason: NotMovedReason, detail: string) {
    super('precondition_failed', detail)
    this.reason = reason
  }
}

/** Whether the room is guaranteed by a saved card, whose data would be sent to the hotel. */
export const isGuaranteedByCard = ({ guarantee_kind, guarantee_status }: ReservationRow) =>
  guarantee_kind === 'card' && guarantee_status === 'secured'

function refuseTarget(to: RoomLocation, from: RoomLocation | null, { typeMap = {} }: ReservationMoveRequest): void {
  const { hotel, contract } = to.at
  if (contract?.status !== 'definite') throw preconditionFailed(`${hotel.name} cannot take reservations: its room contract is not signed`)
  refuseClosedBlock(to)
  for (const code of Object.values(typeMap)) getRoomType(to.at, code)
  if (!from) return
  for (const code of Object.keys(typeMap)) getRoomType(from.at, code)
  const sameType = to.type === null ? Object.keys(typeMap).length === 0 : to.type.code === from.type?.code
  if (from.at.hotel.id === hotel.id && sameType && (from.block?.id ?? null) === (to.block?.id ?? null))
    throw invalidArguments([{ path: 'to', message: 'is the same place as from' }])
}

/** Lists the reservations to move, in the requested order, without locking them. */
async function listCandidates(ctx: HousingContext, asked: ReservationMoveRequest, from: RoomLocation | null): Promise<ReservationRow[]> {
  const { reservationIds, among, order } = asked
  let query = eventDb(ctx).selectFrom('reservations').selectAll()
  if (from) {
    query = query.where('hotel_id', '=', from.at.hotel.id).where('status', '=', 'confirmed').where('is_test_data', '=', ctx.event.testMode)
    if (from.type) query = query.where('room_type_code', '=', from.type.code)
    if (from.block)
      query = query.where(sql<boolean>`exists (
      select from reservation_nights n where n.tenant_id = reservations.tenant_id and n.event_id = reservations.event_id
        and n.reservation_id = reservations.id and n.block_id = ${from.block.id})`)
    if (among) query = query.where('id', '=', sql<string>`any(${among})`)
  } else query = query.where('id', '=', sql<string>`any(${reservationIds ?? []})`)
  const direction = order === 'newest' ? 'desc' : 'asc'
  const rows = await query
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(MAX_MOVED_RESERVATIONS + 1)
    .execute()
  if (rows.length === 0 && reservationIds) throw notFound(`No reservation ${reservationIds.join(', ')} at this event`)
  if (rows.length > MAX_MOVED_RESERVATIONS && asked.count === undefined)
    throw new AppError(
      'limit_exceeded',
      `More than ${MAX_MOVED_RESERVATIONS} reservations are there. Move them in parts: give count, at most ${MAX_MOVED_RESERVATIONS}`,
    )
  return rows.slice(0, MAX_MOVED_RESERVATIONS)
}

/**
 * Finds the room type at the destination: by `typeMap`, else the one that `to` names, else the one with the same code; null if there is
 * none.
 */
export function findDestinationRoomType(
  { at, type }: RoomLocation,
  { room_type_code }: ReservationRow,
  { typeMap = {} }: ReservationMoveRequest,
): RoomTypeRow | null {
  const code = typeMap[room_type_code] ?? type?.code ?? room_type_code
  return at.types.find((one) => one.code === code.toLowerCase() && !one.retired) ?? null
}

/** Lists the room types of the hotels that the reservations are at, by hotel and code. */
async function listHotelTypes(ctx: HousingContext, rows: readonly ReservationRow[]): Promise<Map<string, RoomTypeRow>> {
  const hotelIds = [...new Set(rows.map(({ hotel_id }) => hotel_id))]
  const types = await eventDb(ctx)
    .selectFrom('room_types')
    .selectAll()
    .where('hotel_id', '=', sql<string>`any(${hotelIds})`)
    .execute()
  return new Map(types.map((type) => [`${type.hotel_id} ${type.code}`, type]))
}

/** Finds the room type for a reservation at its new hotel. Throws unless all guests fit, and it is accessible if the old one is. */
function chooseFittingType(
  row: ReservationRow,
  to: RoomLocation,
  asked: ReservationMoveRequest,
  old: RoomTypeRow | undefined,
): RoomTypeRow {
  if (row.status !== 'confirmed') throw new ReservationNotMovedError('not_confirmed', `The reservation is ${row.status}`)
  const type = findDestinationRoomType(to, row, asked)
  const { name } = to.at.hotel
  if (!type) throw new ReservationNotMovedError('no_room_type', `${name} has no room type ${row.room_type_code}. Name one in typeMap or to`)
  if (row.occupants > type.max_occupancy)
    throw new ReservationNotMovedError(
      'too_small',
      `${type.name} at ${name} takes at most ${type.max_occupancy} people, and ${row.occupants} stay in the room`,
    )
  if (old?.accessible && !type.accessible) throw new ReservationNotMovedError('not_accessible', `${type.name} at ${name} is not accessible`)
  return type
}

/** Returns the rates of the moved nights. With `rate: 'keep'`, no night costs more than before the move. */
export function computeRatesOfMovedNights(
  { rate }: ReservationMoveRequest,
  old: readonly ReservationNightRow[],
  rated: readonly BookedNight[],
): BookedNight[] {
  const before = new Map(old.map((one) => [one.night, one.rate]))
  return rated.map((one) => (rate === 'new' ? one : { ...one, rate: Math.min(one.rate, before.get(one.night) ?? one.rate) }))
}

export const toUnmovedStay = ({ id, ack_number }: ReservationRow, refused: AppError): UnmovedStay => ({
  reservationId: id,
  ackNumber: ack_number,
  reason: refused instanceof ReservationNotMovedError ? refused.reason : 'no_rooms',
  detail: refused.message,
})

/** Lists requested reservations that cannot be moved, because they are not at this event or have changed since the caller listed them. */
export function listMissingReservations(
  { reservationIds = [], among = [] }: ReservationMoveRequest,
  rows: readonly ReservationRow[],
): UnmovedStay[] {
  const known = new Set(rows.map(({ id }) => id))
  const missing = (ids: readonly string[], reason: NotMovedReason, detail: string) =>
    [...new Set(ids)].filter((id) => !known.has(id)).map((id) => ({ reservationId: id, ackNumber: null, reason, detail }))
  return [
    ...missing(reservationIds, 'not_found', 'No such reservation at this event'),
    ...missing(among, 'not_confirmed', 'The reservation was cancelled or changed meanwhile'),
  ]
}

export interface ReservationsToMove {
  to: RoomLocation
  /** The reservations to move, in the order in which they are moved. */
  candidates: ReservationRow[]
}

/** Finds the source, the destination and the reservations to move, without locks. Throws if the destination cannot take reservations. */
export async function selectReservationsToMove(ctx: HousingContext, asked: ReservationMoveRequest): Promise<ReservationsToMove> {
  const to = await findRoomLocation(ctx, asked.to)
  const from = asked.from ? await findRoomLocation(ctx, asked.from) : null
  refuseTarget(to, from, asked)
  return { to, candidates: await listCandidates(ctx, asked, from) }
}

/** The data that decides how each reservation is moved, except for the numbers of free rooms. */
export interface ReservationMoveRules {
  to: RoomLocation
  asked: ReservationMoveRequest
  oldTypes: ReadonlyMap<string, RoomTypeRow>
  nightsBy: ReadonlyMap<string, readonly ReservationNightRow[]>
  gateOpen: boolean
}

export async function readReservationMoveRules(
  ctx: HousingContext,
  { to, rows, asked }: { to: RoomLocation; rows: readonly ReservationRow[]; asked: ReservationMoveRequest },
) {
  const nights = await listNightsOfReservations(
    ctx,
    rows.map(({ id }) => id),
  )
  return {
    to,
    asked,
    oldTypes: await listHotelTypes(ctx, rows),
    nightsBy: Map.groupBy(nights, ({ reservation_id }) => reservation_id),
    gateOpen: await canReceiveCards(ctx, to.at.hotel.id),
  } satisfies ReservationMoveRules
}

/** Plans the move of one reservation: its new room type, the nights whose rooms it leaves, and the nights whose rooms it keeps. */
export function planStayMove(row: ReservationRow, { to, asked, oldTypes, nightsBy }: ReservationMoveRules) {
  const type = chooseFittingType(row, to, asked, oldTypes.get(`${row.hotel_id} ${row.room_type_code}`))
  const nights = nightsBy.get(row.id) ?? []
  const staysInRoomType = row.hotel_id === to.at.hotel.id && row.room_type_code === type.code
  const blockId = to.block?.id ?? null
  const leaving = nights.filter((one) => !(staysInRoomType && one.block_id === blockId))
  if (leaving.length === 0) throw new ReservationNotMovedError('same_place', 'The reservation is there already')
  return { type, leaving, kept: nights.filter((one) => !leaving.includes(one)) }
}

/** Returns the columns of a reservation that a move changes. */
export const toMovedReservationColumns = (
  row: ReservationRow,
  { to, type, nights }: { to: RoomLocation; type: RoomTypeRow; nights: readonly { rate: number }[] },
) => ({
  hotel_id: to.at.hotel.id,
  room_type_code: type.code,
  bed_type: row.bed_type !== null && type.beds.includes(row.bed_type) ? row.bed_type : null,
  hotel_confirmation_number: null,
  moves: row.moves + 1,
  ...toStayPriceColumns(to.at, nights),
})
