import { describe, expect, it } from 'vitest'
import { runRecurringTask } from '../../../../test/support/room-deadlines.ts'
import { acceptAllocatedRooms, requestBlockAmendment, declineExpiredRequests } from '../answer.ts'
import { setUpRequestsScenario } from './requests-scenario.ts'

const { story, at, newNights, newHotel, newGroup, submit, profileOf, counts, sound } = setUpRequestsScenario()

const readRequest = (requestId: string) => story.call('get_block_request', { requestId })

/** Creates a request with 4 rooms on two nights, which can be accepted until 20 April. */
async function offered(more: { notify?: boolean } = {}) {
  const nights = newNights(2)
  const hotelId = await newHotel(nights, [10, 10])
  const { id: requestId } = await submit({ groupId: (await newGroup()).id }, { profile: profileOf(nights, [4]) })
  const allocations = [{ hotelId, roomTypeCode: 'king', nights, rooms: 4 }]
  await story.call('allocate_block_request_rooms', { requestId, allocations, notify: true, ...more })
  return { requestId, hotelId, nights }
}

describe('declineExpiredRequests', () => {
  it('declines unaccepted room block requests after their last day in event time, and releases their rooms once', async () => {
    const [due, accepted, silent] = [await offered(), await offered(), await offered({ notify: false })]
    await at((ctx) => acceptAllocatedRooms(ctx, accepted.requestId))
    await at((ctx) => requestBlockAmendment(ctx, due.requestId, { changes: [{ night: due.nights[0]!, delta: 1 }] }))
    expect((await readRequest(due.requestId)).request.acceptBy).toBe('2026-04-20')

    // 20 April, 23:59 in Paris, one minute before the deadline passes.
    await story.world.clock.stopAt('2026-04-20T21:59:00Z')
    await runRecurringTask(story.world, declineExpiredRequests)
    expect((await readRequest(due.requestId)).request.status).toBe('allocated')

    await story.world.clock.stopAt('2026-04-20T22:00:00Z')
    await expect(at((ctx) => acceptAllocatedRooms(ctx, due.requestId))).rejects.toMatchObject({ code: 'precondition_failed' })
    await runRecurringTask(story.world, declineExpiredRequests)
    const after = await readRequest(due.requestId)
    expect([after.request.status, after.request.granted]).toEqual(['declined', 0])
    expect(after.amendments.map(({ status }: { status: string }) => status)).toEqual(['withdrawn'])
    expect((await counts(due.hotelId)).map(([, , allocated]) => allocated)).toEqual([0, 0])
    // Accepted requests keep their rooms, and a requester who got no email has no deadline.
    expect((await readRequest(accepted.requestId)).request).toMatchObject({ status: 'accepted', granted: 8 })
    expect((await readRequest(silent.requestId)).request).toMatchObject({ status: 'allocated', granted: 8 })

    await runRecurringTask(story.world, declineExpiredRequests)
    const lapses = `select count(*)::int as figure from audit_entries where tool = 'lapse-block-requests'`
    expect(await story.queryNumber(lapses)).toBe(1)
    await expect(at((ctx) => acceptAllocatedRooms(ctx, due.requestId))).rejects.toMatchObject({ code: 'precondition_failed' })
    await story.world.clock.stopAt('2026-04-10T10:00:00Z')
    await sound()
  })
})

describe('reactivate_block_request', () => {
  it('restores on reactivation the rooms that closing a block request returned to the hotel, and no other rooms', async () => {
    const { requestId, hotelId } = await offered()
    await story.world.database.pool.query('update room_nights set returned = 2 where hotel_id = $1', [hotelId])
    expect(await story.call('close_block_request', { requestId, release: 'hotel' })).toMatchObject({ released: 8 })
    expect(await counts(hotelId)).toEqual(Array(2).fill([10, 6, 0, 0, 0]))
    expect(await story.call('reactivate_block_request', { requestId })).toMatchObject({ restored: 8, missing: [] })
    expect(await counts(hotelId)).toEqual(Array(2).fill([10, 2, 4, 0, 0]))
    await sound()
  })

  it('restores the last day to accept the rooms, or sets a new one if that day has passed', async () => {
    const requests = [await offered(), await offered(), await offered({ notify: false })]
    const close = (one: number) => story.call('close_block_request', { requestId: requests[one]!.requestId, notify: false })
    const reactivate = async (one: number) => {
      const { requestId } = requests[one]!
      return (await story.call('reactivate_block_request', { requestId, notify: false })).request.acceptBy
    }
    for (const one of [0, 1, 2]) await close(one)
    await story.world.clock.stopAt('2026-04-20T21:59:00Z')
    expect([await reactivate(0), await reactivate(2)]).toEqual(['2026-04-20', undefined])
    await story.world.clock.stopAt('2026-04-20T22:00:00Z')
    expect(await reactivate(1)).toBe('2026-05-01')
    await runRecurringTask(story.world, declineExpiredRequests)
    const statuses = await Promise.all(requests.map(async ({ requestId }) => (await readRequest(requestId)).request.status))
    expect(statuses).toEqual(['declined', 'allocated', 'allocated'])
    await story.world.clock.stopAt('2026-04-10T10:00:00Z')
    await sound()
  })

  it('reports the rooms of a reactivated block request that are no longer available', async () => {
    const { requestId, hotelId } = await offered()
    await story.call('close_block_request', { requestId, release: 'hotel' })
    await story.world.database.pool.query('update room_nights set contracted = 3, base = 3, returned = 3 where hotel_id = $1', [hotelId])
    expect((await story.refused('reactivate_block_request', { requestId })).code).toBe('limit_exceeded')
    expect(await counts(hotelId)).toEqual(Array(2).fill([3, 3, 0, 0, 0]))
    const { restored, missing } = await story.call('reactivate_block_request', { requestId, partial: true })
    expect([restored, missing.map(({ rooms }: { rooms: number }) => rooms)]).toEqual([6, [1, 1]])
    expect(await counts(hotelId)).toEqual(Array(2).fill([3, 0, 3, 0, 0]))
  })

  it('refuses to reactivate a block request after the cut-off, with or without its rooms', async () => {
    const { requestId } = await offered()
    await story.call('close_block_request', { requestId })
    await story.world.clock.stopAt('2026-05-31T10:00:00Z')
    await story.world.renewTokens()
    for (const restore of [true, false])
      expect(await story.refused('reactivate_block_request', { requestId, restore })).toMatchObject({
        code: 'precondition_failed',
        message: expect.stringContaining('cut-off'),
      })
    await story.world.clock.stopAt('2026-04-10T10:00:00Z')
    await story.world.renewTokens()
    expect(await story.call('reactivate_block_request', { requestId, restore: false })).toMatchObject({ restored: 0 })
  })
})
