import { submitRequest } from '../../src/domains/block-requests/submit.ts'
import { fillWaitlistJob } from '../../src/domains/checkout/hotel-waitlist/job.ts'
import { runHotelCutoffs } from '../../src/domains/checkout/room-deadlines.ts'
import { moveReservationsJob } from '../../src/domains/checkout/room-moves/job.ts'
import { createGroup } from '../../src/domains/groups/create.ts'
import { listStayNights } from '../../src/domains/housing/stay.ts'
import { newId } from '../../src/kernel/ids.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import {
  contractRoomsPerNight,
  createBlockAt,
  createHotelAt,
  inEventTransaction,
  buildRoomAnswers,
  buildRoomSections,
} from '../../test/support/hotels.ts'
import { copyStay, copyWaitlistEntry } from '../../test/support/many-stays.ts'
import { runRecurringTask } from '../../test/support/room-deadlines.ts'
import { openSalesScenario, type SalesScenario } from '../../test/support/sales-scenario.ts'
import { serveRequests } from '../child.ts'
import { isSmokeRun } from '../size.ts'
import { loadHotels, loadReservations } from '../support/many-rooms.ts'

const START = '2026-04-10T10:00:00Z'
const [CHECK_IN, CHECK_OUT] = ['2026-09-03', '2026-09-07']
const STAY = listStayNights(CHECK_IN, CHECK_OUT)
const RESERVATIONS = isSmokeRun ? 400 : 40_000
/** The number of rooms of each room type on each night. */
const ROOMS = 300
/**
 * The number of guests to move or rooms to fill: more than a tool call handles itself, so that a smoke run starts the background jobs too.
 */
const STAYS = isSmokeRun ? 120 : 1000
const REQUESTS = isSmokeRun ? 10 : 200
const BLOCKS = isSmokeRun ? 10 : 300

let opening: Promise<SalesScenario> | null = null

/** An event of the largest size of the specification: 80 hotels with 10 room types and 14 nights, and 40,000 reservations. */
async function openEvent(): Promise<SalesScenario> {
  const requests = { enabled: true, deadlineOn: '2026-05-01', amendUntil: '2026-06-01' }
  const story = await openSalesScenario(buildRoomSections({ minNights: 1, maxNights: 10, requests }))
  const { pool } = story.world.database
  await loadHotels(pool, story.event, ROOMS)
  await loadReservations(pool, { ...story.event, reservations: RESERVATIONS })
  return story
}

const newHotel = ({ world, event }: SalesScenario, rooms: number, contract: object = {}) =>
  createHotelAt(world, event, {
    code: `bench-${newId()}`,
    contract,
    roomTypes: [{ code: 'king', name: 'King', maxOccupancy: 2, nights: [{ from: CHECK_IN, until: CHECK_OUT, rooms, single: 18900 }] }],
  })

const queryWith =
  ({ world }: SalesScenario) =>
  async (text: string, values: unknown[] = []): Promise<object[]> =>
    (await world.database.pool.query<object>(text, values)).rows

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Returns the milliseconds from a confirmed tool call to the end of its background job. */
async function timeJob(story: SalesScenario, job: unknown, tool: string, args: Record<string, unknown>): Promise<number> {
  await story.world.database.pool.query('analyze participants, reservations, reservation_nights, room_nights, hotel_waitlist_entries')
  const { confirmToken } = await story.call(tool, { ...args, dryRun: true })
  return millisecondsOf(async () => {
    const { jobId } = await story.call(tool, confirmToken === undefined ? args : { ...args, confirmToken })
    await createJobRunner(story.world.services)(job as Job, { tenantId: story.event.tenantId, jobId })
    const { status } = await story.call(tool, { jobId })
    if (status !== 'done') throw new Error(`the job of ${tool} is ${status}`)
  })
}

