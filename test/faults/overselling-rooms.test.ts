import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listStayNights } from '../../src/domains/housing/stay.ts'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { createBlockAt, createHotelAt, listNightCounts, buildRoomAnswers, buildRoomSections } from '../support/hotels.ts'
import { openRoomReader, type RoomReader } from '../support/room-invariants.ts'
import { runRoomStorm, createRandomIntegers } from '../support/room-storm.ts'
import { openServedSale, type ServedSale } from '../support/served-sale.ts'
import { openSalesScenario, type SalesScenario, newAttendee } from '../support/sales-scenario.ts'
import { chooseForSoak, soakSeed } from '../support/soak.ts'
import { openTwoServers } from '../support/two-servers.ts'
import type { OrganizerHandle } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined
const [BOOKERS, ROOMS] = postgres ? [chooseForSoak(100, 40), chooseForSoak(25, 10)] : [24, 6]
/** The specification has 200 bookers while rooms move. */
const MOVERS = postgres ? chooseForSoak(200, 40) : 16
const FIRST = '2026-09-01'
const LAST = '2026-09-05'

type Span = readonly [checkIn: string, checkOut: string]

interface Outcome {
  booked: { id: string; span: Span }[]
  refused: { span: Span; text: string }[]
}

describe('concurrent room bookings', () => {
  let scenario: SalesScenario
  /** Two servers over one database, each with its own connections. */
  const servers: OrganizerHandle[] = []

  beforeAll(async () => {
    scenario = await openSalesScenario(buildRoomSections())
    for (const { database } of await openTwoServers(scenario.world)) servers.push(scenario.world.throughDatabase(scenario.olga, database))
  })
  afterAll(() => scenario.world.end())

  let turns = 0
  const server = () => servers[turns++ % servers.length]!
  const here = (args: object) => ({ eventCode: scenario.event.eventCode, ...args })
  const days = listStayNights(FIRST, LAST)

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
        const answer = await server().answer('edit_participant', here({ participantId: id, data: buildRoomAnswers(hotelId, ...span) }))
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
  const contractedAt = async (hotelIds: readonly string[]) => {
    const counters = await Promise.all(hotelIds.map((hotelId) => listNightCounts(scenario.world, hotelId)))
    return counters.flat().reduce((sum, [contracted]) => sum + contracted!, 0)
  }
  const spansOf = (count: number, roll: (sides: number) => number): Span[] =>
    Array.from({ length: count }, () => {
      const from = roll(days.length)
      return [days[from]!, [...days, LAST][from + 1 + roll(days.length - from)]!] as const
    })

  it('books all rooms on free sale, leaves the room block untouched, and names the sold-out nights when it refuses a booking', async () => {
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

  it('sells randomly chosen stays without overselling a night or refusing an available room', async () => {
    const roll = createRandomIntegers(soakSeed(11))
    const hotelId = await newHotel(ROOMS)
    const { booked, refused } = await book(hotelId, spansOf(BOOKERS, roll))
    expect(booked.length).toBeGreaterThan(ROOMS - 1)
    expect(refused.length).toBeGreaterThan(0)
    const free = await freeOn(hotelId)
    for (const [day, left] of free) {
      expect(left).toBe(ROOMS - booked.filter(({ span: [from, until] }) => from <= day && day < until).length)
      expect(left).toBeGreaterThanOrEqual(0)
    }
    for (const { span } of refused) expect(listStayNights(...span).some((night) => free.get(night) === 0)).toBe(true)

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

  it(`keeps the total of contracted rooms without overselling while rooms move between two hotels and ${MOVERS} people book there`, async () => {
    const hotels = [await newHotel(ROOMS), await newHotel(ROOMS)] as const
    const place = (hotelId: string) => ({ hotelId, roomTypeCode: 'king' })
    const move = async (at: number) => {
      const [from, to] = [hotels[at % 2]!, hotels[(at + 1) % 2]!]
      const args = { fromHotel: place(from), toHotel: place(to), nights: days, rooms: 1 + (at % 2), reason: 'Rooms are moved about' }
      const { isError, content, structuredContent } = await server().answer('move_hotel_inventory', here(args))
      if (isError) expect(content[0]!.text).toMatch(/Only \d of \d rooms free/)
      else expect(structuredContent.totalContracted.after).toBe(structuredContent.totalContracted.before)
      return !isError
    }
    const before = await contractedAt(hotels)
    const roll = createRandomIntegers(soakSeed(17))
    const [moves, ...booked] = await Promise.all([
      Promise.all(Array.from({ length: MOVERS / 2 }, (_, at) => move(at))),
      ...hotels.map((hotelId) => book(hotelId, spansOf(MOVERS / 2, roll))),
    ])
    expect(moves).toContain(true)
    expect(booked.flatMap((one) => one.booked).length).toBeGreaterThan(0)
    expect(await contractedAt(hotels)).toBe(before)
    await holds()
  })

  it('gives a participant who requests two rooms concurrently only one', async () => {
    const hotels = [await newHotel(5), await newHotel(5)]
    const { participant } = await scenario.register({})
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        server().answer('edit_participant', here({ participantId: participant.id, data: buildRoomAnswers(hotels[at % 2]!, FIRST, LAST) })),
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
    const reader = await openRoomReader(scenario.world.url!, scenario.event.eventId)
    expect((await reader.findViolations()).filter((one) => one.startsWith(`H1 ${hotelId}`))).toHaveLength(4)
    await reader.close()
  })
})

/** The specification has 500 bookers, and a minute of random changes from 200 callers; `npm run soak` runs both. */
const [CROWD, CALLERS, STORM_SECONDS] = [chooseForSoak(500, 60), chooseForSoak(200, 24), chooseForSoak(60, 6)]
const LIMIT = 900_000

/** Story 1 of the specification, with two server processes on one PostgreSQL. */
describe.skipIf(!postgres)('first morning of the room sale', () => {
  let sale: ServedSale
  let reader: RoomReader
  const people: string[] = []
  const [OPENS, ENDS] = ['2027-05-10', '2027-05-14']
  const days = listStayNights(OPENS, ENDS)
  const typesWith = (rooms: number) =>
    ['king', 'twin'].map((code) => ({ code, name: code, maxOccupancy: 2, nights: [{ from: OPENS, until: ENDS, rooms, single: 10000 }] }))
  const newHotel = (code: string, roomTypes: ReturnType<typeof typesWith>) =>
    createHotelAt(sale.sales.world, sale.sales.event, { code, contract: {}, roomTypes })
  const newBlock = (code: string, hotelId: string, rooms: number) =>
    createBlockAt(sale.sales.world, sale.sales.event, {
      code,
      name: code,
      owner: { kind: 'none' },
      rooms: [{ hotelId, roomTypeCode: 'king', nights: days, rooms }],
    })

  beforeAll(async () => {
    sale = await openServedSale(buildRoomSections(), { processes: 2 })
    await Promise.all([sale.start(0), sale.start(1)])
    reader = await openRoomReader(sale.sales.world.url!, sale.sales.event.eventId)
    for (let done = 0; done < CROWD; done += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, CROWD - done) }, async () => {
          const answer = await sale.callUntilAnswered('add_participant', { flowSlug: 'attendee', data: newAttendee() })
          people.push(answer.structuredContent.participant.id)
        }),
      )
  }, LIMIT)
  afterAll(async () => {
    await reader.close()
    await sale.end()
  }, LIMIT)

  /** Reads snapshots until the work is done, and returns the number of snapshots with everything that was wrong in them. */
  async function watch<T>(work: Promise<T>): Promise<{ result: T; snapshots: number; violations: string[] }> {
    let isOver = false
    const over = work.finally(() => (isOver = true))
    over.catch(() => {})
    const violations: string[] = []
    let snapshots = 0
    for (; !isOver; snapshots++) {
      violations.push(...(await reader.findViolations()))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    violations.push(...(await reader.findViolations()))
    return { result: await over, snapshots, violations }
  }

  it(`sells 38 hotel stays to ${CROWD} concurrent bookers and leaves the room block untouched`, { timeout: LIMIT }, async () => {
    const hotelId = await newHotel('opening', typesWith(50))
    await newBlock('untouched', hotelId, 12)
    const book = (participantId: string) =>
      sale.callUntilAnswered('edit_participant', { participantId, data: buildRoomAnswers(hotelId, OPENS, ENDS) })
    const { result: answers, violations } = await watch(Promise.all(people.map(book)))
    const refused = answers.filter(({ isError }) => isError)
    expect([answers.length - refused.length, refused.length]).toEqual([38, CROWD - 38])
    for (const { content, _meta } of refused) {
      expect(_meta?.['lanyard/error']?.code).toBe('limit_exceeded')
      expect(content[0]!.text).toMatch(
        /^Only 0 of 1 rooms free at Grand, king, 2027-05-10 \(also short: 2027-05-11, 2027-05-12, 2027-05-13\)/,
      )
    }
    const answer = await sale.callUntilAnswered('get_housing_summary', { groupBy: 'block', hotelId })
    const { totals, rows } = answer.structuredContent
    // 200 of the room nights are twin rooms, which no caller requested.
    expect(totals).toMatchObject({ contracted: 400, pickup: 152, freeSell: 200, allocated: 48 })
    expect(rows.find((row: { name: string }) => row.name === 'untouched')).toMatchObject({ contracted: 48, pickup: 0, held: 0 })
    expect(violations).toEqual([])
  })

  it(
    `keeps the room counts correct (rules H1 to H4) in ${STORM_SECONDS} s of random changes by ${CALLERS} callers, without a deadlock`,
    { timeout: LIMIT },
    async () => {
      const rooms = Math.ceil(CALLERS / 6)
      const hotelIds = [
        await newHotel('storm-a', typesWith(rooms)),
        await newHotel('storm-b', typesWith(rooms)),
        await newHotel('storm-c', typesWith(rooms)),
      ]
      const group = { name: 'Storm', code: 'storm', kind: 'other', payBy: 'members', flowSlug: 'attendee', admins: [] }
      await sale.callUntilAnswered('create_managed_group', group)
      const callers = people.slice(0, CALLERS)
      const add = callers.slice(0, CALLERS / 3).map((participantId) => ({ participantId }))
      await sale.callUntilAnswered('update_managed_group_members', { groupCode: 'storm', add })
      const blockId = await newBlock('storm', hotelIds[0]!, 4)
      const storm = { sale, hotelIds, roomTypes: ['king', 'twin'], from: OPENS, until: ENDS, groupCode: 'storm', blockId, people: callers }
      const { result, snapshots, violations } = await watch(runRoomStorm({ ...storm, seconds: STORM_SECONDS, seed: soakSeed(5) }))
      expect(violations).toEqual([])
      expect(result.unexpected).toEqual([])
      expect(snapshots).toBeGreaterThan(3)
      for (const kind of ['stay', 'cancel', 'move', 'inventory', 'release', 'amendment'])
        expect([kind, result.done[kind] ?? 0]).not.toEqual([kind, 0])
      const { world, event } = sale.sales
      expect((await checkIntegrity(world.database.read, event.tenantId, event.eventId)).filter(({ ok }) => !ok)).toEqual([])
    },
  )
})
