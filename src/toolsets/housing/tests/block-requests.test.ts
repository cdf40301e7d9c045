import { describe, expect, it } from 'vitest'
import { acceptAllocatedRooms, requestBlockAmendment } from '../../../domains/block-requests/answer.ts'
import { setUpRequestsScenario } from '../../../domains/block-requests/tests/requests-scenario.ts'

const {
  story,
  at,
  newNights,
  newHotel,
  newCompany,
  newGroup,
  submit,
  createAllocatedRequest,
  profileOf,
  counts,
  bookAsMember,
  bookAsStaff,
  sound,
} = setUpRequestsScenario()

const line = (hotelId: string, nights: readonly string[], rooms: number) => ({ hotelId, roomTypeCode: 'king', nights, rooms })

describe('list_block_requests', () => {
  it('lists block requests by priority points, then by time of submission', async () => {
    const [night] = newNights(1)
    const ids: Record<string, string> = {}
    for (const [name, points] of [
      ['first', 40],
      ['second', 90],
      ['third', 40],
    ] as const) {
      const companyId = await newCompany({ name: `Priority ${name}` })
      const { rows } = await story.world.database.pool.query<{ organization_id: string; tenant_id: number }>(
        'select organization_id, tenant_id from companies where id = $1',
        [companyId],
      )
      await story.world.database.pool.query(
        `insert into points_entries (tenant_id, id, organization_id, points, reason, by) values ($1, $2, $3, $4, 'test', 'test')`,
        [rows[0]!.tenant_id, companyId.split('').toReversed().join(''), rows[0]!.organization_id, points],
      )
      ids[name] = (await submit({ companyId }, { profile: [{ night: night!, rooms: 3 }] })).id
      await story.world.clock.stopAt(`2026-04-10T10:00:0${Object.keys(ids).length}Z`)
    }
    const { requests, totals } = await story.call('list_block_requests', { search: 'Priority' })
    expect(requests.map(({ id, priorityPoints }: any) => [id, priorityPoints])).toEqual([
      [ids['second'], 90],
      [ids['first'], 40],
      [ids['third'], 40],
    ])
    expect(totals).toEqual({ requests: 3, roomNights: 9, granted: 0, pickup: 0 })
    const submitted = await story.call('list_block_requests', { search: 'Priority', sort: 'submitted', limit: 1 })
    expect(submitted.requests[0].id).toBe(ids['first'])
    expect(submitted.totals.requests).toBe(3)
    const next = await story.call('list_block_requests', { search: 'Priority', sort: 'submitted', limit: 2, cursor: submitted.nextCursor })
    expect(next.requests.map(({ id }: any) => id)).toEqual([ids['second'], ids['third']])
    expect((await story.refused('list_block_requests', { flag: 'early' })).code).toBe('invalid_arguments')
  })

  it('filters block requests by status, hotel and pending amendment', async () => {
    const nights = newNights(2)
    const { hotelId, requestId } = await createAllocatedRequest(nights, 2)
    expect((await story.call('list_block_requests', { hotelId })).requests).toMatchObject([
      { id: requestId, granted: 4, status: 'allocated' },
    ])
    expect((await story.call('list_block_requests', { hotelId, status: ['submitted'] })).requests).toEqual([])
    expect((await story.call('list_block_requests', { hotelId, pendingAmendment: true })).requests).toEqual([])
    await at((ctx) => requestBlockAmendment(ctx, requestId, { changes: [{ night: nights[0]!, delta: -1 }] }))
    expect((await story.call('list_block_requests', { hotelId, pendingAmendment: true })).totals).toEqual({
      requests: 1,
      roomNights: 4,
      granted: 4,
      pickup: 0,
    })
  })
})

