import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import { addDays } from '../../kernel/time.ts'
import { nightsOf } from './stay.ts'
import type { AtEvent, Where } from './scene.ts'
import type { HotelAddress, SellStatus } from './tables.ts'

/** Rooms of a type on the nights from a day until another, which is no night, at rates in minor units. */
export interface ContractedRooms {
  from: string
  until: string
  rooms: number
  single: number
  double?: number
  triple?: number
  quad?: number
}

export interface NewHotel {
  code: string
  name: string
  address?: HotelAddress
  latitude?: number
  longitude?: number
  stars?: number
  brand?: string
  loyaltyProgram?: string
  amenities?: readonly string[]
  description?: string
  taxPercent?: string
  feePerNight?: number
  feeTaxed?: boolean
  sellStatus?: SellStatus
  afterCutoff?: 'closed' | 'waitlist'
  contract?: { status?: 'tentative' | 'definite'; signedOn?: string; cutoffOn?: string; cutoffAction?: 'return' | 'keep' }
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

/** A hotel with its room types and what was contracted at first: original, base and contracted are the same. Without a contract nothing is sold. */
export async function addHotel(ctx: AtEvent, hotel: NewHotel): Promise<string> {
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id }
  const id = newId()
  await ctx.db
    .insertInto('event_hotels')
    .values({
      ...at,
      id,
      code: hotel.code,
      name: hotel.name,
      address: JSON.stringify(hotel.address ?? {}),
      latitude: hotel.latitude ?? null,
      longitude: hotel.longitude ?? null,
      stars: hotel.stars ?? null,
      brand: hotel.brand ?? null,
      loyalty_program: hotel.loyaltyProgram ?? null,
      amenities: [...(hotel.amenities ?? [])],
      description: hotel.description ?? null,
      tax_percent: hotel.taxPercent ?? '0',
      fee_per_night: hotel.feePerNight ?? 0,
      fee_taxed: hotel.feeTaxed ?? false,
      sell_status: hotel.sellStatus ?? 'closed',
      after_cutoff: hotel.afterCutoff ?? 'waitlist',
    })
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
  if (hotel.contract) await contractRooms(ctx, id, hotel.contract, hotel.roomTypes)
  recordChange(ctx, { kind: 'hotel', id, after: { code: hotel.code, name: hotel.name } })
  return id
}

async function contractRooms(
  { db, tenantId, event }: AtEvent,
  hotelId: string,
  contract: NonNullable<NewHotel['contract']>,
  roomTypes: NewHotel['roomTypes'],
): Promise<void> {
  const at = { tenant_id: tenantId, event_id: event.id, hotel_id: hotelId }
  await db
    .insertInto('housing_contracts')
    .values({
      ...at,
      status: contract.status ?? 'definite',
      signed_on: contract.signedOn ?? null,
      cutoff_on: contract.cutoffOn ?? null,
      cutoff_action: contract.cutoffAction ?? 'return',
    })
    .execute()
  const nights = roomTypes.flatMap(({ code, nights: spans = [] }) =>
    spans.flatMap(({ from, until, rooms, single, double, triple, quad }) =>
      nightsOf(from, until).map((night) => ({
        ...at,
        room_type_code: code,
        night,
        original: rooms,
        base: rooms,
        contracted: rooms,
        rate_single: single,
        rate_double: double ?? null,
        rate_triple: triple ?? null,
        rate_quad: quad ?? null,
      })),
    ),
  )
  if (nights.length > 0) await db.insertInto('room_nights').values(nights).execute()
}

/** How many hotels were contracted at prices, which are in the event's currency. */
export async function hotelsWithRates({ db, tenantId, event }: Where): Promise<number> {
  const { hotels } = await db
    .selectFrom('room_nights')
    .select((eb) => eb.fn.count<number>('hotel_id').distinct().as('hotels'))
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .executeTakeFirstOrThrow()
  return hotels
}

/** The nights that an event is about: those between its days, for a single day the one that follows it. */
export const eventStay = ({ startsOn, endsOn }: { startsOn: string; endsOn: string }) => ({
  checkIn: startsOn,
  checkOut: endsOn > startsOn ? endsOn : addDays(startsOn, 1),
})
