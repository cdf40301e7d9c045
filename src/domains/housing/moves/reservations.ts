import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { AppError, invalidArguments, notFound, preconditionFailed, SerializationConflict } from '../../../kernel/errors.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { toPriceColumns } from '../change-stay.ts'
import type { EventScope } from '../context.ts'
import { tooFewRooms } from '../errors.ts'
import { type EventHotel, getRoomType } from '../find-hotel.ts'
import { isGateOpen } from '../pci/gate.ts'
import { listNightsOf, updateReservation } from '../reservations.ts'
import { nightsOf } from '../stay.ts'
import type { ReservationRow, RoomTypeRow } from '../tables.ts'
import { addRates, releaseNights, storeNights, takeFromPools, type TakenNight } from '../take-nights.ts'
import { lockRooms } from './lock-rooms.ts'
import { findPlace, type GivenPlace, type Place, refuseClosedBlock } from './place.ts'

export const MAX_MOVED = 1000

/** Why a reservation stayed where it was. */
export const NOT_MOVED_REASONS = [
  'no_rooms',
  'no_room_type',
  'too_small',
  'not_accessible',
  'not_confirmed',
  'same_place',
  'not_found',
] as const
export type NotMovedReason = (typeof NOT_MOVED_REASONS)[number]

export interface StayMoves {
  from?: GivenPlace | undefined
  reservationIds?: readonly string[] | undefined
  to: GivenPlace
  /** The room type at the new hotel for each old one. Other types keep their code. */
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

type NightRow = Awaited<ReturnType<typeof listNightsOf>>[number]

class StaysPut extends AppError {
  readonly reason: NotMovedReason
  constructor(reason: NotMovedReason, detail: string) {
    super('precondition_failed', detail)
    this.reason = reason
  }
}

/**
 * Moves confirmed reservations to another hotel, room type or block, in order. Each is moved with all of its nights or stays as it is; the
 * others go on. The dates stay the same.
 */
export async function moveReservations(ctx: EventScope, asked: StayMoves): Promise<{ moved: MovedStay[]; notMoved: UnmovedStay[] }> {
  const to = await findPlace(ctx, asked.to)
  const from = asked.from ? await findPlace(ctx, asked.from) : null
  refuseTarget(to, from, asked)
  const candidates = await listCandidates(ctx, asked, from)
  const rows = await lockStays(ctx, candidates, to, asked)
  const nightsBy = Map.groupBy(
    await listNightsOf(
      ctx,
      rows.map(({ id }) => id),
    ),
    ({ reservation_id }) => reservation_id,
  )
  const hotels = await listHotelTypes(ctx, rows)
  const gateOpen = await isGateOpen(ctx, to.at.hotel.id)
  const moved: MovedStay[] = []
  const notMoved = listMissing(asked, rows)
  for (const row of rows) {
    if (asked.count !== undefined && moved.length === asked.count) break
    const attempt = await runInSavepoint(ctx, () => moveStay(ctx, { row, nights: nightsBy.get(row.id) ?? [], to, asked, oldTypes: hotels }))
    if (attempt.refused) notMoved.push(toUnmoved(row, attempt.refused))
    else moved.push({ before: row, after: attempt.done, cardWithheld: !gateOpen && hasCard(row) })
  }
  return { moved, notMoved }
}

/** Whether the hotel would get the guest's card as a guarantee. */
const hasCard = ({ guarantee_kind, guarantee_status }: ReservationRow) => guarantee_kind === 'card' && guarantee_status === 'secured'

function refuseTarget(to: Place, from: Place | null, { typeMap = {} }: StayMoves): void {
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

/** Lists the reservations to move without locks, in the order of the call. */
async function listCandidates(ctx: EventScope, asked: StayMoves, from: Place | null): Promise<ReservationRow[]> {
  const { reservationIds, order } = asked
  let query = eventDb(ctx).selectFrom('reservations').selectAll()
  if (from) {
    query = query.where('hotel_id', '=', from.at.hotel.id).where('status', '=', 'confirmed').where('is_test_data', '=', ctx.event.testMode)
    if (from.type) query = query.where('room_type_code', '=', from.type.code)
    if (from.block)
      query = query.where(sql<boolean>`exists (
      select from reservation_nights n where n.tenant_id = reservations.tenant_id and n.event_id = reservations.event_id
        and n.reservation_id = reservations.id and n.block_id = ${from.block.id})`)
  } else query = query.where('id', '=', sql<string>`any(${reservationIds ?? []})`)
  const direction = order === 'newest' ? 'desc' : 'asc'
  const rows = await query
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(MAX_MOVED + 1)
    .execute()
  if (rows.length === 0 && reservationIds) throw notFound(`No reservation ${reservationIds.join(', ')} at this event`)
  if (rows.length > MAX_MOVED && asked.count === undefined)
    throw new AppError(
      'limit_exceeded',
      `More than ${MAX_MOVED} reservations are there. Move them in parts: give count, at most ${MAX_MOVED}`,
    )
  return rows.slice(0, MAX_MOVED)
}

/** Locks everything that the moves can touch, in the order of all changes of rooms, and reads the reservations again. */
async function lockStays(ctx: EventScope, candidates: readonly ReservationRow[], to: Place, asked: StayMoves): Promise<ReservationRow[]> {
  const keys = candidates.flatMap((row) => {
    const type = findNewType(to, row, asked)
    return nightsOf(row.check_in, row.check_out).flatMap((night) => [
      { hotelId: row.hotel_id, roomTypeCode: row.room_type_code, night },
      ...(type ? [{ hotelId: to.at.hotel.id, roomTypeCode: type.code, night }] : []),
    ])
  })
  await lockRooms(ctx, keys)
  const locked = await eventDb(ctx)
    .selectFrom('reservations')
    .selectAll()
    .where('id', '=', sql<string>`any(${candidates.map(({ id }) => id)})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const byId = new Map(locked.map((row) => [row.id, row]))
  return candidates.map(({ id, revision }) => {
    const row = byId.get(id)
    if (row?.revision !== revision) throw new SerializationConflict('a reservation was changed concurrently')
    return row
  })
}

/** The room type at the new place: by `typeMap`, else the one that `to` names, else the one with the same code; null if there is none. */
function findNewType({ at, type }: Place, { room_type_code }: ReservationRow, { typeMap = {} }: StayMoves): RoomTypeRow | null {
  const code = typeMap[room_type_code] ?? type?.code ?? room_type_code
  return at.types.find((one) => one.code === code.toLowerCase() && !one.retired) ?? null
}

/** The room types of the hotels that the reservations are at, by hotel and code. */
async function listHotelTypes(ctx: EventScope, rows: readonly ReservationRow[]): Promise<Map<string, RoomTypeRow>> {
  const hotelIds = [...new Set(rows.map(({ hotel_id }) => hotel_id))]
  const types = await eventDb(ctx)
    .selectFrom('room_types')
    .selectAll()
    .where('hotel_id', '=', sql<string>`any(${hotelIds})`)
    .execute()
  return new Map(types.map((type) => [`${type.hotel_id} ${type.code}`, type]))
}

interface StayMove {
  row: ReservationRow
  nights: readonly NightRow[]
  to: Place
  asked: StayMoves
  oldTypes: ReadonlyMap<string, RoomTypeRow>
}

async function moveStay(ctx: EventScope, { row, nights, to, asked, oldTypes }: StayMove): Promise<ReservationRow> {
  const type = chooseFittingType(row, to, asked, oldTypes.get(`${row.hotel_id} ${row.room_type_code}`))
  const staysInRoomType = row.hotel_id === to.at.hotel.id && row.room_type_code === type.code
  const blockId = to.block?.id ?? null
  const leaving = nights.filter((one) => !(staysInRoomType && one.block_id === blockId))
  if (leaving.length === 0) throw new StaysPut('same_place', 'The reservation is there already')
  const taken = await takeTarget(ctx, { row, to, type, nights: leaving.map(({ night }) => night) })
  const rated = keepLowerRates(asked, leaving, await addRates(ctx, { hotel: to.at.hotel, type, occupants: row.occupants }, taken))
  await releaseNights(
    ctx,
    row.id,
    leaving.map(({ night }) => night),
  )
  const kept = nights.filter((one) => !leaving.includes(one))
  const after = await updateReservation(ctx, row, {
    hotel_id: to.at.hotel.id,
    room_type_code: type.code,
    bed_type: row.bed_type !== null && type.beds.includes(row.bed_type) ? row.bed_type : null,
    hotel_confirmation_number: null,
    moves: row.moves + 1,
    ...toPriceColumns(to.at, [...kept, ...rated]),
  })
  // The same participant had a room on each of these nights, so the limit of rooms per person holds as before.
  await storeNights(ctx, { reservation: after, status: 'confirmed', nights: rated, maxRooms: MAX_ROOMS_PER_NIGHT })
  recordChange(ctx, { kind: 'reservation', id: row.id, before: toAudited(row), after: { ...toAudited(after), reason: asked.reason } })
  return after
}

/** The database limits the rooms of a person on one night to this number. */
const MAX_ROOMS_PER_NIGHT = 20

const toAudited = (row: ReservationRow) => ({
  hotelId: row.hotel_id,
  roomTypeCode: row.room_type_code,
  stayTotal: row.stay_total,
  hotelConfirmationNumber: row.hotel_confirmation_number,
})

/** The new room must take the occupants, and be accessible if the old one is. */
function chooseFittingType(row: ReservationRow, to: Place, asked: StayMoves, old: RoomTypeRow | undefined): RoomTypeRow {
  if (row.status !== 'confirmed') throw new StaysPut('not_confirmed', `The reservation is ${row.status}`)
  const type = findNewType(to, row, asked)
  const { name } = to.at.hotel
  if (!type) throw new StaysPut('no_room_type', `${name} has no room type ${row.room_type_code}. Name one in typeMap or to`)
  if (row.occupants > type.max_occupancy)
    throw new StaysPut(
      'too_small',
      `${type.name} at ${name} takes at most ${type.max_occupancy} people, and ${row.occupants} stay in the room`,
    )
  if (old?.accessible && !type.accessible) throw new StaysPut('not_accessible', `${type.name} at ${name} is not accessible`)
  return type
}

interface TargetRooms {
  row: ReservationRow
  to: { at: EventHotel; block: Place['block'] }
  type: RoomTypeRow
  nights: readonly string[]
}

/** Takes the nights from the block that the call names, or from free sale. Test data takes no rooms, but needs free ones. */
async function takeTarget(ctx: EventScope, { row, to, type, nights }: TargetRooms) {
  const pools = { blockIds: to.block ? [to.block.id] : [], freeSell: to.block === null }
  const room = { hotelId: to.at.hotel.id, roomTypeCode: type.code, nights }
  const result = await takeFromPools(ctx, { ...room, ...pools, holds: false, isTest: row.is_test_data })
  if ('taken' in result) return result.taken
  const short = result.short.map((night) => ({ night, free: 0 }))
  throw tooFewRooms({ hotel: to.at.hotel.name, roomType: type.code, wanted: 1, short, path: 'to' })
}

/** With `keep`, a guest pays the old rate of a night if it is lower than the new one. */
function keepLowerRates({ rate }: StayMoves, old: readonly NightRow[], rated: readonly TakenNight[]): TakenNight[] {
  const before = new Map(old.map((one) => [one.night, one.rate]))
  return rated.map((one) => (rate === 'new' ? one : { ...one, rate: Math.min(one.rate, before.get(one.night) ?? one.rate) }))
}

const toUnmoved = ({ id, ack_number }: ReservationRow, refused: AppError): UnmovedStay => ({
  reservationId: id,
  ackNumber: ack_number,
  reason: refused instanceof StaysPut ? refused.reason : 'no_rooms',
  detail: refused.message,
})

const listMissing = ({ reservationIds = [] }: StayMoves, rows: readonly ReservationRow[]): UnmovedStay[] =>
  [...new Set(reservationIds)]
    .filter((id) => !rows.some((row) => row.id === id))
    .map((id) => ({ reservationId: id, ackNumber: null, reason: 'not_found', detail: 'No such reservation at this event' }))