/** Moves 1,000 guests of a hotel to another one, with an email to each. */
async function move(): Promise<number> {
  const story = await opening!
  const [from, to] = [await newHotel(story, STAYS), await newHotel(story, STAYS)]
  const { participant } = await story.register({ pass: 1 }, { data: buildRoomAnswers(from, CHECK_IN, CHECK_OUT) })
  await copyStay(queryWith(story), participant.id, STAYS - 1)
  const args = { from: { hotelId: from }, to: { hotelId: to }, reason: 'The hotel closes' }
  return timeJob(story, moveReservationsJob, 'move_hotel_reservations', args)
}

/** Gives 1,000 rooms to the waiting list of a hotel, with an email to each guest. */
async function fill(): Promise<number> {
  const story = await opening!
  const hotelId = await newHotel(story, 0)
  const data = buildRoomAnswers(hotelId, CHECK_IN, CHECK_OUT, { '@housing.waitlist': true })
  const { participant } = await story.register({ pass: 1 }, { data })
  await copyWaitlistEntry(queryWith(story), participant.id, STAYS - 1)
  await contractRoomsPerNight(queryWith(story), hotelId, STAYS)
  return timeJob(story, fillWaitlistJob, 'fill_hotel_waitlist', { hotelId })
}

/** Allocates the requests of 200 groups in one call, each with different numbers of rooms per night. */
async function allocate(): Promise<number> {
  const story = await opening!
  const requestIds: string[] = []
  for (let number = 0; number < REQUESTS; number++) {
    const profile = STAY.map((night, index) => ({ night, rooms: 5 + ((number + index) % 7) }))
    const wishes = { profile, roomTypes: [], hotelPreferences: [], keepTogether: number % 2 === 0, paymentBy: 'guest' as const }
    const { id } = await inEventTransaction(story.world, story.event, async (ctx) => {
      const admins = [{ email: `${newId()}@example.org`, name: 'Greta' }]
      const { group } = await createGroup(ctx, { name: newId(), kind: 'other', payBy: 'members', flowSlug: 'attendee', admins })
      return submitRequest(ctx, { groupId: group.id, name: 'Greta', email: admins[0]!.email, isTestData: false }, wishes)
    })
    requestIds.push(id)
  }
  return millisecondsOf(async () => {
    const { results } = await story.call('allocate_block_request_rooms', { auto: true, requestIds })
    const missing = results.filter(({ status }: { status: string }) => status !== 'allocated')
    if (missing.length > 0) throw new Error(`${missing.length} requests were not allocated in full`)
  })
}

/** Runs the cut-off of a hotel whose rooms are in 300 blocks. */
async function cutOff(): Promise<number> {
  const story = await opening!
  const { world, event } = story
  const hotelId = await newHotel(story, 2 * BLOCKS, { cutoffOn: '2026-08-20' })
  for (let number = 0; number < BLOCKS; number++) {
    const owner = { kind: 'tag' as const, ref: `tag-${number}` }
    const rooms = [{ hotelId, roomTypeCode: 'king', nights: STAY, rooms: 2 }]
    await createBlockAt(world, event, { code: newId(), name: `Block ${number}`, owner, rooms })
  }
  await world.clock.stopAt('2026-08-20T22:00:00Z')
  const spent = await millisecondsOf(() => runRecurringTask(world, runHotelCutoffs))
  await world.clock.stopAt(START)
  const [left] = (await queryWith(story)('select sum(contracted - returned)::int as rooms from room_nights where hotel_id = $1', [
    hotelId,
  ])) as [{ rooms: number }]
  if (left.rooms !== 0) throw new Error(`${left.rooms} room nights were not returned`)
  return spent
}

/** Returns the milliseconds of one summary of all hotels. */
async function summary({ seconds }: { seconds: number }): Promise<number> {
  const story = await opening!
  await story.world.database.pool.query('delete from rate_windows')
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    spent += await millisecondsOf(() => story.call('get_housing_summary'))
    runs++
  } while (performance.now() < until)
  return spent / runs
}

serveRequests({
  open: async () => void (await (opening = openEvent())),
  move,
  fill,
  allocate,
  cutOff,
  summary,
  end: async () => {
    const story = await opening
    // Closing a test world scans all of its rows for leaked tokens, so they are deleted first.
    await story?.world.database.pool.query('truncate participants, room_nights cascade')
    await story?.world.end()
  },
})
