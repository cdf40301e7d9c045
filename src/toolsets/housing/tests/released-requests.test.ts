import { describe, expect, it } from 'vitest'
import { requestBlockAmendment } from '../../../domains/block-requests/answer.ts'
import { setUpRequestsScenario } from '../../../domains/block-requests/tests/requests-scenario.ts'
import { addDays } from '../../../kernel/time.ts'
import { buildRoomAnswers } from '../../../../test/support/hotels.ts'

const { story, at, newNights, createAllocatedRequest, counts, bookAsMember, mails, sound } = setUpRequestsScenario()

describe('release_block_request_allocation', () => {
  it('releases the allocated rooms of a block request that have no guest, and only once', async () => {
    const nights = newNights(3)
    const { hotelId, group, requestId } = await createAllocatedRequest(nights, 10)
    for (let guest = 0; guest < 4; guest++) await bookAsMember(group.code, hotelId, nights)
    for (let guest = 0; guest < 2; guest++) await bookAsMember(group.code, hotelId, nights.slice(1))
    const one = await story.call('release_block_request_allocation', { requestId, nights: [nights[0]], rooms: 1, dryRun: true })
    expect(one.roomNights).toBe(1)
    const { roomNights, released, waitingThatFit, request } = await story.call('release_block_request_allocation', { requestId })
    expect([roomNights, released.map(({ rooms }: any) => rooms), waitingThatFit]).toEqual([14, [6, 4, 4], 0])
    expect(request).toMatchObject({ granted: 16, pickup: 16, status: 'partiallyAllocated' })
    expect(await counts(hotelId)).toEqual([
      [10, 0, 4, 0, 0],
      [10, 0, 6, 0, 0],
      [10, 0, 6, 0, 0],
    ])
    expect((await story.refused('release_block_request_allocation', { requestId })).code).toBe('precondition_failed')
    await sound()
  })

  it('counts the people on the waiting list who could get the released rooms, without filling any entry', async () => {
    const nights = newNights(3)
    const { hotelId, requestId } = await createAllocatedRequest(nights, 3)
    const wait = async (checkIn: string, checkOut: string) =>
      story.register({ pass: 1 }, { data: buildRoomAnswers(hotelId, checkIn, checkOut, { '@housing.waitlist': true }) })
    await wait(nights[0]!, nights[2]!)
    await wait(nights[1]!, nights[2]!)
    await wait(nights[1]!, addDays(nights[2]!, 1))
    const { waitingThatFit } = await story.call('release_block_request_allocation', { requestId, nights: nights.slice(0, 2), rooms: 1 })
    expect(waitingThatFit).toBe(2)
    expect(await counts(hotelId)).toEqual([
      [3, 0, 2, 0, 0],
      [3, 0, 2, 0, 0],
      [3, 0, 3, 0, 0],
    ])
  })

  it('returns released rooms to the hotel, and sets a block request that has no rooms left back to submitted', async () => {
    const nights = newNights(2)
    const { hotelId, requestId } = await createAllocatedRequest(nights, 3)
    const { request } = await story.call('release_block_request_allocation', { requestId, hotelId, to: 'hotel', reason: 'not needed' })
    expect(request.status).toBe('submitted')
    expect(await counts(hotelId)).toEqual(Array(2).fill([3, 3, 0, 0, 0]))
  })
})

describe('deny_block_request_amendment', () => {
  it('denies an amendment with a reason that the requester reads by email, and changes no rooms', async () => {
    const nights = newNights(2)
    const { hotelId, requestId } = await createAllocatedRequest(nights, 2, 9)
    const before = await story.call('get_block_request', { requestId })
    const { id: amendmentId } = await at((ctx) => requestBlockAmendment(ctx, requestId, { changes: [{ night: nights[0]!, delta: 3 }] }))
    const { amendment, request } = await story.call('deny_block_request_amendment', { amendmentId, reason: 'All rooms are promised' })
    expect(amendment).toMatchObject({ id: amendmentId, status: 'denied', decision: 'All rooms are promised' })
    expect(request).toMatchObject({ status: 'allocated', granted: 4, roomNights: 4, amendmentPending: false })
    const after = await story.call('get_block_request', { requestId })
    expect([after.nights, after.allocations]).toEqual([before.nights, before.allocations])
    expect(await counts(hotelId)).toEqual(Array(2).fill([9, 0, 2, 0, 0]))
    const texts = (await mails('greta@example.org')).filter(({ code }) => code === 'block.amended').map(({ text_body }) => text_body)
    expect(texts.filter((text) => text.includes('All rooms are promised'))).toHaveLength(1)
    expect((await story.refused('deny_block_request_amendment', { amendmentId, reason: 'Again' })).code).toBe('conflict')
    await sound()
  })
})
