import { describe, expect, it } from 'vitest'
import { listStayNights } from '../../../domains/housing/stay.ts'
import { roomsStory } from '../../../domains/housing/tests/rooms-scenario.ts'
import { createBlockAt, buildRoomAnswers } from '../../../../test/support/hotels.ts'

const { story, newHotel, king, nights, register, sound, stay } = roomsStory()
const NIGHTS = listStayNights('2026-09-01', '2026-09-04')
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const amend = (hotelId: string, more: object) => story.call('amend_contract', { hotelId, reason: 'Agreed by email', ...more })
const refused = (hotelId: string, more: object) => story.refused('amend_contract', { hotelId, reason: 'Agreed by email', ...more })
const kingNights = (more: object) => [{ roomTypeCode: 'king', from: '2026-09-01', until: '2026-09-04', ...more }]

const rows = async (text: string, values: unknown[]) => (await story.world.database.pool.query<Record<string, unknown>>(text, values)).rows
const total = async (participantId: string) =>
  (await rows('select stay_total::int as total from reservations where participant_id = $1', [participantId]))[0]!.total

const newBlock = (hotelId: string, rooms: number, tag: string, more: object = {}) =>
  createBlockAt(story.world, story.event, {
    code: `block-${tag}`,
    name: `Block of ${tag}`,
    owner: { kind: 'tag', ref: tag },
    rooms: [{ hotelId, roomTypeCode: 'king', nights: NIGHTS, rooms }],
    ...more,
  })

describe('amend_contract', () => {
  it('refuses to reduce a hotel contract below the rooms in use, and accepts exactly that number', async () => {
    const hotelId = await newHotel({ roomTypes: king(50) })
    await newBlock(hotelId, 44, 'in-use')
    for (let guest = 0; guest < 2; guest++) await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'))
    const error = await refused(hotelId, { nights: kingNights({ contracted: 45 }) })
    expect(error).toMatchObject({ code: 'precondition_failed' })
    expect(error.message).toBe(NIGHTS.map((night) => `king ${night}: 46 in use, cannot set 45`).join('; '))
    expect(error.fields).toHaveLength(3)
    expect(await nights(hotelId)).toEqual(Array(3).fill([50, 0, 44, 2, 0]))
    const done = await amend(hotelId, { nights: kingNights({ contracted: 46 }) })
    expect(done.nights.map((night: { after: object; original: number }) => [night.original, night.after])).toEqual(
      Array(3).fill([50, { contracted: 46, base: 46, returned: 0, freeSell: 0, rate: euros('189.00') }]),
    )
    expect(done).toMatchObject({ contract: { addenda: 1, contracted: 138 }, addendum: { number: 1, kind: 'addendum' }, notifies: 0 })
    await sound()
  })

  it('changes no hotel contract in a dry run, and changes it once for a repeated idempotency key', async () => {
    const hotelId = await newHotel({ roomTypes: king(10) })
    const more = { nights: kingNights({ delta: 5 }) }
    expect((await amend(hotelId, { ...more, dryRun: true })).contract).toMatchObject({ contracted: 45, addenda: 1 })
    expect(await nights(hotelId)).toEqual(Array(3).fill([10, 0, 0, 0, 0]))
    for (let call = 0; call < 2; call++) await amend(hotelId, { ...more, idempotencyKey: `more-${hotelId}` })
    expect(await nights(hotelId)).toEqual(Array(3).fill([15, 0, 0, 0, 0]))
    await sound()
  })

  it('applies only one of two concurrent contract changes that name the same revision', async () => {
    const hotelId = await newHotel({ roomTypes: king(10) })
    const { contract } = await amend(hotelId, { nights: kingNights({ delta: 1 }) })
    const change = () => amend(hotelId, { nights: kingNights({ delta: 1 }), ifRevision: contract.revision })
    const outcomes = await Promise.allSettled([change(), change(), change()])
    expect(outcomes.map(({ status }) => status).toSorted((a, b) => a.localeCompare(b))).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(await nights(hotelId)).toEqual(Array(3).fill([12, 0, 0, 0, 0]))
    await sound()
  })

  it('keeps the attrition base of a hotel contract on request, and otherwise sets it to the contracted rooms', async () => {
    const hotelId = await newHotel({ roomTypes: king(50), contract: { attrition: { method: 'cumulative', commitPercent: 80 } } })
    const kept = await amend(hotelId, { nights: kingNights({ delta: -10 }), attritionBase: 'keep' })
    expect([kept.attrition.before.committed, kept.attrition.after.committed]).toEqual([120, 120])
    const followed = await amend(hotelId, { nights: kingNights({ delta: -10 }) })
    expect([followed.attrition.before.committed, followed.attrition.after.committed]).toEqual([120, 96])
    expect(followed.nights[0]).toMatchObject({ original: 50, before: { contracted: 40, base: 50 }, after: { contracted: 30, base: 40 } })
  })

  it('refuses a contract amendment with an outdated revision, without a change, or with arguments of another kind', async () => {
    const hotelId = await newHotel({ roomTypes: king(5) })
    const { contract } = await amend(hotelId, { nights: kingNights({ delta: 1 }) })
    await amend(hotelId, { nights: kingNights({ delta: 1 }), ifRevision: contract.revision })
    expect(await refused(hotelId, { nights: kingNights({ delta: 1 }), ifRevision: contract.revision })).toMatchObject({ code: 'conflict' })
    expect(await refused(hotelId, {})).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused(hotelId, { finalPickup: [{ night: '2026-09-01', pickup: 3 }] })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused(hotelId, { kind: 'review', terms: { compPer: 50 } })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused(hotelId, { nights: kingNights({ contracted: 5, delta: 1 }) })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused(hotelId, { nights: kingNights({ delta: -8 }) })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused(hotelId, { nights: [{ ...kingNights({ delta: 1 })[0], roomTypeCode: 'suite' }] })).toMatchObject({
      code: 'not_found',
    })
    expect(await refused(hotelId, { terms: { cutoffOn: '2026-09-02' } })).toMatchObject({
      code: 'invalid_arguments',
      message: 'terms.cutoffOn: 2026-09-02 is after the first night, 2026-09-01',
    })
    expect(await refused(hotelId, { kind: 'original', nights: kingNights({ delta: 1 }) })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused(hotelId, { kind: 'original', status: 'definite' })).toMatchObject({ code: 'conflict' })
    expect(await nights(hotelId)).toEqual(Array(3).fill([7, 0, 0, 0, 0]))
  })
})

