import { afterEach, describe, expect, it } from 'vitest'
import { takePickupSnapshots } from '../../../domains/housing/summary/snapshots.ts'
import { listStayNights } from '../../../domains/housing/stay.ts'
import { roomsStory } from '../../../domains/housing/tests/rooms-scenario.ts'
import { createBlockAt, buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { runRecurringTask } from '../../../../test/support/room-deadlines.ts'

const { story, newHotel, king, register, sound } = roomsStory()
const START = '2026-04-10T10:00:00Z'
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const FIGURES = ['contracted', 'returned', 'allocated', 'pickup', 'held', 'freeSell'] as const
const summary = (more: object = {}) => story.call('get_housing_summary', { ...more })
const amend = (hotelId: string, more: object) => story.call('amend_contract', { hotelId, reason: 'Agreed by email', ...more })
const snapshot = () => runRecurringTask(story.world, takePickupSnapshots)

const newBlock = (hotelId: string, rooms: number, tag: string, nights: readonly string[]) =>
  createBlockAt(story.world, story.event, {
    code: `block-${tag}`,
    name: `Block of ${tag}`,
    owner: { kind: 'tag', ref: tag },
    rooms: [{ hotelId, roomTypeCode: 'king', nights, rooms }],
  })

afterEach(() => story.world.clock.stopAt(START))

describe('get_housing_summary', () => {
  it('returns the same housing totals in every grouping, both live and from daily snapshots', async () => {
    const hotelId = await newHotel({
      roomTypes: king(50, { nights: [{ from: '2026-09-01', until: '2026-09-05', rooms: 50, single: 18900 }] }),
    })
    await newBlock(hotelId, 12, 'speaker', listStayNights('2026-09-01', '2026-09-05'))
    for (let guest = 0; guest < 30; guest++)
      await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'), { tags: guest < 8 ? ['speaker'] : [] })
    const figures = { contracted: 200, returned: 0, allocated: 48, pickup: 90, held: 0, freeSell: 86, pickupPercent: 45 }
    const expectTotals = async (more: object) => {
      for (const groupBy of ['hotel', 'night', 'roomType', 'block']) {
        const { totals, rows } = await summary({ groupBy, hotelId, ...more })
        expect(totals).toMatchObject({ ...figures, peakNight: '2026-09-01' })
        for (const figure of FIGURES)
          expect(rows.reduce((sum: number, row: Record<string, number>) => sum + row[figure]!, 0)).toBe(totals[figure])
      }
    }
    await expectTotals({})
    expect((await summary({ groupBy: 'block', hotelId })).rows).toMatchObject([
      { name: 'Block of speaker', contracted: 48, pickup: 24 },
      { name: 'Free sale', contracted: 152, pickup: 66 },
    ])
    await story.world.clock.stopAt('2026-04-11T00:00:00Z')
    await snapshot()
    await amend(hotelId, { nights: [{ roomTypeCode: 'king', nights: ['2026-09-01'], delta: 10 }] })
    await expectTotals({ asOf: '2026-04-10' })
    expect((await summary({ hotelId })).totals).toMatchObject({ contracted: 210 })
    await sound()
  })

  it('returns a chart of the housing, and lists people only with the permission to read personal data', async () => {
    const hotelId = await newHotel({ roomTypes: king(2) })
    const guest = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    for (const waitlist of [false, true, true])
      await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03', { '@housing.waitlist': waitlist }))
    const include = ['nights', 'waitlist', 'reservations']
    const full = await summary({ hotelId, include })
    expect(full.totals).toMatchObject({ contracted: 6, pickup: 4, waiting: 2, unguaranteed: 0 })
    expect(full.nights).toHaveLength(3)
    expect(full.nights[2]).toMatchObject({ hotelId, roomTypeCode: 'king', night: '2026-09-03', contracted: 2, pickup: 0 })
    expect(full.reservations).toHaveLength(2)
    expect(full.reservations[0]).toMatchObject({ participantId: guest.participant.id, guests: [expect.stringContaining('Paula Person')] })
    expect(full.waitlist.map(({ name, status }: Record<string, string>) => [name!.split(' ')[0], status])).toEqual(
      Array(2).fill(['Paula', 'waiting']),
    )
    const answer = await story.olga.answer('get_housing_summary', { eventCode: story.event.eventCode, hotelId })
    expect(answer.content.map(({ type }) => type)).toEqual(['text', 'image'])
    const planner = await story.world.organizer({ at: story.event, role: 'analyst' })
    const seen = await planner.call('get_housing_summary', { eventCode: story.event.eventCode, hotelId, include })
    expect(JSON.stringify(seen)).not.toContain('Paula')
    expect(seen.reservations).toHaveLength(2)
  })

  it('omits tentative contracts from the totals and lists them separately', async () => {
    const hotelId = await newHotel({ roomTypes: king(5), contract: { status: 'tentative' } })
    const { totals, hotels, rows } = await summary({ hotelId })
    expect(totals).toMatchObject({ contracted: 0, pickupPercent: null })
    expect(hotels).toMatchObject([{ id: hotelId, contractStatus: 'tentative', pci: 'missing', contracted: 0, rebate: euros('0.00') }])
    expect(rows).toEqual([])
  })
})

describe('get_housing_summary: pace and earlier days', () => {
  it('shows housing totals of an earlier day from its daily snapshot, names the first day with one, and stores each day once', async () => {
    await story.world.clock.stopAt('2026-04-20T10:00:00Z')
    const hotelId = await newHotel({ roomTypes: king(10) })
    const book = () => register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    await book()
    // At 23:59 in Paris the day has not ended, so no snapshot is taken.
    await story.world.clock.stopAt('2026-04-20T21:59:00Z')
    await snapshot()
    await story.world.clock.stopAt('2026-04-20T22:00:00Z')
    await snapshot()
    await book()
    await snapshot()
    await story.world.clock.stopAt('2026-04-22T10:00:00Z')
    await snapshot()
    await book()
    const pickup = async (asOf: string) => (await summary({ hotelId, asOf })).totals.pickup
    expect([await pickup('2026-04-20'), await pickup('2026-04-21'), await pickup('2026-04-22')]).toEqual([2, 4, 6])
    expect((await summary({ hotelId, include: ['pace'] })).pace.slice(-3)).toEqual([
      { day: '2026-04-20', pickup: 2 },
      { day: '2026-04-21', pickup: 4 },
      { day: '2026-04-22', pickup: 6 },
    ])
    expect((await summary({ hotelId, include: ['pace'], asOf: '2026-04-20' })).pace.at(-1)).toEqual({ day: '2026-04-20', pickup: 2 })
    // A day between two snapshots shows the earlier snapshot.
    await story.world.clock.stopAt('2026-04-25T10:00:00Z')
    expect(await pickup('2026-04-24')).toBe(4)
    const first = (await summary({ include: ['pace'] })).pace[0].day
    expect(await story.refused('get_housing_summary', { asOf: '2026-01-01' })).toMatchObject({
      code: 'precondition_failed',
      message: `There is no snapshot of 2026-01-01. The first is of ${first}`,
    })
    expect(await story.refused('get_housing_summary', { asOf: '2026-04-26' })).toMatchObject({ code: 'invalid_arguments' })
  })
})

describe('get_housing_summary: warnings', () => {
  it('warns of an unmet commitment shortly before the cut-off, and of a full hotel with a waiting list', async () => {
    const contract = { cutoffOn: '2026-08-20', attrition: { method: 'cumulative', commitPercent: 80 } as const }
    const hotelId = await newHotel({ roomTypes: king(1), contract })
    const warnings = async () => (await summary({ hotelId })).warnings.map(({ code }: { code: string }) => code)
    await story.world.clock.stopAt('2026-08-05T10:00:00Z')
    expect(await warnings()).toEqual([])
    await story.world.clock.stopAt('2026-08-06T10:00:00Z')
    expect((await summary({ hotelId })).warnings).toMatchObject([
      { code: 'below_commitment', hotelId, message: 'Grand: cut-off on 2026-08-20, and 0 of 2 committed room nights are booked' },
    ])
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'))
    expect(await warnings()).toEqual([])
    await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04', { '@housing.waitlist': true }))
    expect((await summary({ hotelId })).warnings).toMatchObject([{ code: 'sold_out', message: 'Grand is sold out while 1 people wait' }])
    await story.world.clock.stopAt('2026-08-21T10:00:00Z')
    expect(await warnings()).toEqual(['sold_out'])
  })
})

describe('get_housing_summary: guarantees', () => {
  it('counts rooms without a guarantee, and warns of cards that a hotel is not allowed to receive', async () => {
    const [hotelId, neighbour] = [await newHotel({ roomTypes: king(5) }), await newHotel({ roomTypes: king(5) })]
    for (const at of [hotelId, hotelId, hotelId, neighbour]) await register(buildRoomAnswers(at, '2026-09-01', '2026-09-03'))
    const guarantee = (status: string, due: string | null, count: number) =>
      story.world.database.pool.query(
        `update reservations set guarantee_kind = 'card', guarantee_status = $1, guarantee_due_at = $2
         where id in (select id from reservations where hotel_id = $3 and guarantee_kind = 'none' order by id limit $4)`,
        [status, due, hotelId, count],
      )
    await guarantee('pending', '2026-08-01', 1)
    await guarantee('secured', null, 2)
    const { totals, warnings } = await summary({ hotelId })
    expect(totals.unguaranteed).toBe(1)
    expect(warnings).toMatchObject([
      { code: 'cards_withheld', hotelId, message: 'Grand: 2 cards withheld until it shows a valid PCI attestation' },
    ])
    const other = await summary({ hotelId: neighbour })
    expect([other.totals.unguaranteed, other.warnings]).toEqual([0, []])
  })
})

describe('get_housing_summary: after the event', () => {
  it('settles attrition, complimentary rooms and rebate after the event to the cent', async () => {
    const rooms = [100, 100, 50]
    const nights = listStayNights('2026-09-01', '2026-09-04').map((from, index) => ({
      from,
      until: listStayNights(from, '2026-09-06')[1]!,
      rooms: rooms[index]!,
      single: 20_000,
    }))
    const hotelId = await newHotel({
      roomTypes: king(0, { nights }),
      contract: {
        attrition: { method: 'cumulative', commitPercent: 80, profitPercent: 75 },
        compPer: 50,
        rebatePerRoomNight: 1000,
        cutoffOn: '2026-08-20',
      },
    })
    const finalPickup = [70, 90, 30].map((pickup, index) => ({ night: `2026-09-0${index + 1}`, pickup }))
    await story.world.clock.stopAt('2026-09-03T21:59:00Z')
    expect(await story.refused('amend_contract', { hotelId, reason: 'Final', kind: 'finalPickup', finalPickup })).toMatchObject({
      code: 'precondition_failed',
      message: 'The final pickup of Grand can be recorded after its last night, 2026-09-03',
    })
    await story.world.clock.stopAt('2026-09-03T22:00:00Z')
    const settled = await amend(hotelId, { kind: 'finalPickup', finalPickup })
    expect(settled.attrition.after).toMatchObject({ short: 10, damages: euros('1500.00'), compsEarned: 3, rebate: euros('1900.00') })
    const nightly = await amend(hotelId, { terms: { attrition: { method: 'nightly' } } })
    expect([nightly.attrition.before.damages, nightly.attrition.after.damages]).toEqual([euros('1500.00'), euros('3000.00')])
    const resold = await amend(hotelId, { kind: 'finalPickup', finalPickup: [{ ...finalPickup[0], resold: 4 }] })
    expect(resold.attrition.after).toMatchObject({ short: 16, damages: euros('2400.00'), compsEarned: 3, rebate: euros('1900.00') })
    expect(resold.addendum).toMatchObject({ number: 3, kind: 'finalPickup' })
    const perNight = await amend(hotelId, { terms: { compBasis: 'nightly' } })
    expect(perNight.attrition.after.compsEarned).toBe(2)
    const audited = await amend(hotelId, { kind: 'finalPickup', finalPickup: [{ ...finalPickup[0], resold: 4, auditCredit: 6 }] })
    expect(audited.attrition.after).toMatchObject({ short: 10, damages: euros('1500.00'), rebate: euros('1960.00') })
    const { hotels } = await summary({ hotelId, include: ['attrition'] })
    expect(hotels).toMatchObject([
      { attrition: { method: 'nightly', short: 10, damages: euros('1500.00') }, compsEarned: 2, rebate: euros('1960.00') },
    ])
    expect(
      await story.refused('amend_contract', {
        hotelId,
        reason: 'x',
        kind: 'finalPickup',
        finalPickup: [{ night: '2026-09-04', pickup: 1 }],
      }),
    ).toMatchObject({
      code: 'invalid_arguments',
    })
    await sound()
  })

  it('accepts the final pickup report of a hotel only after the last night that still has rooms', async () => {
    const hotelId = await newHotel({ name: 'Shortened', roomTypes: king(4) })
    await story.world.clock.stopAt('2026-09-02T22:00:00Z')
    const report = { hotelId, reason: 'Final', kind: 'finalPickup', finalPickup: [{ night: '2026-09-01', pickup: 0 }] }
    expect(await story.refused('amend_contract', report)).toMatchObject({ message: expect.stringContaining('2026-09-03') })
    await amend(hotelId, { nights: [{ roomTypeCode: 'king', nights: ['2026-09-03'], contracted: 0 }] })
    expect((await story.call('amend_contract', report)).addendum).toMatchObject({ kind: 'finalPickup' })
  })
})

describe('get_housing_summary: the largest events', () => {
  it('sums more than a million room nights', async () => {
    for (const name of ['North', 'South']) await newHotel({ name, roomTypes: king(200_000) })
    const { totals, rows } = await summary({ groupBy: 'night' })
    expect(totals.contracted).toBeGreaterThanOrEqual(1_200_000)
    expect(rows.reduce((sum: number, row: Record<string, number>) => sum + row['contracted']!, 0)).toBe(totals.contracted)
  })
})
