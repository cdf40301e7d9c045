import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBlockAt, createHotelAt, buildRoomAnswers, buildRoomSections } from '../../../test/support/hotels.ts'
import { createPersonAt, type PersonHandle } from '../../../test/support/participants.ts'
import { openSalesScenario, type SalesScenario } from '../../../test/support/sales-scenario.ts'

const VENUE = { name: 'Palais', city: 'Paris', country: 'FR', latitude: 48.86, longitude: 2.33 }
/** A point this many kilometres north of the venue. */
const north = (km: number) => ({ latitude: VENUE.latitude + km / 111.195, longitude: VENUE.longitude })

const rooms = (housing: object = {}) => {
  const parts = buildRoomSections({ minNights: 1, maxNights: 7, terms: '<p>Pay at the hotel.</p>', ...housing })
  return { ...parts, details: { ...parts.details, startsOn: '2026-09-01', endsOn: '2026-09-03', venue: VENUE } }
}
const span = (n: number, single: number, from = '2026-09-01', until = '2026-09-04') => [{ from, until, rooms: n, single }]
const type = (nights: ReturnType<typeof span>, more: object = {}) => ({
  code: 'king',
  name: 'King room',
  beds: ['king'],
  maxOccupancy: 2,
  nights,
  ...more,
})

let scenario: SalesScenario
let petra: PersonHandle
let grand: string
let budget: string

beforeAll(async () => {
  scenario = await openSalesScenario(rooms())
  grand = await createHotelAt(scenario.world, scenario.event, { ...north(0.4), loyaltyProgram: 'Stars' })
  budget = await createHotelAt(scenario.world, scenario.event, {
    code: 'budget',
    name: 'Budget',
    ...north(2.5),
    taxPercent: '0',
    feePerNight: 0,
    roomTypes: [
      type(span(5, 18000)),
      { ...type(span(1, 9000), { accessible: true }), code: 'single', name: 'Single room', maxOccupancy: 1 },
    ],
  })
  await createHotelAt(scenario.world, scenario.event, { code: 'shut', name: 'Shut', sellStatus: 'closed' })
  await createHotelAt(scenario.world, scenario.event, { code: 'vague', name: 'Vague', contract: { status: 'tentative' } })
  petra = await createPersonAt(scenario.world, scenario.event, { registrations: 1 })
})
afterAll(() => scenario.world.end())

const DATES = { checkIn: '2026-09-01', checkOut: '2026-09-04' }