describe('get_block_request', () => {
  it('suggests rooms for a block request, and predicts the shortfall that remains after their allocation', async () => {
    const nights = newNights(4)
    const [a, b] = [await newHotel(nights, [10, 15, 15, 15]), await newHotel(nights, [30, 2, 30, 30])]
    const { id: requestId, number } = await submit(
      { groupId: (await newGroup()).id },
      { profile: profileOf(nights, [10, 20, 20, 10]), hotelPreferences: [a, b], keepTogether: false },
    )
    const { suggestion } = await story.call('get_block_request', { number })
    expect(suggestion.shortfall).toEqual([
      { night: nights[1], rooms: 3 },
      { night: nights[2], rooms: 3 },
    ])
    const { results, roomNights } = await story.call('allocate_block_request_rooms', { requestId, allocations: suggestion.allocations })
    expect(results[0]).toMatchObject({ status: 'partiallyAllocated', requested: 60, granted: 54, shortfall: suggestion.shortfall })
    expect(roomNights).toBe(54)
    const after = await story.call('get_block_request', { requestId })
    for (const { night, granted } of after.nights)
      expect(after.allocations.filter((one: any) => one.night === night).reduce((sum: number, { rooms }: any) => sum + rooms, 0)).toBe(
        granted,
      )
    expect(after.suggestion).toEqual({ allocations: [], shortfall: suggestion.shortfall })
    expect((await story.refused('get_block_request', { number: 'BR-999999' })).code).toBe('not_found')
    expect((await story.refused('get_block_request', {})).code).toBe('invalid_arguments')
    await sound()
  })
})

describe('allocate_block_request_rooms', () => {
  it("allocates the specification's example at one hotel with keepTogether, otherwise split over two hotels", async () => {
    const nights = newNights(4)
    const [a, b] = [await newHotel(nights, [10, 15, 15, 15]), await newHotel(nights, [30, 30, 30, 30])]
    const wishes = { profile: profileOf(nights, [10, 20, 20, 10]), hotelPreferences: [a, b] }
    const together = await submit({ groupId: (await newGroup()).id }, wishes)
    const dry = await story.call('allocate_block_request_rooms', { auto: true, requestIds: [together.id], dryRun: true })
    expect(dry.results[0]).toMatchObject({ status: 'allocated', granted: 60, hotels: [{ hotelId: b, roomNights: 60 }] })
    expect(await counts(b)).toEqual(Array(4).fill([30, 0, 0, 0, 0]))
    const split = await submit({ companyId: await newCompany() }, { ...wishes, keepTogether: false })
    const { results } = await story.call('allocate_block_request_rooms', { auto: true, requestIds: [split.id] })
    expect(results[0].hotels.map(({ hotelId, roomNights }: any) => [hotelId, roomNights])).toEqual(
      expect.arrayContaining([
        [a, 50],
        [b, 10],
      ]),
    )
    expect((await counts(a)).map(([, , allocatedRooms]) => allocatedRooms)).toEqual([10, 15, 15, 10])
    expect((await counts(b)).map(([, , allocatedRooms]) => allocatedRooms)).toEqual([0, 5, 5, 0])
    await sound()
  })

  it('gives scarce rooms to the block request with more priority points, one request after the other', async () => {
    const nights = newNights(2)
    const hotelId = await newHotel(nights, [5, 5])
    const [first, second] = [await submit({ companyId: await newCompany() }, { profile: profileOf(nights, [4]) }), await newGroup()]
    const other = await submit({ groupId: second.id }, { profile: profileOf(nights, [4]) })
    const { results } = await story.call('allocate_block_request_rooms', {
      auto: true,
      requestIds: [other.id, first.id],
      hotelIds: [hotelId],
      notify: true,
    })
    expect(results.map(({ requestId, granted }: any) => [requestId, granted])).toEqual([
      [first.id, 8],
      [other.id, 2],
    ])
    expect((await story.call('get_block_request', { requestId: first.id })).request.acceptBy).toBe('2026-04-20')
  })

  it('allocates all requested rooms or none, and never more than requested', async () => {
    const nights = newNights(2)
    const hotelId = await newHotel(nights, [9, 3])
    const { id: requestId } = await submit({ groupId: (await newGroup()).id }, { profile: profileOf(nights, [5]) })
    expect(await story.refused('allocate_block_request_rooms', { requestId, allocations: [line(hotelId, nights, 5)] })).toMatchObject({
      code: 'limit_exceeded',
      message: `Only 3 of 5 rooms free at Grand, king, ${nights[1]}`,
      fields: [{ message: `Only 3 of 5 rooms free at Grand, king, ${nights[1]}` }],
    })
    expect(await counts(hotelId)).toEqual([
      [9, 0, 0, 0, 0],
      [3, 0, 0, 0, 0],
    ])
    const above = await story.refused('allocate_block_request_rooms', { requestId, allocations: [line(hotelId, [nights[0]!], 6)] })
    expect(above).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining(`6 rooms on ${nights[0]}, requested 5`) })
    await story.call('allocate_block_request_rooms', { requestId, allocations: [line(hotelId, nights, 3)] })
    const again = await story.call('allocate_block_request_rooms', { requestId, allocations: [line(hotelId, [nights[0]!], 2)] })
    expect(again.results[0]).toMatchObject({ granted: 8, status: 'partiallyAllocated', shortfall: [{ night: nights[1], rooms: 2 }] })
    expect((await story.refused('allocate_block_request_rooms', { requestId })).code).toBe('invalid_arguments')
    expect(
      (await story.refused('allocate_block_request_rooms', { requestId: 'f'.repeat(24), allocations: [line(hotelId, nights, 1)] })).code,
    ).toBe('not_found')
  })

  it('allocates the last rooms to only one of two concurrent calls', async () => {
    const nights = newNights(2)
    const hotelId = await newHotel(nights, [10, 10])
    const requests = [
      await submit({ groupId: (await newGroup()).id }, { profile: profileOf(nights, [8]) }),
      await submit({ groupId: (await newGroup()).id }, { profile: profileOf(nights, [8]) }),
    ]
    const answers = await Promise.allSettled(
      requests.map(({ id }) => story.call('allocate_block_request_rooms', { requestId: id, allocations: [line(hotelId, nights, 8)] })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const [refused] = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    expect(String(refused!.reason)).toContain('Only 2 of 8 rooms free')
    expect((await counts(hotelId)).map(([, , many]) => many)).toEqual([8, 8])
    await sound()
  })

  it('creates the room block of a group once, and reuses it for a later request after the first was closed', async () => {
    const nights = newNights(1)
    const { hotelId, group, requestId } = await createAllocatedRequest(nights, 2)
    const block = (await story.call('get_block_request', { requestId })).block
    expect(block).toMatchObject({ sellStatus: 'open', name: expect.stringContaining('Group') })
    await story.call('close_block_request', { requestId })
    const { id: second } = await submit({ groupId: group.id }, { profile: profileOf(nights, [1]) })
    const { results } = await story.call('allocate_block_request_rooms', { requestId: second, allocations: [line(hotelId, nights, 1)] })
    expect(results[0].blockId).toBe(block.id)
    expect((await story.refused('reactivate_block_request', { requestId })).code).toBe('conflict')
  })
})

