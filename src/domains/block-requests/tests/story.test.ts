import { describe, expect, it } from 'vitest'
import { addDays } from '../../../kernel/time.ts'
import { acceptAllocatedRooms, requestBlockAmendment } from '../answer.ts'
import { assignBlockRoomToGuest } from '../guests.ts'
import { setUpRequestsScenario } from './requests-scenario.ts'

const { story, at, newNights, newHotel, newGroup, submit, profileOf, counts, mails, sound } = setUpRequestsScenario()

describe('a room block request from submission to closing', () => {
  it("returns the specification's numbers of rooms in a block at each step from allocation to cut-off", async () => {
    const nights = newNights(4)
    const [a, b] = [await newHotel(nights, [10, 15, 15, 15]), await newHotel(nights, [30, 30, 30, 30])]
    const group = await newGroup()
    const email = `${group.code}@example.org`
    const { id: requestId } = await submit(
      { groupId: group.id },
      { profile: profileOf(nights, [10, 20, 20, 10]), hotelPreferences: [a, b], keepTogether: false },
      email,
    )
    const { results } = await story.call('allocate_block_request_rooms', { auto: true, requestIds: [requestId], notify: true })
    expect(results[0].hotels.map(({ hotelId, roomNights }: any) => [hotelId, roomNights])).toEqual(
      expect.arrayContaining([
        [a, 50],
        [b, 10],
      ]),
    )
    await at((ctx) => acceptAllocatedRooms(ctx, requestId))
    for (let guest = 0; guest < 6; guest++)
      await at((ctx) =>
        assignBlockRoomToGuest(
          ctx,
          requestId,
          {
            firstName: 'Gesa',
            lastName: `Guest ${guest}`,
            email: `gesa.${guest}@example.org`,
            hotelId: a,
            roomTypeCode: 'king',
            checkIn: nights[0]!,
            checkOut: addDays(nights[3]!, 1),
            occupants: 1,
          },
          email,
        ),
      )
    expect((await story.call('get_block_request', { requestId })).request).toMatchObject({ status: 'accepted', granted: 60, pickup: 24 })
    const { id: amendmentId } = await at((ctx) => requestBlockAmendment(ctx, requestId, { changes: [{ night: nights[1]!, delta: 5 }] }))
    const { applied } = await story.call('approve_block_request_amendment', { amendmentId })
    expect(applied).toEqual([{ hotelId: b, roomTypeCode: 'king', night: nights[1], delta: 5 }])
    expect(await story.call('close_block_request', { requestId, notify: true })).toMatchObject({ released: 41, keptReservations: 6 })
    expect(await story.call('reactivate_block_request', { requestId })).toMatchObject({
      restored: 41,
      missing: [],
      request: { status: 'accepted', granted: 65, pickup: 24 },
    })
    expect((await counts(a)).map(([, , rooms]) => rooms)).toEqual([10, 15, 15, 10])
    expect((await counts(b)).map(([, , rooms]) => rooms)).toEqual([0, 10, 5, 0])
    expect((await mails(email)).map(({ code }) => code)).toEqual(
      expect.arrayContaining(['block.received', 'block.allocated', 'block.amended', 'block.released']),
    )
    await sound()
  })
})
