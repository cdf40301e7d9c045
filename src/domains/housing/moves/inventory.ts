import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { changeAllocation } from '../allocation.ts'
import { addAddendum } from '../contracts/addenda.ts'
import type { HousingContext } from '../context.ts'
import { getFile } from '../../files/files.ts'
import { createTooFewRoomsError } from '../errors.ts'
import { parseSelectedNights } from '../nights-argument.ts'
import { isPastCutoff } from '../pools.ts'
import type { RoomTypeRow } from '../tables.ts'
import { lockRoomInventory } from './lock-rooms.ts'
import { findRoomLocation, type RoomLocationInput, type RoomLocation, refuseClosedBlock } from './room-location.ts'

interface InventoryMove {
  fromHotel: RoomLocationInput & { roomTypeCode: string }
  toHotel: RoomLocationInput & { roomTypeCode: string }
  nights: readonly string[]
  /** Number of rooms to move on each night. */
  rooms: number
  reason: string
  fileId?: string | undefined
}

type RoomPlace = RoomLocation & { type: RoomTypeRow }

interface PlannedMove {
  from: RoomPlace
  to: RoomPlace
  nights: readonly string[]
  rooms: number
}

/**
 * Moves unbooked rooms of some nights between the general inventory (rooms outside blocks), blocks, room types and hotels: on all nights or
 * none. Between room types or hotels the contracted rooms move too, with an addendum to each contract, so that their sum stays the same.
 */
export async function moveRoomInventory(ctx: HousingContext, { fromHotel, toHotel, nights: given, rooms, reason, fileId }: InventoryMove) {
  const [from, to] = [(await findRoomLocation(ctx, fromHotel)) as RoomPlace, (await findRoomLocation(ctx, toHotel)) as RoomPlace]
  const move: PlannedMove = { from, to, nights: parseSelectedNights({ nights: given }), rooms }
  await refuseMove(ctx, move)
  if (fileId !== undefined) await getFile(ctx, { fileId, eventId: ctx.event.id })
  const changesContract = !isSameRoomType(move)
  if (!from.block) await expireHolds(ctx, move)
  await lockRoomInventory(
    ctx,
    [from, to].flatMap((place) => toKeys(place, move.nights)),
    { changesContract },
  )
  const before = await readFigures(ctx, move)
  if (from.block) await changeAllocation(ctx, from.block.id, toChanges(move, from, -rooms))
  const addenda = changesContract ? await moveContractedRooms(ctx, move, { reason, fileId }) : []
  if (to.block) await changeAllocation(ctx, to.block.id, toChanges(move, to, rooms))
  const after = await readFigures(ctx, move)
  const of = (figures: Figures, place: RoomPlace, night: string) => figures.free.get(keyOf(place, night)) ?? 0
  return {
    nights: move.nights.map((night) => ({
      night,
      fromBefore: of(before, from, night),
      fromAfter: of(after, from, night),
      toBefore: of(before, to, night),
      toAfter: of(after, to, night),
    })),
    addenda,
    totalContracted: { before: before.contracted, after: after.contracted },
  }
}

const isSameRoomType = ({ from, to }: PlannedMove) => from.at.hotel.id === to.at.hotel.id && from.type.code === to.type.code

const keyOf = ({ at, type, block }: RoomPlace, night: string) => `${at.hotel.id} ${type.code} ${block?.id ?? ''} ${night}`

const toKeys = ({ at, type }: RoomPlace, nights: readonly string[]) =>
  nights.map((night) => ({ hotelId: at.hotel.id, roomTypeCode: type.code, night }))

const toChanges = ({ nights }: PlannedMove, place: RoomPlace, delta: number) => toKeys(place, nights).map((key) => ({ ...key, delta }))

async function refuseMove(ctx: HousingContext, move: PlannedMove): Promise<void> {
  const { from, to } = move
  if (isSameRoomType(move) && (from.block?.id ?? null) === (to.block?.id ?? null))
    throw invalidArguments([{ path: 'toHotel', message: 'is the same place as fromHotel' }])
  refuseClosedBlock(to)
  for (const { at } of [from, to]) {
    if (!at.contract || at.contract.status === 'cancelled')
      throw preconditionFailed(`${at.hotel.name} has no room contract in force. Add one with amend_contract`)
  }
  if (from.at.contract!.status === 'definite' && to.at.contract!.status === 'tentative')
    throw preconditionFailed(`${to.at.hotel.name} has only a tentative contract: rooms of ${from.at.hotel.name} are definite`)
  const today = toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx))
  const { cutoff_on, cutoff_action } = from.at.contract!
  if (cutoff_action === 'return' && isPastCutoff({ cutoff_on }, today))
    throw preconditionFailed(
      `The cut-off of ${from.at.hotel.name} was on ${cutoff_on}: its unbooked rooms went back to the hotel. Agree on a later cut-off with amend_contract first`,
    )
}

/** Expires overdue holds before free rooms are counted, because the rooms of overdue holds are free. */
async function expireHolds({ db, tenantId, event }: HousingContext, { from, nights }: PlannedMove): Promise<void> {
  await sql`
    select room_nights_expire(${tenantId}, ${event.id}, ${from.at.hotel.id}, ${from.type.code}, ${nights}::date[])`.execute(db)
}

interface Figures {
  /** Number of rooms that are neither booked nor held, by source of rooms (hotel, room type and block) and night. */
  free: Map<string, number>
  contracted: number
}

