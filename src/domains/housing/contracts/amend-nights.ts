import { sql } from 'kysely'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { daysBetween } from '../../../kernel/time.ts'
import type { HousingQueryContext, HousingContext } from '../context.ts'
import type { RoomNightRow } from '../tables.ts'
import type { NightChange } from './amend-arguments.ts'
import { toNightRateColumns } from './original.ts'

/** Locks the room nights of a hotel in key order and returns them. The contract is locked first. */
export const lockHotelRoomNights = (ctx: HousingQueryContext, hotelId: string): Promise<RoomNightRow[]> =>
  eventDb(ctx)
    .selectFrom('room_nights')
    .selectAll()
    .where('hotel_id', '=', hotelId)
    .orderBy('room_type_code')
    .orderBy('night')
    .modifyEnd(sql`for no key update`)
    .execute()

/** Counts the rooms that the hotel must provide: booked, held or set aside in a block. Rooms that went back to the hotel do not count. */
export const countRoomsInUse = ({ allocated, booked, held }: Pick<RoomNightRow, 'allocated' | 'booked' | 'held'>) =>
  allocated + booked + held

export interface PlannedRoomNightChange {
  roomTypeCode: string
  night: string
  before: RoomNightRow | null
  after: Pick<RoomNightRow, 'contracted' | 'base' | 'returned' | 'rate_single' | 'rate_double' | 'rate_triple' | 'rate_quad'>
}

/** Plans the changes of room nights. A new night without rates gets the rates of the nearest night of the same room type. */
export function planRoomNightChanges(
  current: readonly RoomNightRow[],
  changes: readonly NightChange[],
  attritionBase: 'follow' | 'keep',
): PlannedRoomNightChange[] {
  const rows = new Map(current.map((row) => [`${row.room_type_code} ${row.night}`, row]))
  return changes.map(({ roomTypeCode, night, contracted, delta, rates }) => {
    const before = rows.get(`${roomTypeCode} ${night}`) ?? null
    if (!before && contracted === undefined && delta === undefined)
      throw invalidArguments([
        { path: 'nights', message: `${roomTypeCode} ${night} is not in this contract: give contracted with its rates` },
      ])
    const had = before?.contracted ?? 0
    const rooms = contracted ?? had + (delta ?? 0)
    if (rooms < 0) throw invalidArguments([{ path: 'nights', message: `${roomTypeCode} ${night}: ${had} rooms cannot become ${rooms}` }])
    const base = (before?.base ?? 0) + (attritionBase === 'follow' ? rooms - had : 0)
    const priced = before ?? findNearestRoomNight(current, roomTypeCode, night)
    if (!priced && !rates)
      throw invalidArguments([{ path: 'nights', message: `${roomTypeCode} ${night} needs rates: ${roomTypeCode} has no other night yet` }])
    const given = Object.entries(rates ? toNightRateColumns(rates) : {}).filter(([, rate]) => rate !== null)
    return {
      roomTypeCode,
      night,
      before,
      after: {
        contracted: rooms,
        base: Math.max(0, base),
        returned: Math.min(before?.returned ?? 0, Math.max(0, rooms - (before ? countRoomsInUse(before) : 0))),
        rate_single: priced?.rate_single ?? 0,
        rate_double: priced?.rate_double ?? null,
        rate_triple: priced?.rate_triple ?? null,
        rate_quad: priced?.rate_quad ?? null,
        ...Object.fromEntries(given),
      },
    }
  })
}

/** Whether the planned change adds the night or changes any of its values. */
export const isRoomNightChanged = ({ before, after }: PlannedRoomNightChange): boolean =>
  before === null || Object.entries(after).some(([column, value]) => before[column as keyof typeof after] !== value)

/** Finds the night of a room type nearest to another day; of two equally near nights the earlier one. */
export function findNearestRoomNight(current: readonly RoomNightRow[], roomTypeCode: string, night: string): RoomNightRow | null {
  const distance = (row: RoomNightRow) => Math.abs(daysBetween(row.night, night))
  const [nearest] = current
    .filter(({ room_type_code }) => room_type_code === roomTypeCode)
    .toSorted((a, b) => distance(a) - distance(b) || a.night.localeCompare(b.night))
  return nearest ?? null
}

/** Lists the planned nights that would keep fewer rooms than are booked, held or set aside in a block. */
export const listNightsInUse = (planned: readonly PlannedRoomNightChange[]): PlannedRoomNightChange[] =>
  planned.filter(({ before, after }) => before !== null && after.contracted < countRoomsInUse(before))

/** Expires overdue room holds on the given nights. Returns true if there were any. */
export async function expireRoomHolds(
  { db, tenantId, event }: HousingQueryContext,
  hotelId: string,
  nights: readonly PlannedRoomNightChange[],
): Promise<boolean> {
  let expired = false
  for (const [roomType, of] of Map.groupBy(nights, ({ roomTypeCode }) => roomTypeCode)) {
    const { rows } = await sql<{ any: boolean }>`
      select room_nights_expire(${tenantId}, ${event.id}, ${hotelId}, ${roomType}, ${of.map(({ night }) => night)}::date[]) as any`.execute(
      db,
    )
    expired ||= rows[0]!.any
  }
  return expired
}

export function refuseNightsInUse(nights: readonly PlannedRoomNightChange[]): void {
  if (nights.length === 0) return
  const messages = nights.map(
    ({ roomTypeCode, night, before, after }) =>
      `${roomTypeCode} ${night}: ${countRoomsInUse(before!)} in use, cannot set ${after.contracted}`,
  )
  throw preconditionFailed(messages.join('; '), { fields: messages.map((message) => ({ path: 'nights', message })) })
}

/** Writes planned nights. The original number of rooms of a new night is 0, because it was not part of the original contract. */
export async function saveRoomNightChanges(
  { db, tenantId, event }: HousingContext,
  hotelId: string,
  planned: readonly PlannedRoomNightChange[],
): Promise<void> {
  if (planned.length === 0) return
  const rows = planned.map(({ roomTypeCode, night, after }) => ({ room_type_code: roomTypeCode, night, ...after }))
  await sql`
    insert into room_nights as r (tenant_id, event_id, hotel_id, room_type_code, night, original, base, contracted, returned,
      rate_single, rate_double, rate_triple, rate_quad)
    select ${tenantId}, ${event.id}, ${hotelId}, p.room_type_code, p.night, 0, p.base, p.contracted, p.returned,
      p.rate_single, p.rate_double, p.rate_triple, p.rate_quad
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as p(room_type_code text, night date, base integer, contracted integer,
      returned integer, rate_single bigint, rate_double bigint, rate_triple bigint, rate_quad bigint)
    order by 4, 5
    on conflict (tenant_id, event_id, hotel_id, room_type_code, night) do update set base = excluded.base, contracted = excluded.contracted,
      returned = excluded.returned, rate_single = excluded.rate_single, rate_double = excluded.rate_double,
      rate_triple = excluded.rate_triple, rate_quad = excluded.rate_quad`.execute(db)
}