describe('amend_contract: cancelled contracts, removed terms and repeated calls', () => {
  const addenda = (hotelId: string) => rows('select number from housing_addenda where hotel_id = $1 order by number', [hotelId])

  it('refuses to change a cancelled hotel contract until it is signed again, and counts no damages for it', async () => {
    const hotelId = await newHotel({ roomTypes: king(20), contract: { attrition: { method: 'cumulative', commitPercent: 80 } } })
    const cancelled = await amend(hotelId, { status: 'cancelled' })
    expect([cancelled.attrition.before.damages, cancelled.attrition.after.damages]).toEqual([euros('9072.00'), euros('0.00')])
    for (const more of [
      { nights: kingNights({ delta: 2 }) },
      { terms: { compPer: 50 } },
      { kind: 'review', nights: kingNights({ delta: -2 }) },
      { sellStatus: 'open' },
      { status: 'cancelled', signedOn: '2026-04-01' },
    ])
      expect(await refused(hotelId, more)).toMatchObject({
        code: 'precondition_failed',
        message: 'The contract of Grand is cancelled. To use it again, set status to tentative or definite',
      })
    expect(await nights(hotelId)).toEqual(Array(3).fill([20, 0, 0, 0, 0]))
    const again = await amend(hotelId, { status: 'definite', nights: kingNights({ delta: -5 }) })
    expect(again).toMatchObject({ contract: { status: 'definite', contracted: 45, addenda: 2 }, attrition: { after: { committed: 36 } } })
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'))
    await sound()
  })

  it('removes contract terms named in clearTerms, and sells returned rooms again if a passed cut-off is removed', async () => {
    const hotelId = await newHotel({ roomTypes: king(4) })
    await amend(hotelId, { terms: { compPer: 50, rebatePerRoomNight: euros('10.00'), commissionPercent: 8 } })
    await rows(`update housing_contracts set cutoff_done_for = cutoff_on where hotel_id = $1`, [hotelId])
    await rows('update room_nights set returned = 4 where hotel_id = $1', [hotelId])
    const { contract } = await amend(hotelId, { clearTerms: ['compPer', 'rebatePerRoomNight', 'cutoffOn'] })
    expect(contract.terms).toMatchObject({ compPer: null, rebatePerRoomNight: null, cutoffOn: null, commissionPercent: '8.0000' })
    expect(await nights(hotelId)).toEqual(Array(3).fill([4, 0, 0, 0, 0]))
    expect(await refused(hotelId, { terms: { compPer: 40 }, clearTerms: ['compPer'] })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused(hotelId, { kind: 'review', nights: kingNights({ delta: -1 }), clearTerms: ['compPer'] })).toMatchObject({
      code: 'invalid_arguments',
    })
  })

  it('writes no addendum if a repeated call changes nothing', async () => {
    const hotelId = await newHotel({ roomTypes: king(4) })
    const change = { nights: kingNights({ contracted: 6 }), terms: { compPer: 40 } }
    const first = await amend(hotelId, change)
    const again = await amend(hotelId, change)
    expect([again.addendum, again.contract, again.nights]).toEqual([first.addendum, first.contract, []])
    expect(await addenda(hotelId)).toEqual([{ number: 0 }, { number: 1 }])
    const part = await amend(hotelId, {
      nights: [...kingNights({ contracted: 6 }), { roomTypeCode: 'king', nights: ['2026-09-04'], contracted: 6 }],
    })
    expect(part.nights.map(({ night }: { night: string }) => night)).toEqual(['2026-09-04'])
    expect((await amend(hotelId, { status: 'definite', terms: {} })).addendum.number).toBe(2)
  })

  it('adds a night to a hotel contract only if its number of rooms is given, so that a mistyped day adds none', async () => {
    const hotelId = await newHotel({ roomTypes: king(4) })
    expect(
      await refused(hotelId, { nights: [{ roomTypeCode: 'king', nights: ['2026-12-01'], rates: { single: euros('150.00') } }] }),
    ).toMatchObject({
      code: 'invalid_arguments',
      message: 'nights: king 2026-12-01 is not in this contract: give contracted with its rates',
    })
    expect(await nights(hotelId)).toHaveLength(3)
  })
})

