import { describe, expect, it } from 'vitest'
import { createExhibitorFixtures, buildRectangle } from '../../../../test/support/companies.ts'
import { createHotelAt, buildRoomAnswers, buildRoomSections } from '../../../../test/support/hotels.ts'
import { newAttendee } from '../../../../test/support/sales-scenario.ts'
import { addDays } from '../../../kernel/time.ts'
import { acceptAllocatedRooms, requestBlockAmendment } from '../answer.ts'
import { isPeakRoomGrowthAboveLimit } from '../flags.ts'
import { setUpRequestsScenario } from './requests-scenario.ts'

const { story, at, newNights, newHotel, newCompany, newGroup, submit, profileOf, bookAsMember, sound } = setUpRequestsScenario({
  roomsPer10Sqm: 5,
  maxRoomsPerHotel: 8,
  maxPercentPerHotel: 50,
  growthPercent: 50,
})

const line = (hotelId: string, nights: readonly string[], rooms: number) => ({ hotelId, roomTypeCode: 'king', nights, rooms })
const OVERRIDE = { overridePolicy: true, overrideReason: 'Agreed with the sales team' }
const readFlags = async (requestId: string) => (await story.call('get_block_request', { requestId })).request.flags

/** Creates a company with a booth of 24 m², for which 12 rooms are usual. */
async function createBoothCompany(): Promise<string> {
  const exhibitors = createExhibitorFixtures(story.world, story.event)
  const companyId = await newCompany()
  const number = `B${companyId.slice(-4)}`
  await exhibitors.plan({ name: `Hall ${number}`, code: `hall-${number.toLowerCase()}` }, [{ number, polygon: buildRectangle(2, 2, 6, 4) }])
  await exhibitors.assign(number, companyId)
  return companyId
}