describe('update_block_request_allocation', () => {
  it('moves allocated rooms of a block request to another hotel, but never fewer than are booked', async () => {
    const nights = newNights(1)
    const { hotelId: a, group, requestId } = await createAllocatedRequest(nights, 10, 12)
    const b = await newHotel(nights, [8])
    for (let guest = 0; guest < 4; guest++) await bookAsMember(group.code, a, nights)
    const { changed, request } = await story.call('update_block_request_allocation', {
      requestId,
      set: [line(a, nights, 4), line(b, nights, 6)],
    })
    expect(changed.map(({ hotelId, before, after }: any) => [hotelId, before, after])).toEqual(
      expect.arrayContaining([
        [a, 10, 4],
        [b, 0, 6],
      ]),
    )
    expect(request).toMatchObject({ status: 'allocated', granted: 10, pickup: 4 })
    expect([await counts(a), await counts(b)]).toEqual([[[12, 0, 4, 0, 0]], [[8, 0, 6, 0, 0]]])
    expect(await story.refused('update_block_request_allocation', { requestId, set: [line(a, nights, 3)] })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('4 booked, cannot set 3 — move_hotel_reservations first'),
    })
    expect(await story.refused('update_block_request_allocation', { requestId, set: [line(b, nights, 9)] })).toMatchObject({
      code: 'limit_exceeded',
      message: `Only 2 of 3 rooms free at Grand, king, ${nights[0]}`,
    })
    const stale = { requestId, set: [line(b, nights, 5)], ifRevision: request.revision - 1 }
    expect((await story.refused('update_block_request_allocation', stale)).code).toBe('conflict')
    await sound()
  })

  it('asks the requester to accept again if accepted rooms are lost, but not if they only move to another hotel', async () => {
    const nights = newNights(1)
    const { hotelId: a, requestId } = await createAllocatedRequest(nights, 5)
    const b = await newHotel(nights, [5])
    await at((ctx) => acceptAllocatedRooms(ctx, requestId))
    const moved = await story.call('update_block_request_allocation', { requestId, set: [line(a, nights, 2), line(b, nights, 3)] })
    expect(moved.request.status).toBe('accepted')
    const less = await story.call('update_block_request_allocation', { requestId, set: [line(b, nights, 2)] })
    expect(less.request).toMatchObject({ status: 'partiallyAllocated', granted: 4, acceptBy: '2026-04-20' })
  })
})