describe('get_hotel_list', () => {
  it("returns the price of each night, nearest hotel first, as in the specification's example", async () => {
    const { hotels, ...rest } = await petra.call('get_hotel_list', DATES)
    expect(hotels.map(({ name, distanceKm }: any) => [name, distanceKm])).toEqual([
      ['Grand', 0.4],
      ['Budget', 2.5],
    ])
    const euros = (amount: string) => ({ amount, currency: 'EUR' })
    expect(hotels[0]).toMatchObject({ id: grand, address: '1 Rue du Bac, 75007 Paris, FR', terms: '<p>Pay at the hotel.</p>' })
    expect(hotels[0].roomTypes).toEqual([
      {
        code: 'king',
        name: 'King room',
        beds: ['king'],
        maxOccupancy: 2,
        accessible: false,
        stay: { rooms: euros('587.00'), fees: euros('30.00'), tax: euros('73.39'), total: euros('690.39') },
        nights: [
          { night: '2026-09-01', rate: euros('189.00'), available: 10, state: 'open' },
          { night: '2026-09-02', rate: euros('189.00'), available: 10, state: 'open' },
          { night: '2026-09-03', rate: euros('209.00'), available: 10, state: 'open' },
        ],
      },
    ])
    expect(rest).toEqual({ minNights: 1, maxNights: 7, nextCursor: null })
  })

  it('filters hotels by room size and search text, and calculates prices by number of guests', async () => {
    const two = await petra.call('get_hotel_list', { ...DATES, occupants: 2 })
    expect(two.hotels.map(({ roomTypes }: any) => roomTypes.map(({ code }: any) => code))).toEqual([['king'], ['king']])
    expect(two.hotels[0].roomTypes[0].stay.rooms.amount).toBe('677.00')
    expect((await petra.call('get_hotel_list', { search: 'budg' })).hotels).toHaveLength(1)
    expect((await petra.call('get_hotel_list', { search: 'ritz' })).hotels).toEqual([])
  })

  it('shows prices from two nights before to two nights after the event if no dates are given', async () => {
    const { hotels } = await petra.call('get_hotel_list')
    // The event's nights are the 1st and 2nd; its rooms are contracted until the 3rd.
    expect(hotels[0].roomTypes[0].nights.map(({ night }: any) => night)).toEqual(['2026-09-01', '2026-09-02', '2026-09-03'])
    expect(hotels[0].roomTypes[0]).not.toHaveProperty('stay')
    const [shoulder] = (await petra.call('get_hotel_list', { checkIn: '2026-08-31', checkOut: '2026-09-02' })).hotels
    expect(shoulder.roomTypes[0]).not.toHaveProperty('stay')
    expect(shoulder.roomTypes[0].nights).toMatchObject([
      { night: '2026-08-31', rate: null, available: 0, state: 'soldOut' },
      { state: 'open' },
    ])
  })

  it('requires both check-in and check-out dates, and the check-in before the check-out', async () => {
    expect((await petra.refused('get_hotel_list', { checkIn: '2026-09-01' })).text).toMatch(/give both checkIn and checkOut/)
    expect((await petra.refused('get_hotel_list', { checkIn: '2026-09-03', checkOut: '2026-09-03' })).text).toMatch(/must be after checkIn/)
  })

  it("shows the rooms in the block of the person's own group, but not in those of other groups", async () => {
    const hotelId = await createHotelAt(scenario.world, scenario.event, {
      code: 'small',
      name: 'Small',
      ...north(9),
      roomTypes: [type(span(3, 20000))],
    })
    const { group } = await scenario.call('create_managed_group', {
      code: 'delegation',
      name: 'D',
      kind: 'delegation',
      payBy: 'members',
      flowSlug: 'attendee',
    })
    await createBlockAt(scenario.world, scenario.event, {
      code: 'delegation',
      name: 'D',
      owner: { kind: 'group', ref: group.id },
      rooms: [{ hotelId, roomTypeCode: 'king', nights: ['2026-09-01', '2026-09-02'], rooms: 2, rate: 15000 }],
    })
    const small = async (person: PersonHandle) =>
      (await person.call('get_hotel_list', { ...DATES, search: 'small' })).hotels[0].roomTypes[0].nights
    expect((await small(petra)).map(({ available, rate }: any) => [available, rate.amount])).toEqual([
      [1, '200.00'],
      [1, '200.00'],
      [3, '200.00'],
    ])
    const member = await createPersonAt(scenario.world, scenario.event)
    await scenario.world.database.pool.query('update participants set group_id = $1 where id = $2', [group.id, member.participantIds[0]])
    expect((await small(member)).map(({ available, rate }: any) => [available, rate.amount])).toEqual([
      [3, '150.00'],
      [3, '150.00'],
      [3, '200.00'],
    ])
    const stranger = await createPersonAt(scenario.world, scenario.event, { registrations: 0 })
    expect((await small(stranger))[0].available).toBe(1)
  })

  it('shows the number of remaining rooms as precisely as the settings of the event allow', async () => {
    const shown = async (seeAvailability: string) => {
      await scenario.publish({ housing: { enabled: true, seeAvailability } })
      const { hotels } = await petra.call('get_hotel_list', { checkIn: '2026-09-01', checkOut: '2026-09-02' })
      return hotels.slice(0, 2).map(({ roomTypes }: any) => roomTypes[0].nights.map(({ available, state }: any) => [available, state])[0])
    }
    expect(await shown('exact')).toEqual([
      [10, 'open'],
      [5, 'few'],
    ])
    expect(await shown('few')).toEqual([
      [null, 'open'],
      [5, 'few'],
    ])
    expect(await shown('none')).toEqual([
      [null, 'open'],
      [null, 'open'],
    ])
    await scenario.publish({ housing: { enabled: true, seeAvailability: 'exact' } })
  })

  it('offers only the waiting list after the booking deadline, or nothing if the hotel has no waiting list', async () => {
    await createHotelAt(scenario.world, scenario.event, { code: 'late', name: 'Late', contract: { cutoffOn: '2026-04-09' } })
    await createHotelAt(scenario.world, scenario.event, {
      code: 'gone',
      name: 'Latest',
      contract: { cutoffOn: '2026-04-09' },
      afterCutoff: 'closed',
    })
    const { hotels } = await petra.call('get_hotel_list', { ...DATES, search: 'late' })
    expect(hotels.map(({ name }: any) => name)).toEqual(['Late'])
    expect(hotels[0].roomTypes[0].nights[0]).toMatchObject({ available: 0, state: 'waitlist' })
  })

  it('rejects a hotel search if the event has no housing', async () => {
    await scenario.publish({ housing: { enabled: false } })
    expect(await petra.refused('get_hotel_list')).toMatchObject({
      code: 'precondition_failed',
      message: 'This event does not offer hotel rooms',
    })
    expect((await petra.refused('recommend_hotel')).code).toBe('precondition_failed')
    await scenario.publish({ housing: { enabled: true } })
  })
})

