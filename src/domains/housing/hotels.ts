import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import { type NewRecord, toRecordColumns } from '../../kernel/records.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { addDays } from '../../kernel/time.ts'
import type { HousingContext, HousingQueryContext } from './context.ts'
import { type ContractedNight, type HousingContractTerms, createHousingContract } from './contracts/original.ts'
import { HOTEL_RECORD } from './hotel-record.ts'
import { listStayNights } from './stay.ts'

/** Contracted rooms of one type for the nights from `from` until the day before `until`, with rates in minor units. */
export interface ContractedRooms {
  from: string
  until: string
  rooms: number
  single: number
  double?: number
  triple?: number
  quad?: number
}

export interface NewHotel extends Partial<NewRecord<typeof HOTEL_RECORD>> {
  code: string
  name: string
  contract?: HousingContractTerms & { status?: 'tentative' | 'definite'; signedOn?: string }
  roomTypes: readonly {
    code: string
    name: string
    beds?: readonly string[]
    maxOccupancy: number
    accessible?: boolean
    smoking?: boolean
    nights?: readonly ContractedRooms[]
  }[]
}

/**
 * Adds a hotel with its room types. The first contract sets the room counts `original`, `base` and `contracted` to the same number;
 * without a contract no room can be sold.
 */
export async function addHotel(ctx: HousingContext, hotel: NewHotel): Promise<string> {
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id }
  const id = newId()
  await ctx.db
    .insertInto('event_hotels')
    .values({ ...toRecordColumns(HOTEL_RECORD, hotel), ...at, id, code: hotel.code, name: hotel.name })
    .execute()
  const types = hotel.roomTypes.map(({ code, name, beds, maxOccupancy, accessible, smoking }) => ({
    ...at,
    hotel_id: id,
    code,
    name,
    beds: [...(beds ?? [])],
    max_occupancy: maxOccupancy,
    accessible: accessible ?? false,
    smoking: smoking ?? false,
  }))
  if (types.length > 0) await ctx.db.insertInto('room_types').values(types).execute()
  if (hotel.contract) {
    const { status = 'definite', signedOn, ...terms } = hotel.contract
    await createHousingContract(ctx, id, { status, signedOn, terms, nights: listContractedNights(hotel.roomTypes) })
  }
  recordChange(ctx, { kind: 'hotel', id, after: { code: hotel.code, name: hotel.name } })
  return id
}

/** Converts a contract's rooms by date range to rooms by night. */
const listContractedNights = (roomTypes: NewHotel['roomTypes']): ContractedNight[] =>
  roomTypes.flatMap(({ code, nights: spans = [] }) =>
    spans.flatMap(({ from, until, rooms, ...rates }) =>
      listStayNights(from, until).map((night) => ({ roomTypeCode: code, night, contracted: rooms, rates })),
    ),
  )

/** Lists the hotels of an event with the room types that can still be booked, by name. */
export async function listHotelChoices(
  ctx: HousingQueryContext,
): Promise<{ id: string; name: string; roomTypes: { code: string; name: string; maxOccupancy: number }[] }[]> {
  const hotels = await eventDb(ctx).selectFrom('event_hotels').select(['id', 'name']).orderBy('name').orderBy('id').execute()
  const types = await eventDb(ctx)
    .selectFrom('room_types')
    .select(['hotel_id', 'code', 'name', 'max_occupancy'])
    .where('retired', '=', false)
    .orderBy('code')
    .execute()
  const typesOf = Map.groupBy(types, ({ hotel_id }) => hotel_id)
  return hotels.map(({ id, name }) => ({
    id,
    name,
    roomTypes: (typesOf.get(id) ?? []).map((type) => ({ code: type.code, name: type.name, maxOccupancy: type.max_occupancy })),
  }))
}

/** Finds hotels of the event by name, code or brand. */
export const findEventHotels = (ctx: HousingQueryContext, search: string, limit: number): Promise<{ name: string; code: string }[]> =>
  eventDb(ctx)
    .selectFrom('event_hotels')
    .select(['name', 'code'])
    .where('retired', '=', false)
    .where(buildWordMatchCondition(sql`event_hotels.searched`, search))
    .orderBy('name')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Counts the hotels with contracted rates. While there are any, the event's currency cannot change. */
export async function countHotelsWithRates(ctx: HousingQueryContext): Promise<number> {
  const { hotels } = await eventDb(ctx)
    .selectFrom('room_nights')
    .select((eb) => eb.fn.count<number>('hotel_id').distinct().as('hotels'))
    .executeTakeFirstOrThrow()
  return hotels
}

/** Returns the nights during an event; for a one-day event the night after it. */
export const getDefaultStayDates = ({ startsOn, endsOn }: { startsOn: string; endsOn: string }) => ({
  checkIn: startsOn,
  checkOut: endsOn > startsOn ? endsOn : addDays(startsOn, 1),
})