describe('amend_contract: the original contract', () => {
  it('sets contracted rooms and attrition base from the original contract, and opens the hotel for booking', async () => {
    const hotelId = await newHotel({ roomTypes: [], contract: undefined as never })
    expect(await refused(hotelId, { nights: [] })).toMatchObject({ code: 'precondition_failed' })
    const done = await amend(hotelId, {
      kind: 'original',
      roomTypes: [{ code: 'twin', name: 'Twin', beds: ['twin'], maxOccupancy: 2 }],
      nights: [
        {
          roomTypeCode: 'twin',
          from: '2026-09-01',
          until: '2026-09-04',
          contracted: 20,
          rates: { single: euros('150.00'), double: euros('170.00') },
        },
      ],
      terms: { cutoffOn: '2026-08-10', attrition: { commitPercent: 80, method: 'nightly' }, rebatePerRoomNight: euros('10.00') },
      status: 'definite',
      taxPercent: 7.5,
      feePerNight: euros('4.00'),
      feeTaxed: true,
      afterCutoff: 'closed',
      latitude: 48.85,
      longitude: 2.35,
      sellStatus: 'open',
    })
    expect(done).toMatchObject({
      contract: { status: 'definite', contracted: 60, addenda: 0, terms: { cutoffOn: '2026-08-10', rebatePerRoomNight: euros('10.00') } },
      addendum: { number: 0, kind: 'original' },
      attrition: { before: null, after: { committed: 48, short: 48, damages: euros('7200.00') } },
    })
    expect(done.nights).toHaveLength(3)
    expect(done.nights[0]).toMatchObject({ original: 20, before: null, after: { contracted: 20, base: 20, freeSell: 20 } })
    const guest = await register({ ...buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'), '@housing.roomTypeCode': 'twin' })
    // The stay costs two nights of 150.00 + 4.00 + 7.5% of 154.00.
    expect(await total(guest.participant.id)).toBe(33_110)
    await sound()
  })
})

describe('amend_contract: rates', () => {
  const rates = (single: string, double: string) => ({ single: euros(single), double: euros(double) })

  it('applies a lower contract rate to booked guests and emails them, but never a higher rate', async () => {
    const hotelId = await newHotel({ roomTypes: king(5), taxPercent: '0', feePerNight: 0 })
    const first = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    const second = await register(buildRoomAnswers(hotelId, '2026-09-02', '2026-09-04', { '@housing.occupants': 2 }))
    expect([await total(first.participant.id), await total(second.participant.id)]).toEqual([37_800, 43_800])
    const raised = await amend(hotelId, { nights: kingNights({ rates: rates('199.00', '239.00') }) })
    expect(raised).toMatchObject({ notifies: 0, contract: { contracted: 15 } })
    expect([await total(first.participant.id), await total(second.participant.id)]).toEqual([37_800, 43_800])
    const lowered = await amend(hotelId, {
      nights: [{ roomTypeCode: 'king', nights: ['2026-09-01', '2026-09-03'], rates: rates('180.00', '225.00') }],
    })
    // The new rate for one guest is below the booked rate of the first guest; the rate for two is not.
    expect(lowered.notifies).toBe(1)
    expect([await total(first.participant.id), await total(second.participant.id)]).toEqual([36_900, 43_800])
    const mails = await rows(`select source_id from messages where email_code = 'housing.changed' and event_id = $1`, [story.event.eventId])
    expect(mails).toEqual([{ source_id: (await stay(first.participant.id)).reservationId }])
    await amend(hotelId, { nights: kingNights({ rates: { single: euros('180.00') } }) })
    expect([await total(first.participant.id), await total(second.participant.id)]).toEqual([36_000, 43_800])
    await sound()
  })

  it('keeps the special rate of a block when contract rates change', async () => {
    const hotelId = await newHotel({ roomTypes: king(5), taxPercent: '0', feePerNight: 0 })
    await newBlock(hotelId, 1, 'speaker', { rooms: [{ hotelId, roomTypeCode: 'king', nights: NIGHTS, rooms: 1, rate: 20_000 }] })
    const guest = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'), { tags: ['speaker'] })
    expect(await total(guest.participant.id)).toBe(40_000)
    expect(await amend(hotelId, { nights: kingNights({ rates: rates('100.00', '100.00') }) })).toMatchObject({ notifies: 0 })
    expect(await total(guest.participant.id)).toBe(40_000)
  })

  it('uses the rates of the nearest night for a new night', async () => {
    const hotelId = await newHotel({ roomTypes: king(5) })
    const done = await amend(hotelId, { nights: [{ roomTypeCode: 'king', nights: ['2026-09-04'], contracted: 3 }] })
    expect(done.nights).toMatchObject([
      { night: '2026-09-04', original: 0, before: null, after: { contracted: 3, base: 3, rate: euros('189.00') } },
    ])
    await sound()
  })
})

describe('amend_contract: review dates', () => {
  const reviewDates = [
    { on: '2026-05-01', maxReducePercent: 10 },
    { on: '2026-06-01', maxReducePercent: 25 },
  ]

  it('allows reductions up to the share of original rooms that each review date permits, summed over all calls', async () => {
    const hotelId = await newHotel({ roomTypes: king(50), contract: { reviewDates } })
    const review = (contracted: number) => ({ kind: 'review', nights: kingNights({ contracted }) })
    expect(await refused(hotelId, review(44))).toMatchObject({
      code: 'precondition_failed',
      message: NIGHTS.map((night) => `king ${night}: at most 5 of 50 rooms may be returned until 2026-05-01, cannot set 44`).join('; '),
    })
    expect((await amend(hotelId, review(47))).nights[0]).toMatchObject({ original: 50, after: { contracted: 47, base: 47 } })
    expect(await refused(hotelId, review(44))).toMatchObject({ code: 'precondition_failed' })
    await amend(hotelId, review(45))
    expect(await refused(hotelId, review(46))).toMatchObject({ code: 'invalid_arguments' })
    await story.world.clock.stopAt('2026-05-02T10:00:00Z')
    await amend(hotelId, review(33))
    expect(await refused(hotelId, review(32))).toMatchObject({ code: 'precondition_failed' })
    await story.world.clock.stopAt('2026-06-02T10:00:00Z')
    expect(await refused(hotelId, review(33))).toMatchObject({
      code: 'precondition_failed',
      message: 'The last review date was 2026-06-01',
    })
    await story.world.clock.stopAt('2026-04-10T10:00:00Z')
    expect(await nights(hotelId)).toEqual(Array(3).fill([33, 0, 0, 0, 0]))
    await sound()
  })
})

describe('addenda of a hotel contract', () => {
  it('rejects changes and deletion of a contract addendum, and keeps the original rooms', async () => {
    const hotelId = await newHotel({ roomTypes: king(5) })
    await amend(hotelId, { nights: kingNights({ delta: 1 }) })
    const run = (statement: string) => story.world.database.pool.query(statement, [hotelId])
    await expect(run(`update housing_addenda set reason = 'x' where hotel_id = $1`)).rejects.toThrow('never changed')
    await expect(run('delete from housing_addenda where hotel_id = $1')).rejects.toThrow('never deleted')
    await expect(run('update room_nights set original = 6 where hotel_id = $1')).rejects.toThrow('never changed')
    expect(await rows('select number, kind, room_nights from housing_addenda where hotel_id = $1 order by number', [hotelId])).toEqual([
      { number: 0, kind: 'original', room_nights: 15 },
      { number: 1, kind: 'addendum', room_nights: 3 },
    ])
    // Control: rooms without an addendum violate H8.
    await run('update room_nights set contracted = contracted + 1 where hotel_id = $1')
    await expect(sound()).rejects.toThrow('H8')
    await run('update room_nights set contracted = contracted - 1 where hotel_id = $1')
    await sound()
  })

  it('cancels a hotel contract only if none of its rooms is in use', async () => {
    const hotelId = await newHotel({ roomTypes: king(5) })
    const guest = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    expect(await refused(hotelId, { status: 'cancelled' })).toMatchObject({ code: 'precondition_failed' })
    expect(await refused(hotelId, { status: 'tentative' })).toMatchObject({ code: 'precondition_failed' })
    await story.call('edit_participant', { participantId: guest.participant.id, status: 'cancelled' })
    expect(await amend(hotelId, { status: 'cancelled' })).toMatchObject({ contract: { status: 'cancelled' } })
  })
})