describe('amendments of a block request', () => {
  it('refuses an amendment for which rooms are missing, and with the argument partial grants the rooms of each night', async () => {
    const nights = newNights(2)
    const hotelId = await newHotel(nights, [9, 7])
    const group = await newGroup()
    const { id: requestId } = await submit({ groupId: group.id }, { profile: profileOf(nights, [4]) })
    await story.call('allocate_block_request_rooms', { requestId, allocations: [line(hotelId, nights, 4)] })
    const { id: amendmentId } = await at((ctx) =>
      requestBlockAmendment(ctx, requestId, { changes: nights.map((night) => ({ night, delta: 5 })), reason: 'More people' }),
    )
    expect(await story.refused('approve_block_request_amendment', { amendmentId })).toMatchObject({
      code: 'limit_exceeded',
      message: `Only 3 of 5 rooms free at Grand, king, ${nights[1]}`,
    })
    const { applied, notApplied, request, amendment } = await story.call('approve_block_request_amendment', { amendmentId, partial: true })
    expect(applied.map(({ night, delta }: any) => [night, delta])).toEqual([
      [nights[0], 5],
      [nights[1], 3],
    ])
    expect(notApplied).toEqual([{ night: nights[1], delta: 2 }])
    expect(request).toMatchObject({ status: 'partiallyAllocated', granted: 16, roomNights: 18 })
    expect(amendment.status).toBe('approved')
    expect((await story.refused('approve_block_request_amendment', { amendmentId })).code).toBe('conflict')
    expect((await story.refused('deny_block_request_amendment', { amendmentId, reason: 'late' })).code).toBe('conflict')
    await sound()
  })

  it('never removes booked rooms by an amendment', async () => {
    const nights = newNights(1)
    const { hotelId, group, requestId } = await createAllocatedRequest(nights, 4)
    for (let guest = 0; guest < 3; guest++) await bookAsMember(group.code, hotelId, nights)
    const { id: amendmentId } = await at((ctx) => requestBlockAmendment(ctx, requestId, { changes: [{ night: nights[0]!, delta: -2 }] }))
    expect(await story.refused('approve_block_request_amendment', { amendmentId })).toMatchObject({
      code: 'precondition_failed',
      message: `${nights[0]}: 3 booked, cannot set 2 — move_hotel_reservations first`,
    })
    const { applied, notApplied } = await story.call('approve_block_request_amendment', { amendmentId, partial: true, notify: false })
    expect([applied[0].delta, notApplied]).toEqual([-1, [{ night: nights[0], delta: -1 }]])
  })

  it('allocates the rooms of an amendment at the hotels that the organizer names', async () => {
    const nights = newNights(1)
    const { requestId } = await createAllocatedRequest(nights, 2, 9)
    const other = await newHotel(nights, [5])
    const { id: amendmentId } = await at((ctx) => requestBlockAmendment(ctx, requestId, { changes: [{ night: nights[0]!, delta: 3 }] }))
    const approve = (rooms: number, more: object = {}) => ({ amendmentId, allocations: [line(other, nights, rooms)], ...more })
    expect((await story.refused('approve_block_request_amendment', approve(4))).code).toBe('precondition_failed')
    expect((await story.refused('approve_block_request_amendment', approve(2))).code).toBe('precondition_failed')
    const { applied } = await story.call('approve_block_request_amendment', approve(3))
    expect(applied).toEqual([{ hotelId: other, roomTypeCode: 'king', night: nights[0], delta: 3 }])
  })

  it('decides an amendment once for two concurrent decisions', async () => {
    const nights = newNights(1)
    const { requestId, hotelId } = await createAllocatedRequest(nights, 2, 9)
    const { id: amendmentId } = await at((ctx) => requestBlockAmendment(ctx, requestId, { changes: [{ night: nights[0]!, delta: 1 }] }))
    const answers = await Promise.allSettled([
      story.call('approve_block_request_amendment', { amendmentId }),
      story.call('deny_block_request_amendment', { amendmentId, reason: 'No rooms' }),
    ])
    const [refused] = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(String(refused!.reason)).toContain('This amendment is already')
    const approved = answers[0]!.status === 'fulfilled'
    expect((await counts(hotelId))[0]![2]).toBe(approved ? 3 : 2)
  })
})

