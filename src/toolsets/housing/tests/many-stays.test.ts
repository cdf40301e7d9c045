import { beforeEach, describe, expect, it } from 'vitest'
import { fillWaitlistJob } from '../../../domains/checkout/hotel-waitlist/job.ts'
import { moveReservationsJob } from '../../../domains/checkout/room-moves/job.ts'
import { roomsStory } from '../../../domains/housing/tests/rooms-scenario.ts'
import { checkIntegrity } from '../../../domains/orders/integrity/check.ts'
import { ROOM_INTEGRITY_CHECKS } from '../../../domains/orders/integrity/rooms.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { contractRoomsPerNight, buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { copyStay, copyWaitlistEntry } from '../../../../test/support/many-stays.ts'

const { story, newHotel, king, nights, register } = roomsStory()

const [FROM, UNTIL] = ['2026-09-01', '2026-09-04']
const STAYS = 120
const query = async (text: string, values: unknown[] = []) => (await story.world.database.pool.query<any>(text, values)).rows

/** Checks the invariants of rooms. Copied people are not counted in the capacity of the event. */
const checkRooms = async () => {
  const { tenantId, eventId } = story.event
  const found = await checkIntegrity(story.world.database.read, tenantId, eventId, ROOM_INTEGRITY_CHECKS)
  expect(found.filter(({ ok }) => !ok)).toEqual([])
}

/** Runs the job to its end, or only the given number of its transactions, like a killed process. */
const run = (job: unknown, jobId: string, transactions = Infinity) => {
  const { database, ...services } = story.world.services
  let made = 0
  const transact = ((...args: Parameters<typeof database.transact>) => {
    if (++made > transactions) throw new Error('the process has ended')
    return database.transact(...args)
  }) as typeof database.transact
  const runner = createJobRunner({ ...services, database: { ...database, transact } })
  return runner(job as Job, { tenantId: story.event.tenantId, jobId })
}
const work = (jobId: string, transactions?: number) => run(moveReservationsJob, jobId, transactions)

describe('moves of many hotel stays', () => {
  let [from, to] = ['', '']
  const span = (day: string, until: string, rooms: number) => ({ from: day, until, rooms, single: 18900, double: 21900 })
  const places = () => ({ from: { hotelId: from }, to: { hotelId: to } })
  const move = (more: object = {}) => story.call('move_hotel_reservations', { ...places(), reason: 'The hotel closes', ...more })
  const read = (jobId: string) => story.call('move_hotel_reservations', { jobId })
  const booked = async (hotelId: string) => (await nights(hotelId)).map((one) => one[3])
  const emails = () => story.queryNumber(`select count(*)::int as figure from messages where email_code = 'housing.confirmed'`)

  beforeEach(async () => {
    from = await newHotel({ roomTypes: king(STAYS) })
    const spans = [span(FROM, '2026-09-02', STAYS), span('2026-09-02', '2026-09-03', STAYS - 5), span('2026-09-03', UNTIL, STAYS)]
    to = await newHotel({ name: 'Other', roomTypes: king(0, { nights: spans }) })
    const { participant } = await register(buildRoomAnswers(from, FROM, UNTIL))
    await copyStay(query, participant.id, STAYS - 1)
    await checkRooms()
  })

  it('moves more stays than fit in one call in a job as the dry run predicted, each stay once even if the job is interrupted', async () => {
    const before = await emails()
    const preview = await move({ dryRun: true })
    expect([preview.moved.length, preview.effects.recipients, preview.jobId]).toEqual([STAYS - 5, STAYS - 5, undefined])
    expect(preview.notMoved.map((one: any) => [one.reason, one.detail])).toEqual(
      Array(5).fill(['no_rooms', 'Only 0 of 1 rooms free at Other, king, 2026-09-02']),
    )
    expect(await booked(to)).toEqual([0, 0, 0])
    const { jobId, ...started } = await move({ idempotencyKey: 'move all' })
    expect(started).toMatchObject({ status: 'queued', moved: [], notMoved: [], progress: { done: 0, total: STAYS } })
    expect((await move({ idempotencyKey: 'move all' })).jobId).toBe(jobId)
    // One transaction starts the job, and the next two move 50 stays each.
    await expect(work(jobId, 3)).rejects.toThrow('the process has ended')
    expect(await booked(to)).toEqual([100, 100, 100])
    expect(await read(jobId)).toMatchObject({ status: 'queued', progress: { done: 100, total: STAYS }, moved: { length: 100 } })
    await work(jobId)
    await work(jobId)
    const done = await read(jobId)
    expect(done).toMatchObject({ status: 'done', progress: { done: STAYS, total: STAYS } })
    expect([done.moved, done.notMoved]).toEqual([preview.moved, preview.notMoved])
    expect([await booked(to), await booked(from)]).toEqual([
      [115, 115, 115],
      [5, 5, 5],
    ])
    expect(
      await query('select moves, count(*)::int from reservations where hotel_id = any($1) group by moves order by moves', [[from, to]]),
    ).toEqual([
      { moves: 0, count: 5 },
      { moves: 1, count: 115 },
    ])
    expect(await emails()).toBe(before + 115)
    await checkRooms()
  })

  it('moves up to `count` stays in one call, and a long list of reservationIds in a job', async () => {
    expect((await move({ count: 30, notify: false })).moved).toHaveLength(30)
    const ids = (await query('select id from reservations where hotel_id = any($1)', [[from, to]])).map(({ id }) => id)
    const named = { from: undefined, reservationIds: [...ids, '0'.repeat(24)], notify: false }
    const preview = await move({ ...named, dryRun: true })
    const { jobId } = await move(named)
    await work(jobId)
    const { moved, notMoved } = await read(jobId)
    expect([moved.length, moved]).toEqual([85, preview.moved])
    const reasons = Object.groupBy(notMoved as { reason: string }[], ({ reason }) => reason)
    expect(Object.entries(reasons).map(([reason, all]) => [reason, all!.length])).toEqual([
      ['not_found', 1],
      ['same_place', 30],
      ['no_rooms', 5],
    ])
    expect(notMoved).toEqual(preview.notMoved)
    await checkRooms()
  })

  it('reports stays that were cancelled before the job reached them, and stays whose target hotel accepts no more rooms', async () => {
    const { jobId } = await move({ notify: false })
    await expect(work(jobId, 2)).rejects.toThrow('the process has ended')
    const [gone] = await query(
      `select r.id, r.participant_id from hotel_move_stays s join reservations r on r.id = s.reservation_id
       where s.outcome is null order by s.ordinal limit 1`,
    )
    await story.call('edit_participant', { participantId: gone.participant_id, status: 'cancelled' })
    await expect(work(jobId, 2)).rejects.toThrow('the process has ended')
    await query(`update housing_contracts set status = 'tentative' where hotel_id = $1`, [to])
    await work(jobId)
    const { moved, notMoved, status } = await read(jobId)
    expect([status, moved.length]).toEqual(['done', 99])
    expect(notMoved[0]).toMatchObject({ reservationId: gone.id, reason: 'not_confirmed' })
    expect(notMoved.slice(1)).toEqual(
      Array(20).fill({
        ...notMoved[1],
        reservationId: expect.any(String),
        reason: 'place_refused',
        detail: expect.stringContaining('not signed'),
      }),
    )
    await checkRooms()
  })

  it('does not find a job that moves hotel stays at another event', async () => {
    const { jobId } = await move({ notify: false })
    const stranger = await story.world.event({ at: await story.world.client() })
    const theirs = await story.world.organizer({ at: stranger })
    expect(await theirs.refused('move_hotel_reservations', { eventCode: stranger.eventCode, jobId })).toMatchObject({ code: 'not_found' })
    expect(await story.refused('move_hotel_reservations', { jobId, count: 1 })).toMatchObject({ code: 'invalid_arguments' })
  })
})

