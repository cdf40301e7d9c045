import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nightsOf } from '../../src/domains/housing/stay.ts'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { createBlockAt, createHotelAt, listNightCounts, roomAnswer, roomSections } from '../support/hotels.ts'
import { openSalesScenario, type SalesScenario, newAttendee } from '../support/sales-scenario.ts'
import { inSoak, soakSeed } from '../support/soak.ts'
import { openTwoServers } from '../support/two-servers.ts'
import type { OrganizerHandle } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined
const [BOOKERS, ROOMS] = postgres ? [inSoak(100, 40), inSoak(25, 10)] : [24, 6]
const FIRST = '2026-09-01'
const LAST = '2026-09-05'

type Span = readonly [checkIn: string, checkOut: string]

interface Outcome {
  booked: { id: string; span: Span }[]
  refused: { span: Span; text: string }[]
}

/** A seeded pseudo-random generator. */
function seededRandom(from: number): (sides: number) => number {
  let state = from >>> 0
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

describe('concurrent room bookings', () => {
  let scenario: SalesScenario
  /** Two servers over one database, each with its own connections. */
  const servers: OrganizerHandle[] = []

  beforeAll(async () => {
    scenario = await openSalesScenario(roomSections())
    for (const { database } of await openTwoServers(scenario.world)) servers.push(scenario.world.throughDatabase(scenario.olga, database))
  })
  afterAll(() => scenario.world.end())

  let turns = 0
  const server = () => servers[turns++ % servers.length]!
  const here = (args: object) => ({ eventCode: scenario.event.eventCode, ...args })
  const days = nightsOf(FIRST, LAST)

  let made = 0
  const newHotel = (rooms: number) =>
    createHotelAt(scenario.world, scenario.event, {
      code: `house-${++made}`,
      roomTypes: [{ code: 'king', name: 'King', maxOccupancy: 2, nights: [{ from: FIRST, until: LAST, rooms, single: 10000 }] }],
    })

  /** Uses registered participants, because new registrations would serialize on the event's capacity row. */
  async function book(hotelId: string, spans: readonly Span[]): Promise<Outcome> {
    const outcome: Outcome = { booked: [], refused: [] }
    const people = await Promise.all(spans.map(() => server().call('add_participant', here({ flowSlug: 'attendee', data: newAttendee() }))))
    await Promise.all(
      spans.map(async (span, at) => {
        const { id } = people[at].participant
        const answer = await server().answer('edit_participant', here({ participantId: id, data: roomAnswer(hotelId, ...span) }))
        if (answer.isError) outcome.refused.push({ span, text: String(answer.content[0]!.text) })
        else outcome.booked.push({ id, span })
      }),
    )
    for (const { text } of outcome.refused) expect(text).toMatch(/Only 0 of 1 rooms free/)
    return outcome
  }

  const freeOn = async (hotelId: string) => {
    const counters = await listNightCounts(scenario.world, hotelId)
    return new Map(days.map((day, at) => [day, counters[at]![0]! - counters[at]!.slice(1).reduce((sum, n) => sum + n)]))
  }
  const holds = async () => {
    const found = await checkIntegrity(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)
    expect(found.filter(({ ok }) => !ok)).toEqual([])
  }
  const spansOf = (count: number, roll: (sides: number) => number): Span[] =>
    Array.from({ length: count }, () => {
      const from = roll(days.length)
      return [days[from]!, [...days, LAST][from + 1 + roll(days.length - from)]!] as const
    })

  it('books every room on free sale for all nights, leaves the block untouched and reports the missing nights to the others', async () => {
    const hotelId = await newHotel(ROOMS)
    const aside = Math.floor(ROOMS / 4)
    const block = {
      code: 'aside',
      name: 'Aside',
      owner: { kind: 'none' as const },
      rooms: [{ hotelId, roomTypeCode: 'king', nights: days, rooms: aside }],
    }
    await createBlockAt(scenario.world, scenario.event, block)
    const { booked, refused } = await book(hotelId, Array<Span>(BOOKERS).fill([FIRST, LAST]))
    expect([booked.length, refused.length]).toEqual([ROOMS - aside, BOOKERS - ROOMS + aside])
    expect([...(await freeOn(hotelId)).values()]).toEqual([0, 0, 0, 0])
    await holds()
  })

  it('never oversells a night of randomly chosen stays and never refuses an available room', async () => {
    const roll = seededRandom(soakSeed(11))
    const hotelId = await newHotel(ROOMS)
    const { booked, refused } = await book(hotelId, spansOf(BOOKERS, roll))
    expect(booked.length).toBeGreaterThan(ROOMS - 1)
    expect(refused.length).toBeGreaterThan(0)
    const free = await freeOn(hotelId)
    for (const [day, left] of free) {
      expect(left).toBe(ROOMS - booked.filter(({ span: [from, until] }) => from <= day && day < until).length)
      expect(left).toBeGreaterThanOrEqual(0)
    }
    for (const { span } of refused) expect(nightsOf(...span).some((night) => free.get(night) === 0)).toBe(true)

    // Books again while other participants cancel and change their stays.
    const [going, changing] = [booked.slice(0, booked.length / 3), booked.slice(booked.length / 3, (booked.length * 2) / 3)]
    await Promise.all([
      book(hotelId, spansOf(BOOKERS / 2, roll)),
      ...going.map(({ id }) => server().call('edit_participant', here({ participantId: id, status: 'cancelled' }))),
      ...changing.map(({ id }, at) => {
        const [checkIn, checkOut] = spansOf(changing.length, roll)[at]!
        const data = { '@housing.checkIn': checkIn, '@housing.checkOut': checkOut }
        return server().answer('edit_participant', here({ participantId: id, data }))
      }),
    ])
    await holds()
    // New bookings find exactly the remaining rooms.
    for (const [day, left] of await freeOn(hotelId)) {
      const next = [...days, LAST][days.indexOf(day) + 1]!
      const { booked: last } = await book(hotelId, Array<Span>(left + 2).fill([day, next]))
      expect(last).toHaveLength(left)
    }
    expect([...(await freeOn(hotelId)).values()]).toEqual([0, 0, 0, 0])
    await holds()
  })

  it('gives a participant who requests two rooms concurrently only one', async () => {
    const hotels = [await newHotel(5), await newHotel(5)]
    const { participant } = await scenario.register({})
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        server().answer('edit_participant', here({ participantId: participant.id, data: roomAnswer(hotels[at % 2]!, FIRST, LAST) })),
      ),
    )
    expect(answers.filter(({ isError }) => !isError).length).toBeGreaterThan(0)
    expect(
      await scenario.queryNumber(
        `select count(*)::int as figure from reservations where participant_id = '${participant.id}' and status = 'confirmed'`,
      ),
    ).toBe(1)
    expect(
      await scenario.queryNumber(`select sum(booked)::int as figure from room_nights where hotel_id in ('${hotels.join("','")}')`),
    ).toBe(4)
    await holds()
  })

  it.runIf(postgres)('control: oversells rooms without the availability check', async () => {
    await scenario.world.database.pool.query(`
      alter table room_nights drop constraint room_nights_not_oversold;
      create or replace function room_nights_take(
        tenant integer, event text, hotel text, room_type text, wanted date[], blocks text[], free_sell boolean, holds boolean
      ) returns jsonb language plpgsql as $$
      begin
        if exists (select from room_nights r where r.tenant_id = tenant and r.event_id = event and r.hotel_id = hotel and r.room_type_code = room_type
          and r.night = any(wanted) and r.returned + r.allocated + r.booked + r.held >= r.contracted) then
          return jsonb_build_object('short', wanted);
        end if;
        update room_nights r set booked = r.booked + 1 where r.tenant_id = tenant and r.event_id = event and r.hotel_id = hotel
          and r.room_type_code = room_type and r.night = any(wanted);
        return jsonb_build_object('taken', (select jsonb_agg(jsonb_build_object('night', w.night, 'blockId', null)) from unnest(wanted) as w(night)));
      end $$`)
    const hotelId = await newHotel(5)
    const { booked } = await book(hotelId, Array<Span>(60).fill([FIRST, LAST]))
    expect(booked.length).toBeGreaterThan(5)
  })
})
