import pg from 'pg'
import { holdRequestedRoom } from '../../src/domains/housing/hold.ts'
import { listStayNights } from '../../src/domains/housing/stay.ts'
import { type EventSnapshot, loadEventSnapshot } from '../../src/domains/registration/event-snapshot.ts'
import type { Db } from '../../src/kernel/columns.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { newId } from '../../src/kernel/ids.ts'
import { newContext } from '../../src/kernel/new-context.ts'
import { createEventContextAt } from '../../test/support/at-event.ts'
import { createHotelAt, buildRoomAnswers, buildRoomSections } from '../../test/support/hotels.ts'
import { createPersonAt, type PersonHandle } from '../../test/support/participants.ts'
import { openSalesScenario, type SalesScenario } from '../../test/support/sales-scenario.ts'
import { serveRequests } from '../child.ts'
import { isSmokeRun } from '../size.ts'
import { HOTEL_COUNT, loadHotels, loadReservations, HOTEL_NIGHTS, ROOM_TYPE_CODES } from '../support/many-rooms.ts'

const CLIENTS = 8
const [CHECK_IN, CHECK_OUT] = ['2026-09-03', '2026-09-07']
const STAY = listStayNights(CHECK_IN, CHECK_OUT)

interface Desk {
  story: SalesScenario
  snapshot: EventSnapshot
  /** The context of the event, which a page request has read before it holds a room. */
  context: EventContext
  person: PersonHandle
  bare: pg.Pool
  hotels: string[]
  /** Participants without a room. */
  guests: string[]
  next: number
}

let desk: Promise<Desk> | null = null

/** An event of the largest size: 80 hotels with 10 room types and 14 nights, and this many reservations of four nights. */
async function openDesk(reservations: number): Promise<Desk> {
  const story = await openSalesScenario(buildRoomSections())
  const { world, event } = story
  const hotels = await loadHotels(world.database.pool, event)
  const guests = await loadReservations(world.database.pool, { ...event, reservations })
  const bare = new pg.Pool({ connectionString: world.url!, max: CLIENTS, idleTimeoutMillis: 0 })
  const context = await createEventContextAt(world, event)
  const snapshot = await world.database.transact((db) => loadEventSnapshot({ ...context, db }))
  return { story, snapshot, context, person: await createPersonAt(world, event), bare, hotels, guests, next: 0 }
}

/** Holds a hotel room as the registration page does: validates the requested stay and releases the guest's previous hold. */
async function hold({ story: { world, event }, snapshot, context }: Desk, hotelId: string, guest: string): Promise<void> {
  const answers = { ...buildRoomAnswers(hotelId, CHECK_IN, CHECK_OUT), '@housing.roomTypeCode': ROOM_TYPE_CODES[0] }
  const request = {
    snapshot,
    guest: { id: guest, name: 'Paula', groupId: null, companyId: null, tags: [] },
    answers,
    source: 'web' as const,
  }
  const own = (db: Db) => ({ ...context, ...newContext(world.services, context, db) })
  await world.database.transact((db) => holdRequestedRoom(own(db), request), { eventId: event.eventId })
}

/** Writes the same rows with the fastest possible transaction, which only locks, counts and writes. */
async function write({ bare, story: { event } }: Desk, hotelId: string, guest: string): Promise<void> {
  const client = await bare.connect()
  const [at, id] = [[event.tenantId, event.eventId, hotelId, ROOM_TYPE_CODES[0]], newId()]
  try {
    await client.query('begin')
    await client.query({ name: 'lock', text: LOCK, values: [...at, STAY] })
    await client.query({ name: 'count', text: COUNT, values: [...at, STAY] })
    await client.query({ name: 'stay', text: INSERT_STAY, values: [...at, id, guest, CHECK_IN, CHECK_OUT] })
    await client.query({ name: 'nights', text: INSERT_NIGHTS, values: [...at, id, guest, STAY] })
    await client.query('commit')
  } finally {
    client.release()
  }
}

const WHERE = 'tenant_id = $1 and event_id = $2 and hotel_id = $3 and room_type_code = $4 and night = any($5::date[])'
const LOCK = `select from room_nights where ${WHERE} order by night for no key update`
const COUNT = `update room_nights set held = held + 1 where ${WHERE} and returned + allocated + booked + held < contracted`
const INSERT_STAY = `
insert into reservations (tenant_id, event_id, id, participant_id, is_test_data, hotel_id, room_type_code, check_in, check_out, occupants,
  booked_occupants, status, held_until, stay_rooms, stay_fees, stay_tax, stay_total, source)
values ($1, $2, $5, $6, false, $3, $4, $7, $8, 1, 1, 'held', lanyard_now() + interval '15 minutes', 40000, 0, 0, 40000, 'web')`
const INSERT_NIGHTS = `
insert into reservation_nights (tenant_id, event_id, reservation_id, night, participant_id, is_test_data, hotel_id, room_type_code, rate, status, room)
select $1, $2, $5, n, $6, false, $3, $4, 10000, 'held', 1 from unnest($7::date[]) n`