describe('recommend_hotel', () => {
  const best = (person: PersonHandle, args: object = {}) =>
    person.call('recommend_hotel', { ...DATES, ...args }).then(({ recommendations }) => recommendations)

  it('ranks hotels by price, distance and preferences, with one room type per hotel', async () => {
    const found = await best(petra, { occupants: 2, wishes: { bedType: 'king', loyaltyProgram: 'stars' } })
    // Grand: 677.00 + 30.00 + taxes = 791.63; Budget 540.00, without the preferred loyalty program.
    expect(found.slice(0, 2)).toMatchObject([
      {
        hotelId: grand,
        roomTypeCode: 'king',
        distanceKm: 0.4,
        waitlistOnly: false,
        reasons: ['0.4 km from the venue', '2 of 2 wishes met'],
      },
      {
        hotelId: budget,
        roomTypeCode: 'king',
        total: { amount: '540.00' },
        reasons: ['lowest price of all free stays', '2.5 km from the venue', '1 of 2 wishes met'],
      },
    ])
    expect(found[0].score).toBeGreaterThan(found[1].score)
    expect(new Set(found.map(({ hotelId }: any) => hotelId)).size).toBe(found.length)
  })

  it("uses the dates of the person's own reservation if none are given, otherwise the dates of the event", async () => {
    expect((await petra.call('recommend_hotel')).recommendations[0]).toMatchObject({
      hotelId: budget,
      roomTypeCode: 'single',
      total: { amount: '180.00' },
    })
    const { participant } = await scenario.register(
      {},
      { data: buildRoomAnswers(grand, '2026-09-01', '2026-09-02', { '@housing.occupants': 2 }) },
    )
    const guest = await createPersonAt(scenario.world, scenario.event, { email: participant.email, registrations: 0 })
    const own = await guest.call('get_my_registration')
    expect(own.housing).toEqual([
      {
        hotel: 'Grand',
        roomType: 'King room',
        checkIn: '2026-09-01',
        checkOut: '2026-09-02',
        status: 'confirmed',
        ackNumber: expect.stringMatching(/^H-\d{6}$/),
      },
    ])
    const [first] = (await guest.call('recommend_hotel', { maxTotal: { amount: '190.00', currency: 'EUR' } })).recommendations
    expect(first).toMatchObject({ hotelId: budget, roomTypeCode: 'king', total: { amount: '180.00' } })
  })

  it("recommends only hotels within the budget in the event's currency", async () => {
    expect((await best(petra, { maxTotal: { amount: '300.00', currency: 'EUR' } })).map(({ roomTypeCode }: any) => roomTypeCode)).toEqual([
      'single',
    ])
    // If every free room is more expensive, the nearest hotels are shown with that reason, and can be booked.
    const [first] = await best(petra, { maxTotal: { amount: '1.00', currency: 'EUR' } })
    expect(first).toMatchObject({ score: null, waitlistOnly: false })
    expect(first.reasons[0]).toBe('free on every night, but more expensive than maxTotal')
    expect((await petra.refused('recommend_hotel', { maxTotal: { amount: '300.00', currency: 'USD' } })).text).toMatch(/priced in EUR/)
  })

  it('recommends the nearest hotel with a waiting list if no hotel is free on all nights', async () => {
    const found = await best(petra, { checkIn: '2026-08-30', checkOut: '2026-09-02' })
    expect(found[0]).toMatchObject({ hotelId: grand, waitlistOnly: true, score: null, total: null })
    expect(found.every(({ waitlistOnly }: any) => waitlistOnly)).toBe(true)
    expect(found.length).toBeLessThanOrEqual(5)
  })

  it('requires a registration to recommend hotels', async () => {
    const stranger = await createPersonAt(scenario.world, scenario.event, { registrations: 0 })
    expect((await stranger.refused('recommend_hotel')).message).toBe('No participant identity available')
  })
})
