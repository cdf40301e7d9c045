import { contractRoomsPerNight } from '../../../../test/support/hotels.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillWaitlistJob } from '../../../domains/checkout/hotel-waitlist/job.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { DEPOSIT, type HotelWaitlist, openHotelWaitlist } from '../../../../test/support/hotel-waitlist.ts'

const PEOPLE = 23

describe('fill_hotel_waitlist with more than 20 charges', () => {
  let list: HotelWaitlist
  beforeAll(async () => void (list = await openHotelWaitlist()))
  afterAll(() => list.end())

  it('charges more than 20 deposits in a background job as the dry run predicted, and finds the job by its jobId', async () => {
    const hotelId = await list.newHotel(0)
    const line = []
    // Of the last two people, one is charged only because an earlier card is declined, and one gets no room.
    for (let person = 0; person < PEOPLE; person++) line.push(await list.waiting(hotelId, person === 3 ? 'declined' : 'succeeded'))
    await contractRoomsPerNight((text, values) => list.rows(text, values), hotelId, PEOPLE - 2)
    const args = { hotelId, onDecline: 'skip' }
    const preview = await list.sales.call('fill_hotel_waitlist', { ...args, dryRun: true })
    expect(preview).toMatchObject({ charged: { count: 21, amount: { amount: '4675.23', currency: 'EUR' } }, effects: { charges: 23 } })
    expect(preview.jobId).toBeUndefined()
    const started = await list.sales.call('fill_hotel_waitlist', { ...args, confirmToken: preview.confirmToken })
    expect(started).toMatchObject({ status: 'queued', results: [], progress: { done: 0, total: PEOPLE }, waiting: PEOPLE })
    const { jobId } = started
    const read = () => list.sales.call('fill_hotel_waitlist', { jobId })
    const work = () =>
      createJobRunner(list.sales.world.services)(fillWaitlistJob as unknown as Job, { tenantId: list.sales.event.tenantId, jobId })
    await work()
    expect(await read()).toMatchObject({ status: 'queued', progress: { done: 2, total: PEOPLE }, charged: { count: 0 } })
    await list.runDueCalls()
    await list.runDueCalls()
    await work()
    const done = await read()
    expect(done).toMatchObject({
      status: 'done',
      progress: { done: PEOPLE, total: PEOPLE },
      filled: 21,
      charged: { count: 21, amount: { amount: '4675.23', currency: 'EUR' } },
      waiting: 2,
    })
    expect(done.results[3]).toMatchObject({ outcome: 'skipped', reason: 'insufficient_funds' })
    expect(done.results.slice(-2)).toMatchObject([{ outcome: 'filled' }, { outcome: 'skipped', reason: 'no_rooms' }])
    await work()
    expect(list.stripe.intents.size).toBe(21)
    expect(await list.freeSell(hotelId)).toEqual([0, 0, 0])
    const stranger = await list.sales.world.event({ at: await list.sales.world.client() })
    const mine = await list.sales.world.organizer({ at: stranger })
    expect(await mine.refused('fill_hotel_waitlist', { eventCode: stranger.eventCode, jobId })).toMatchObject({ code: 'not_found' })
    for (const tool of ['fill_hotel_waitlist', 'remove_from_hotel_waitlist'])
      expect(
        await mine.refused(tool, {
          eventCode: stranger.eventCode,
          entryIds: [line[3]!.entryId],
          ...(tool.startsWith('r') ? { reason: 'x' } : {}),
        }),
      ).toMatchObject({ code: expect.stringMatching(/not_found|precondition_failed/) })
    await list.mustAddUp()
  })
})

describe('deposits in a currency with three decimals', () => {
  let list: HotelWaitlist
  beforeAll(async () => void (list = await openHotelWaitlist(DEPOSIT, { currency: 'KWD' })))
  afterAll(() => list.end())

  it('charges hotel deposits with three decimals if the currency has three', async () => {
    const hotelId = await list.newHotel(0)
    await list.waiting(hotelId, 'succeeded')
    await contractRoomsPerNight((text, values) => list.rows(text, values), hotelId, 1)
    // The deposit is 18.900 and a fee of 1.000, with 12.5% tax on the rate.
    expect(await list.fill({ hotelId })).toMatchObject({ filled: 1, charged: { count: 1, amount: { amount: '22.263', currency: 'KWD' } } })
    expect([...list.stripe.intents.values()]).toMatchObject([{ amount: 22_263, currency: 'kwd' }])
  })
})

describe('test entries of the hotel waiting list', () => {
  let list: HotelWaitlist
  beforeAll(async () => void (list = await openHotelWaitlist()))
  afterAll(() => list.end())

  it('charges waiting list entries of test data in the sandbox, only if named by entryIds, and takes no rooms', async () => {
    const hotelId = await list.newHotel(0)
    await list.sales.call('update_event', { testMode: true })
    const [paid, declined] = [await list.waiting(hotelId, 'sandbox_4242' as never), await list.waiting(hotelId, 'sandbox_0002' as never)]
    await contractRoomsPerNight((text, values) => list.rows(text, values), hotelId, 1)
    expect((await list.sales.call('fill_hotel_waitlist', { hotelId, dryRun: true })).results).toEqual([])
    const filled = await list.fill({ entryIds: [paid.entryId, declined.entryId] })
    expect(filled.results).toMatchObject([
      { outcome: 'filled', reservation: { ackNumber: expect.stringMatching(/^T-H-/) } },
      { outcome: 'offered', reason: 'card_declined' },
    ])
    expect(await list.freeSell(hotelId)).toEqual([1, 1, 1])
    expect(list.stripe.intents.size).toBe(0)
    expect(await list.rows(`select provider, is_test_data, amount from payments`)).toEqual([
      { provider: 'sandbox', is_test_data: true, amount: 22_263 },
    ])
    await list.mustAddUp()
  })
})