/** Reads the free rooms at the source and the destination, and the contracted rooms of all hotels of the event. */
async function readFigures(ctx: HousingContext, { from, to, nights }: PlannedMove): Promise<Figures> {
  const { db, tenantId, event } = ctx
  const free = new Map<string, number>()
  for (const place of [from, to]) {
    const at = sql`
      x.tenant_id = ${tenantId} and x.event_id = ${event.id} and x.hotel_id = ${place.at.hotel.id} and x.room_type_code = ${place.type.code}
        and x.night = any(${nights}::date[])`
    const { rows } = await (
      place.block
        ? sql<{ night: string; free: number }>`
          select x.night, x.rooms - x.booked - x.held as free from block_nights x where ${at} and x.block_id = ${place.block.id}`
        : sql<{ night: string; free: number }>`
          select x.night, x.contracted - x.returned - x.allocated - x.booked - x.held as free from room_nights x where ${at}`
    ).execute(db)
    for (const row of rows) free.set(keyOf(place, row.night), row.free)
  }
  const { contracted } = await eventDb(ctx)
    .selectFrom('room_nights')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('contracted'), eb.lit(0)).as('contracted'))
    .executeTakeFirstOrThrow()
  return { free, contracted: Number(contracted) }
}

/** Moves contracted rooms that are in no block to another hotel, or to another room type of the same hotel. */
async function moveContractedRooms(ctx: HousingContext, move: PlannedMove, { reason, fileId }: Pick<InventoryMove, 'reason' | 'fileId'>) {
  const taken = await reduceContracted(ctx, move)
  const added = await raiseContracted(ctx, move, new Map(taken.map(({ night, base }) => [night, base])))
  const lines = [
    { hotelId: move.from.at.hotel.id, roomNights: -move.rooms * move.nights.length, nights: taken, roomTypeCode: move.from.type.code },
    { hotelId: move.to.at.hotel.id, roomNights: move.rooms * move.nights.length, nights: added, roomTypeCode: move.to.type.code },
  ]
  const addenda = []
  for (const [hotelId, of] of Map.groupBy(lines, (line) => line.hotelId)) {
    const nights = of.flatMap(({ roomTypeCode, nights: some }) =>
      some.map(({ night, before, after }) => ({ roomTypeCode, night, before, after })),
    )
    const roomNights = of.reduce((sum, line) => sum + line.roomNights, 0)
    const { number } = await addAddendum(ctx, hotelId, { roomNights, changes: { nights }, reason, fileId })
    recordChange(ctx, { kind: 'housingContract', id: hotelId, after: { addendum: number, reason, nights } })
    addenda.push({ hotelId, number, roomNights })
  }
  return addenda
}

interface ContractedChange {
  night: string
  before: number
  after: number
  /** How many of the moved rooms were part of the rooms to which the contract's attrition percentage applies. */
  base: number
}

async function reduceContracted(ctx: HousingContext, { from, nights, rooms }: PlannedMove): Promise<ContractedChange[]> {
  const { db, tenantId, event } = ctx
  const { rows } = await sql<ContractedChange>`
    update room_nights r set contracted = r.contracted - ${rooms}, base = r.base - least(r.base, ${rooms})
    from room_nights o
    where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.hotel_id = ${from.at.hotel.id} and r.room_type_code = ${from.type.code}
      and r.night = any(${nights}::date[]) and r.returned + r.allocated + r.booked + r.held + ${rooms} <= r.contracted
      and o.tenant_id = r.tenant_id and o.event_id = r.event_id and o.hotel_id = r.hotel_id and o.room_type_code = r.room_type_code
      and o.night = r.night
    returning r.night, o.contracted as before, r.contracted as after, o.base - r.base as base`.execute(db)
  if (rows.length === nights.length) return rows.toSorted((a, b) => a.night.localeCompare(b.night))
  const { free } = await readFigures(ctx, { from: { ...from, block: null }, to: { ...from, block: null }, nights, rooms })
  const reduced = new Set(rows.map(({ night }) => night))
  const short = nights
    .filter((night) => !reduced.has(night))
    .map((night) => ({ night, free: Math.max(0, free.get(keyOf({ ...from, block: null }, night)) ?? 0) }))
  throw createTooFewRoomsError({ hotel: from.at.hotel.name, roomType: from.type.code, wanted: rooms, short, path: 'rooms' })
}

/**
 * Adds contracted rooms to nights. A night that the room type did not have takes the rates of its nearest night, the earlier one of two.
 */
async function raiseContracted(
  ctx: HousingContext,
  { from, to, nights, rooms }: PlannedMove,
  base: ReadonlyMap<string, number>,
): Promise<ContractedChange[]> {
  const { db, tenantId, event } = ctx
  const moved = JSON.stringify(nights.map((night) => ({ night, base: base.get(night) ?? 0 })))
  const { rows } = await sql<ContractedChange>`
    insert into room_nights as r (tenant_id, event_id, hotel_id, room_type_code, night, original, base, contracted, rate_single, rate_double,
      rate_triple, rate_quad)
    select ${tenantId}::int, ${event.id}, ${to.at.hotel.id}, ${to.type.code}, m.night, 0, m.base, ${rooms}::int, n.rate_single, n.rate_double,
      n.rate_triple, n.rate_quad
    from jsonb_to_recordset(${moved}::jsonb) as m(night date, base integer)
    cross join lateral (
      select o.* from room_nights o where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and o.hotel_id = ${to.at.hotel.id}
        and o.room_type_code = ${to.type.code} order by abs(o.night - m.night), o.night limit 1) n
    order by m.night
    on conflict (tenant_id, event_id, hotel_id, room_type_code, night)
      do update set contracted = r.contracted + excluded.contracted, base = r.base + excluded.base
    returning r.night, r.contracted - ${rooms}::int as before, r.contracted as after, 0 as base`.execute(db)
  if (rows.length !== nights.length)
    throw preconditionFailed(
      `${to.at.hotel.name} has no nights of ${to.type.code} whose rate the rooms of ${from.at.hotel.name} could take. Add one with amend_contract`,
    )
  return rows
}
