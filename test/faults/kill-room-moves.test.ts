import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractRoomsPerNight, createHotelAt, buildRoomAnswers, buildRoomSections } from '../support/hotels.ts'
import { copyStay, copyWaitlistEntry } from '../support/many-stays.ts'
import { openRoomReader, type RoomReader } from '../support/room-invariants.ts'
import { openServedSale, type ServedSale } from '../support/served-sale.ts'
import { chooseForSoak } from '../support/soak.ts'

/** The specification has 1,000 stays and 1,000 people who wait; `npm run soak` moves and fills so many. */
const STAYS = chooseForSoak(1000, 100)
const KILLS = chooseForSoak(5, 1)
/** A job is taken over after its process has sent no heartbeat for a while. */
const LIMIT = 600_000 + STAYS * 1000
const [FROM, UNTIL] = ['2027-05-10', '2027-05-13']

/** A process is killed while it moves stays, and started again. Requires PostgreSQL, because an embedded database would end with it. */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('kill -9 while many hotel stays are moved', () => {
  let sale: ServedSale
  let reader: RoomReader
  beforeAll(async () => {
    sale = await openServedSale(buildRoomSections(), { processes: 1 })
    await sale.start(0)
    reader = await openRoomReader(sale.sales.world.url!, sale.sales.event.eventId)
  }, LIMIT)
  afterAll(async () => {
    await reader.close()
    await sale.end()
  }, LIMIT)

  const query = async (text: string, values: unknown[] = []) => (await sale.sales.world.database.pool.query<any>(text, values)).rows
  const newHotel = (code: string, rooms: number) =>
    createHotelAt(sale.sales.world, sale.sales.event, {
      code,
      contract: {},
      roomTypes: [{ code: 'king', name: 'King', maxOccupancy: 2, nights: [{ from: FROM!, until: UNTIL!, rooms, single: 18900 }] }],
    })

  it(
    `moves each of ${STAYS} hotel stays once and emails each guest once although the service is killed ${KILLS} times`,
    { timeout: LIMIT },
    async () => {
      const [from, to] = [await newHotel('closing', STAYS), await newHotel('open', STAYS - 10)]
      const { participant } = await sale.sales.register({ pass: 1 }, { data: buildRoomAnswers(from, FROM!, UNTIL!) })
      await copyStay(query, participant.id, STAYS - 1)
      const emails = () => sale.sales.queryNumber(`select count(*)::int as figure from messages where email_code = 'housing.confirmed'`)
      const before = await emails()
      const args = { from: { hotelId: from }, to: { hotelId: to }, reason: 'The hotel closes', idempotencyKey: 'all' }
      const preview = (await sale.callUntilAnswered('move_hotel_reservations', { ...args, dryRun: true })).structuredContent
      expect([preview.moved.length, preview.notMoved.length]).toEqual([STAYS - 10, 10])
      const { jobId } = (await sale.callUntilAnswered('move_hotel_reservations', { ...args, confirmToken: preview.confirmToken }))
        .structuredContent
      const moved = () => sale.sales.queryNumber(`select count(*)::int as figure from reservations where moves > 0`)
      for (let kill = 1; kill <= KILLS; kill++) {
        await expect.poll(moved, { interval: 20, timeout: LIMIT }).toBeGreaterThanOrEqual((STAYS * kill) / (KILLS + 2))
        await sale.kill(0)
        expect(await moved()).toBeLessThan(STAYS - 10)
        expect(await reader.findViolations()).toEqual([])
        await sale.start(0)
      }
      const read = async () => (await sale.callUntilAnswered('move_hotel_reservations', { jobId })).structuredContent
      await expect.poll(async () => (await read()).status, { interval: 500, timeout: LIMIT }).toBe('done')
      const done = await read()
      expect([done.moved, done.notMoved]).toEqual([preview.moved, preview.notMoved])
      expect(await query('select moves, hotel_id, count(*)::int from reservations group by 1, 2 order by 1')).toEqual([
        { moves: 0, hotel_id: from, count: 10 },
        { moves: 1, hotel_id: to, count: STAYS - 10 },
      ])
      expect((await emails()) - before).toBe(STAYS - 10)
      expect(await reader.findViolations()).toEqual([])
    },
  )
  // Stopped jobs are also tested without processes, and fills with charges in kill-waitlist-fill.
  it.runIf(chooseForSoak(true, false))(
    `gives a room to each of ${STAYS} hotel waiting list entries once although the service is killed ${KILLS} times`,
    { timeout: LIMIT },
    async () => {
      const hotelId = await newHotel('full', 0)
      const { participant } = await sale.sales.register(
        { pass: 1 },
        { data: buildRoomAnswers(hotelId, FROM!, UNTIL!, { '@housing.waitlist': true }) },
      )
      await copyWaitlistEntry(query, participant.id, STAYS - 1)
      await contractRoomsPerNight(query, hotelId, STAYS - 10)
      const args = { hotelId, idempotencyKey: 'fill all' }
      const preview = (await sale.callUntilAnswered('fill_hotel_waitlist', { ...args, dryRun: true })).structuredContent
      expect(preview.filled).toBe(STAYS - 10)
      const { jobId } = (await sale.callUntilAnswered('fill_hotel_waitlist', { ...args, confirmToken: preview.confirmToken }))
        .structuredContent
      const filled = () =>
        sale.sales.queryNumber(
          `select count(*)::int as figure from hotel_waitlist_entries where hotel_id = '${hotelId}' and status = 'filled'`,
        )
      for (let kill = 1; kill <= KILLS; kill++) {
        await expect.poll(filled, { interval: 20, timeout: LIMIT }).toBeGreaterThanOrEqual((STAYS * kill) / (KILLS + 2))
        await sale.kill(0)
        expect(await reader.findViolations()).toEqual([])
        await sale.start(0)
      }
      const read = async () => (await sale.callUntilAnswered('fill_hotel_waitlist', { jobId })).structuredContent
      await expect.poll(async () => (await read()).status, { interval: 500, timeout: LIMIT }).toBe('done')
      expect(await read()).toMatchObject({ filled: STAYS - 10, waiting: 10 })
      expect(
        await query(
          `select w.status, s.status as room, count(*)::int from hotel_waitlist_entries w left join reservations s on s.entry_id = w.id
         where w.hotel_id = $1 group by 1, 2 order by 1`,
          [hotelId],
        ),
      ).toEqual([
        { status: 'filled', room: 'confirmed', count: STAYS - 10 },
        { status: 'waiting', room: null, count: 10 },
      ])
      expect(await sale.sales.queryNumber(`select count(*)::int as figure from messages where email_code = 'housing.filled'`)).toBe(
        STAYS - 10,
      )
      expect(await reader.findViolations()).toEqual([])
    },
  )
})