describe('policy of room requests', () => {
  it('flags a room block request above the usual rooms for its booth, but not one at exactly that number', async () => {
    const [night] = newNights(1)
    const [small, large] = [await createBoothCompany(), await createBoothCompany()]
    expect(await readFlags((await submit({ companyId: small }, { profile: [{ night: night!, rooms: 12 }] })).id)).toEqual([])
    const { id } = await submit({ companyId: large }, { profile: [{ night: night!, rooms: 13 }] })
    expect(await readFlags(id)).toEqual(['overBoothRatio'])
    const { requests } = await story.call('list_block_requests', { flag: 'overBoothRatio' })
    expect(requests.map((one: { id: string }) => one.id)).toEqual([id])
    // The booth rule does not apply to groups, because they have no booth.
    const { id: ofGroup } = await submit({ groupId: (await newGroup()).id }, { profile: [{ night: night!, rooms: 13 }] })
    expect(await readFlags(ofGroup)).toEqual([])
  })

  it('rejects rooms above the limit per hotel, and grants them with an override reason, which the audit log records', async () => {
    const nights = newNights(2)
    const [large, small] = [await newHotel(nights, [40, 40]), await newHotel(nights, [10, 10])]
    const { id: requestId, number } = await submit({ groupId: (await newGroup()).id }, { profile: profileOf(nights, [20]) })
    const allocate = (hotelId: string, rooms: number, more: object = {}) => ({
      requestId,
      allocations: [line(hotelId, nights, rooms)],
      ...more,
    })
    // The policy allows half of the 10 contracted rooms, and at most 8 rooms.
    const tooMany = await story.refused('allocate_block_request_rooms', allocate(small, 6))
    expect([tooMany.code, tooMany.text.includes('overHotelCap')]).toEqual(['precondition_failed', true])
    expect((await story.refused('allocate_block_request_rooms', allocate(large, 9))).code).toBe('precondition_failed')
    expect((await story.call('allocate_block_request_rooms', allocate(small, 5))).roomNights).toBe(10)
    expect((await story.call('allocate_block_request_rooms', allocate(large, 8))).roomNights).toBe(16)
    // Rooms that the request already has count towards the limit.
    expect((await story.refused('allocate_block_request_rooms', allocate(large, 1))).code).toBe('precondition_failed')
    expect((await story.call('allocate_block_request_rooms', allocate(large, 1, OVERRIDE))).roomNights).toBe(2)
    expect(await readFlags(requestId)).toEqual(['overHotelCap'])
    const { entries } = await story.call('audit_event', { tool: 'allocate_block_request_rooms' })
    expect(JSON.stringify(entries[0])).toContain(OVERRIDE.overrideReason)
    expect(JSON.stringify(entries[1])).not.toContain(OVERRIDE.overrideReason)
    expect(number).toMatch(/^BR-/)
    await sound()
  })

  it('requires a reason for an override of the room block policy, and refuses a reason without an override', async () => {
    const nights = newNights(1)
    const hotelId = await newHotel(nights, [20])
    const { id: requestId } = await submit({ groupId: (await newGroup()).id }, { profile: profileOf(nights, [9]) })
    const allocations = [line(hotelId, nights, 9)]
    for (const [part, path] of [
      [{ overridePolicy: true }, 'overrideReason'],
      [{ overrideReason: 'No override' }, 'overridePolicy'],
    ] as const) {
      const refusal = await story.refused('allocate_block_request_rooms', { requestId, allocations, ...part })
      expect([refusal.code, refusal.fields[0].path]).toEqual(['invalid_arguments', path])
    }
    expect((await story.call('allocate_block_request_rooms', { requestId, allocations, ...OVERRIDE })).roomNights).toBe(9)
  })

  it('keeps the automatic allocation of block rooms within the limits per hotel, unless an override is given', async () => {
    const nights = newNights(1)
    await newHotel(nights, [40])
    const submitTen = async () => (await submit({ groupId: (await newGroup()).id }, { profile: profileOf(nights, [10]) })).id
    const [within, beyond] = [await submitTen(), await submitTen()]
    const first = await story.call('allocate_block_request_rooms', { auto: true, requestIds: [within] })
    expect(first.results[0]).toMatchObject({ status: 'partiallyAllocated', granted: 8 })
    const second = await story.call('allocate_block_request_rooms', { auto: true, requestIds: [beyond], ...OVERRIDE })
    expect(second.results[0]).toMatchObject({ status: 'allocated', granted: 10 })
  })

  it('flags a room block request that was submitted after the deadline', async () => {
    const [night] = newNights(1)
    const { id } = await submit({ groupId: (await newGroup()).id }, { profile: [{ night: night!, rooms: 1 }] })
    const setDeadline = async (day: string | null) => {
      await story.call('config_set', { operations: [{ op: 'set', path: '/housing/requests/deadlineOn', valueJson: JSON.stringify(day) }] })
      await story.call('publish_event', { acceptWarnings: true })
    }
    await setDeadline('2026-04-10')
    expect(await readFlags(id)).toEqual([])
    await setDeadline('2026-04-09')
    expect(await readFlags(id)).toEqual(['late'])
    const late = submit({ groupId: (await newGroup()).id }, { profile: [{ night: night!, rooms: 1 }] })
    await expect(late).rejects.toMatchObject({ code: 'precondition_failed' })
    await setDeadline(null)
  })
})

describe('policy limits of approve_block_request_amendment', () => {
  it('counts all room types of a hotel together against the limit per hotel', async () => {
    const nights = newNights(1)
    const span = { from: nights[0]!, until: addDays(nights[0]!, 1), rooms: 40, single: 18900 }
    const hotelId = await newHotel(nights, [40], {
      roomTypes: ['king', 'twin'].map((code) => ({ code, name: code, beds: [], maxOccupancy: 2, nights: [span] })),
    })
    const { id: requestId } = await submit(
      { groupId: (await newGroup()).id },
      { profile: profileOf(nights, [6]), hotelPreferences: [hotelId] },
    )
    await story.call('allocate_block_request_rooms', { requestId, allocations: [line(hotelId, nights, 6)] })
    const { id: amendmentId } = await at((ctx) => requestBlockAmendment(ctx, requestId, { changes: [{ night: nights[0]!, delta: 5 }] }))
    expect(await story.refused('approve_block_request_amendment', { amendmentId })).toMatchObject({ code: 'limit_exceeded' })
    const { applied, notApplied } = await story.call('approve_block_request_amendment', { amendmentId, partial: true })
    expect([applied, notApplied]).toEqual([
      [{ hotelId, roomTypeCode: 'king', night: nights[0], delta: 2 }],
      [{ night: nights[0], delta: 3 }],
    ])
    await sound()
  })
})