describe('close_block_request and reactivate_block_request', () => {
  async function closed() {
    const nights = newNights(3)
    const { hotelId, group, requestId } = await createAllocatedRequest(nights, 10)
    for (let guest = 0; guest < 4; guest++) await bookAsMember(group.code, hotelId, nights)
    await at((ctx) => acceptAllocatedRooms(ctx, requestId))
    await at((ctx) => requestBlockAmendment(ctx, requestId, { changes: [{ night: nights[0]!, delta: 1 }] }))
    const result = await story.call('close_block_request', { requestId, reason: 'Cancelled' })
    return { nights, hotelId, group, requestId, result }
  }

  it('releases the unbooked rooms of a closed block request, and allocates the same rooms when it is reactivated', async () => {
    const { hotelId, requestId, result } = await closed()
    expect(result).toMatchObject({ released: 18, keptReservations: 4, request: { status: 'closed', granted: 12, amendmentPending: false } })
    expect(await counts(hotelId)).toEqual(Array(3).fill([10, 0, 4, 0, 0]))
    const { block, amendments } = await story.call('get_block_request', { requestId })
    expect([block.sellStatus, amendments[0].status]).toEqual(['changesSameType', 'withdrawn'])
    expect((await story.refused('close_block_request', { requestId })).code).toBe('conflict')
    const back = await story.call('reactivate_block_request', { requestId })
    expect(back).toMatchObject({ restored: 18, missing: [], request: { status: 'accepted', granted: 30 } })
    expect(await counts(hotelId)).toEqual(Array(3).fill([10, 0, 10, 0, 0]))
    expect((await story.call('get_block_request', { requestId })).block.sellStatus).toBe('open')
    expect((await story.refused('reactivate_block_request', { requestId })).code).toBe('precondition_failed')
    await sound()
  })

  it('reports rooms that other guests booked before the block request was reactivated', async () => {
    const { nights, hotelId, requestId } = await closed()
    const other = await newGroup()
    for (const [index, rooms] of [2, 2, 1].entries())
      for (let guest = 0; guest < rooms; guest++) await bookAsMember(other.code, hotelId, [nights[index]!])
    expect((await story.refused('reactivate_block_request', { requestId })).code).toBe('limit_exceeded')
    const { restored, missing, request } = await story.call('reactivate_block_request', { requestId, partial: true })
    expect([restored, missing.map(({ rooms }: any) => rooms)]).toEqual([13, [2, 2, 1]])
    expect(request.status).toBe('partiallyAllocated')
    await sound()
  })

  it('keeps the rooms of a closed block request in its room block if release is keep', async () => {
    const nights = newNights(2)
    const { hotelId, requestId } = await createAllocatedRequest(nights, 3)
    expect(await story.call('close_block_request', { requestId, release: 'keep' })).toMatchObject({ released: 0 })
    expect(await counts(hotelId)).toEqual(Array(2).fill([3, 0, 3, 0, 0]))
    expect(await story.call('reactivate_block_request', { requestId })).toMatchObject({ restored: 0, request: { status: 'allocated' } })
  })
})

describe('a company’s block', () => {
  it("takes rooms for people of a company from the company's block first", async () => {
    const nights = newNights(2)
    const hotelId = await newHotel(nights, [3, 3])
    const companyId = await newCompany()
    const { id: requestId } = await submit({ companyId }, { profile: profileOf(nights, [1]) })
    await story.call('allocate_block_request_rooms', { requestId, allocations: [line(hotelId, nights, 1)] })
    await bookAsStaff(companyId, hotelId, nights)
    expect(await counts(hotelId)).toEqual(Array(2).fill([3, 0, 1, 0, 0]))
    expect((await story.call('get_block_request', { requestId })).request.pickup).toBe(2)
    await bookAsStaff(companyId, hotelId, nights)
    expect(await counts(hotelId)).toEqual(Array(2).fill([3, 0, 1, 1, 0]))
  })
})