describe('hotel waiting list of more than 100 people', () => {
  it('fills a long waiting list in a job as the dry run predicted, each entry once even if the job is interrupted', async () => {
    const [PEOPLE, ROOMS] = [104, 102]
    const hotelId = await newHotel({ name: 'Full', roomTypes: king(0) })
    const { participant } = await register(buildRoomAnswers(hotelId, FROM, UNTIL, { '@housing.waitlist': true }))
    await copyWaitlistEntry(query, participant.id, PEOPLE - 1)
    await contractRoomsPerNight(query, hotelId, ROOMS)
    const fill = (more: object = {}) => story.call('fill_hotel_waitlist', { hotelId, ...more })
    const outcomes = ({ results }: any) => results.map(({ entryId, outcome, reason }: any) => [entryId, outcome, reason])
    const preview = await fill({ dryRun: true })
    expect(preview).toMatchObject({ filled: ROOMS, effects: { changes: ROOMS, recipients: ROOMS } })
    const { jobId, ...started } = await fill({ confirmToken: preview.confirmToken })
    expect(started).toMatchObject({ status: 'queued', results: [], progress: { done: 0, total: PEOPLE }, waiting: PEOPLE })
    await expect(run(fillWaitlistJob, jobId, 4)).rejects.toThrow('the process has ended')
    expect(await story.call('fill_hotel_waitlist', { jobId })).toMatchObject({ filled: 60, status: 'queued' })
    await run(fillWaitlistJob, jobId)
    await run(fillWaitlistJob, jobId)
    const done = await story.call('fill_hotel_waitlist', { jobId })
    expect(done).toMatchObject({ status: 'done', filled: ROOMS, waiting: PEOPLE - ROOMS, progress: { done: PEOPLE, total: PEOPLE } })
    expect(outcomes(done)).toEqual(outcomes(preview))
    expect((await nights(hotelId)).map((one) => one.slice(3))).toEqual(Array(3).fill([ROOMS, 0]))
    expect(
      await query(
        `select w.status, s.status as room, count(*)::int from hotel_waitlist_entries w left join reservations s on s.entry_id = w.id
         where w.hotel_id = $1 group by 1, 2 order by 1`,
        [hotelId],
      ),
    ).toEqual([
      { status: 'filled', room: 'confirmed', count: ROOMS },
      { status: 'waiting', room: null, count: PEOPLE - ROOMS },
    ])
    expect(await story.queryNumber(`select count(*)::int as figure from messages where email_code = 'housing.filled'`)).toBe(ROOMS)
    await checkRooms()
  })
})
