import { createAndLinkRoomBlock } from '../../src/domains/groups/room-blocks.ts'
import type { NewBlock } from '../../src/domains/housing/blocks.ts'
import { addHotel, type NewHotel } from '../../src/domains/housing/hotels.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { createEventContextAt } from './at-event.ts'
import { WORKED_EXAMPLE } from './sales-scenario.ts'
import type { EventHandle, World } from './world.ts'

/** The hotel of the specification's worked example: nights at 189.00, 189.00 and 209.00, a tax-free fee of 10.00, and 12.5% tax. */
export const GRAND_HOTEL: NewHotel = {
  code: 'grand',
  name: 'Grand',
  address: { street: '1 Rue du Bac', postalCode: '75007', city: 'Paris', country: 'FR' },
  taxPercent: '12.5',
  feePerNight: 1000,
  sellStatus: 'open',
  contract: { cutoffOn: '2026-08-20' },
  roomTypes: [
    {
      code: 'king',
      name: 'King room',
      beds: ['king'],
      maxOccupancy: 2,
      nights: [
        { from: '2026-09-01', until: '2026-09-03', rooms: 10, single: 18900, double: 21900 },
        { from: '2026-09-03', until: '2026-09-04', rooms: 10, single: 20900, double: 23900 },
      ],
    },
  ],
}

/** Configuration of an event that sells passes and offers rooms on a separate page of its form. */
export const buildRoomSections = (housing: object = {}, widget: object = {}) => ({
  ...WORKED_EXAMPLE,
  housing: { enabled: true, seeAvailability: 'exact', ...housing },
  flows: WORKED_EXAMPLE.flows.map((flow) => ({
    ...flow,
    pages: [
      ...flow.pages.slice(0, -1),
      { code: 'rooms', title: 'Rooms', widgets: [{ id: 'room', type: 'housing', ...widget }] },
      ...flow.pages.slice(-1),
    ],
  })),
})

/** Runs domain functions at an event in one transaction. */
export const inEventTransaction = <T>(world: World, place: EventHandle, run: (ctx: EventContext) => Promise<T>): Promise<T> =>
  world.database.transact(async (db) => run(await createEventContextAt(world, place, db)))

export const createHotelAt = (world: World, place: EventHandle, hotel: Partial<NewHotel> = {}): Promise<string> =>
  inEventTransaction(world, place, (ctx) => addHotel(ctx, { ...GRAND_HOTEL, ...hotel }))

export const createBlockAt = (world: World, place: EventHandle, block: NewBlock): Promise<string> =>
  inEventTransaction(world, place, (ctx) => createAndLinkRoomBlock(ctx, block))

/** The answers of a participant who requests a room. */
export const buildRoomAnswers = (hotelId: string, checkIn: string, checkOut: string, more: object = {}): Record<string, unknown> => ({
  '@housing.hotelId': hotelId,
  '@housing.roomTypeCode': 'king',
  '@housing.checkIn': checkIn,
  '@housing.checkOut': checkOut,
  ...more,
})

/** The counters of a hotel's nights in order: contracted, returned, allocated, booked, held. */
export async function listNightCounts(world: World, hotelId: string): Promise<number[][]> {
  const { rows } = await world.database.pool.query<Record<string, number>>(
    `select contracted, returned, allocated, booked, held from room_nights where hotel_id = $1 order by room_type_code, night`,
    [hotelId],
  )
  return rows.map(({ contracted, returned, allocated, booked, held }) => [contracted!, returned!, allocated!, booked!, held!])
}

type Query = (text: string, values: unknown[]) => Promise<unknown>

/** Contracts the given number of rooms on every night of a hotel, as an addendum does. */
export async function contractRoomsPerNight(query: Query, hotelId: string, rooms: number): Promise<void> {
  await query(
    `insert into housing_addenda (tenant_id, event_id, hotel_id, number, kind, effective_on, room_nights, changes, reason, created_by)
     select r.tenant_id, r.event_id, r.hotel_id, 1 + (select max(a.number) from housing_addenda a where a.hotel_id = $1), 'addendum', '2026-01-01',
       sum($2::int - r.contracted), '{}', 'More rooms', 'test'
     from room_nights r where r.hotel_id = $1 group by 1, 2, 3`,
    [hotelId, rooms],
  )
  await query('update room_nights set base = $2, contracted = $2 where hotel_id = $1', [hotelId, rooms])
}