const sides = { ours: hold, bare: write }
type Side = keyof typeof sides

/** Returns the room holds per second, at the hotels in turn. */
async function holds({ side, seconds }: { side: Side; seconds: number }): Promise<number> {
  const at = await desk!
  const started = performance.now()
  const until = started + seconds * 1000
  let done = 0
  const client = async () => {
    for (; performance.now() < until; done++) {
      const number = at.next++
      await sides[side](at, at.hotels[number % HOTEL_COUNT]!, takeGuest(at))
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return (done * 1000) / (performance.now() - started)
}

function takeGuest({ guests }: Desk): string {
  const guest = guests.pop()
  if (guest === undefined) throw new Error('more holds were measured than guests loaded')
  return guest
}

/** Retries while the event is too busy, as callers are asked to. */
async function untilAnswered(book: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await book()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
    }
  }
}

/** Returns the bookings per second of this many guests who all want the same four nights at a new hotel. */
async function crowd({ side, bookers }: { side: Side; bookers: number }): Promise<number> {
  const at = await desk!
  const { world, event } = at.story
  const types = [
    {
      code: ROOM_TYPE_CODES[0]!,
      name: 'King',
      maxOccupancy: 2,
      nights: [{ from: HOTEL_NIGHTS[0]!, until: '2026-09-15', rooms: bookers, single: 10000 }],
    },
  ]
  const hotelId = await createHotelAt(world, event, { code: `crowd-${newId()}`, sellStatus: 'changes', contract: {}, roomTypes: types })
  await world.database.pool.query(`update event_hotels set sell_status = 'open' where id = $1`, [hotelId])
  const guests = Array.from({ length: bookers }, () => takeGuest(at))
  const started = performance.now()
  await Promise.all(guests.map((guest) => untilAnswered(() => sides[side](at, hotelId, guest))))
  const rate = (bookers * 1000) / (performance.now() - started)
  await world.database.pool.query(`update event_hotels set sell_status = 'closed' where id = $1`, [hotelId])
  return rate
}

const list: Record<Side, (at: Desk) => Promise<unknown>> = {
  ours: ({ person }) => person.call('get_hotel_list', { checkIn: HOTEL_NIGHTS[0], checkOut: '2026-09-15', limit: 100 }),
  bare: async ({ bare, story: { event } }) =>
    JSON.stringify((await bare.query({ name: 'list', text: LIST, values: [event.tenantId, event.eventId, HOTEL_NIGHTS] })).rows),
}

/** Reads with one SQL query everything that the list of hotels shows. */
const LIST = `
select h.id, h.name, h.address, h.stars, h.amenities, h.photos, t.code, t.name as type, t.beds, t.max_occupancy, t.accessible, r.night,
  r.rate_single, r.contracted - r.returned - r.allocated - r.booked - r.held as free
from event_hotels h
join housing_contracts c on c.tenant_id = h.tenant_id and c.event_id = h.event_id and c.hotel_id = h.id and c.status = 'definite'
join room_types t on t.tenant_id = h.tenant_id and t.event_id = h.event_id and t.hotel_id = h.id and not t.retired
join room_nights r on r.tenant_id = t.tenant_id and r.event_id = t.event_id and r.hotel_id = t.hotel_id and r.room_type_code = t.code
where h.tenant_id = $1 and h.event_id = $2 and h.sell_status = 'open' and not h.retired and r.night = any($3::date[])
order by h.id, t.code, r.night`

/** Returns the milliseconds of reading one list of hotels. */
async function listTime({ side, seconds }: { side: Side; seconds: number }): Promise<number> {
  const at = await desk!
  await at.story.world.database.pool.query('delete from rate_windows')
  const started = performance.now()
  let runs = 0
  do {
    await list[side](at)
    runs++
  } while (performance.now() < started + seconds * 1000)
  return (performance.now() - started) / runs
}

serveRequests({
  open: async (reservations: number) => void (await (desk = openDesk(isSmokeRun ? Math.min(reservations, 400) : reservations))),
  holds,
  crowd,
  listTime,
  end: async () => {
    const at = await desk
    await at?.bare.end()
    // Closing a test world scans all of its rows for leaked tokens, so they are deleted first.
    await at?.story.world.database.pool.query('truncate participants, room_nights cascade')
    await at?.story.world.end()
    desk = null
  },
})