describe('isPeakRoomGrowthAboveLimit', () => {
  it.each([
    [25, 16, 29],
    [20, 15, 23],
    [3, 50, 4],
    [7, 0, 7],
  ])('allows a block of %i rooms to grow by %i percent, to exactly %i rooms', (before, growthPercent, most) => {
    expect([isPeakRoomGrowthAboveLimit(most, before, growthPercent), isPeakRoomGrowthAboveLimit(most + 1, before, growthPercent)]).toEqual([
      false,
      true,
    ])
  })
})

describe('allocations after an amendment that could not give up all rooms', () => {
  it('grants an amendment rooms on other nights, although one night has more rooms than the amended request', async () => {
    const nights = newNights(2)
    const hotelId = await newHotel(nights, [16, 16])
    const group = await newGroup()
    const { id: requestId } = await submit({ groupId: group.id }, { profile: profileOf(nights, [4, 4]) })
    await story.call('allocate_block_request_rooms', { requestId, allocations: [line(hotelId, nights, 3)] })
    await at((ctx) => acceptAllocatedRooms(ctx, requestId))
    await bookAsMember(group.code, hotelId, nights)
    const { id: amendmentId } = await at((ctx) => requestBlockAmendment(ctx, requestId, { changes: [{ night: nights[0]!, delta: -4 }] }))
    const { applied, notApplied } = await story.call('approve_block_request_amendment', { amendmentId, partial: true })
    expect([applied, notApplied]).toEqual([
      [{ hotelId, roomTypeCode: 'king', night: nights[0], delta: -2 }],
      [{ night: nights[0], delta: -2 }],
    ])
    const add = (night: string, rooms: number) => ({ requestId, allocations: [line(hotelId, [night], rooms)] })
    expect(await story.refused('allocate_block_request_rooms', add(nights[0]!, 1))).toMatchObject({ code: 'precondition_failed' })
    expect(await story.refused('allocate_block_request_rooms', add(nights[1]!, 2))).toMatchObject({ code: 'precondition_failed' })
    const { results } = await story.call('allocate_block_request_rooms', add(nights[1]!, 1))
    expect(results[0]).toMatchObject({ requested: 4, granted: 5, shortfall: [] })
    await sound()
  })
})

describe('policy flag for growth since the last event', () => {
  it('flags a room block request above the last peak of the company plus the allowed growth', async () => {
    const { world, olga, event } = story
    const before = await world.event({ at: event, code: 'last-year', startsOn: '2025-09-01', status: 'draft' })
    await olga.call('configure_event', { eventCode: before.eventCode, sections: buildRoomSections({ minNights: 1, maxNights: 10 }) })
    await olga.call('publish_event', { eventCode: before.eventCode, acceptWarnings: true })
    await olga.call('update_event', { eventCode: before.eventCode, testMode: false })
    const roomTypes = [
      { code: 'king', name: 'King', maxOccupancy: 2, nights: [{ from: '2026-09-01', until: '2026-09-03', rooms: 10, single: 18900 }] },
    ]
    const hotelId = await createHotelAt(world, before, { roomTypes })
    const [now, then] = [await newCompany(), (await createExhibitorFixtures(world, before).company()).id]
    const query = world.database.pool.query.bind(world.database.pool)
    await query('update companies set organization_id = (select organization_id from companies where id = $1) where id = $2', [now, then])
    for (const nights of [2, 1, 1]) {
      const { participant } = await olga.call('add_participant', {
        eventCode: before.eventCode,
        flowSlug: 'attendee',
        data: { ...newAttendee(), ...buildRoomAnswers(hotelId, '2026-09-01', nights === 2 ? '2026-09-03' : '2026-09-02') },
        skipRequired: true,
      })
      await query('update participants set company_id = $1 where id = $2', [then, participant.id])
    }
    const [night] = newNights(1)
    // The peak was 3 rooms, so 4 rooms are within the growth of 50 % and 5 rooms are not. The booth rule is disabled here.
    const flagsFor = async (rooms: number) => {
      const { id } = await submit({ companyId: now }, { profile: [{ night: night!, rooms }] })
      const flags = await readFlags(id)
      await story.call('close_block_request', { requestId: id })
      return flags.filter((flag: string) => flag !== 'overBoothRatio')
    }
    expect(await flagsFor(4)).toEqual([])
    expect(await flagsFor(5)).toEqual(['growth'])
  })
})
