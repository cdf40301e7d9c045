import { describe, expect, it } from 'vitest'
import { runTask } from '../../../../test/support/room-deadlines.ts'
import { acceptRooms, askForAmendment, lapseBlockRequests } from '../answer.ts'
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

describe('lapseBlockRequests', () => {
  it('declines unaccepted requests after the last day in the event’s time zone, and releases their rooms once', async () => {
    const [due, accepted, silent] = [await offered(), await offered(), await offered({ notify: false })]
    await at((ctx) => acceptRooms(ctx, accepted.requestId))
    await at((ctx) => askForAmendment(ctx, due.requestId, { changes: [{ night: due.nights[0]!, delta: 1 }] }))
    expect((await readRequest(due.requestId)).request.acceptBy).toBe('2026-04-20')

    // 20 April, 23:59 in Paris, one minute before the deadline passes.
    await story.world.clock.stopAt('2026-04-20T21:59:00Z')
    await runTask(story.world, lapseBlockRequests)
    expect((await readRequest(due.requestId)).request.status).toBe('allocated')

    await story.world.clock.stopAt('2026-04-20T22:00:00Z')
    await expect(at((ctx) => acceptRooms(ctx, due.requestId))).rejects.toMatchObject({ code: 'precondition_failed' })
    await runTask(story.world, lapseBlockRequests)
    const after = await readRequest(due.requestId)
    expect([after.request.status, after.request.granted]).toEqual(['declined', 0])
    expect(after.amendments.map(({ status }: { status: string }) => status)).toEqual(['withdrawn'])
    expect((await counts(due.hotelId)).map(([, , allocated]) => allocated)).toEqual([0, 0])
    // Accepted requests keep their rooms, and a requester who got no email has no deadline.
    expect((await readRequest(accepted.requestId)).request).toMatchObject({ status: 'accepted', granted: 8 })
    expect((await readRequest(silent.requestId)).request).toMatchObject({ status: 'allocated', granted: 8 })

    await runTask(story.world, lapseBlockRequests)
    const lapses = `select count(*)::int as figure from audit_entries where tool = 'lapse-block-requests'`
    expect(await story.queryNumber(lapses)).toBe(1)
    await expect(at((ctx) => acceptRooms(ctx, due.requestId))).rejects.toMatchObject({ code: 'precondition_failed' })
    await story.world.clock.stopAt('2026-04-10T10:00:00Z')
    await sound()
  })
})
