import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays } from '../../../kernel/time.ts'
import { type AllocationPlanInput, type HotelSupply, planAllocation, splitIntoNightSpans } from '../plan-allocation.ts'

const FIRST = '2027-06-10'
const night = (index: number) => addDays(FIRST, index)
const profileOf = (...rooms: number[]) => rooms.map((many, index) => ({ night: night(index), rooms: many }))

const typeOf = (code: string, free: readonly number[], rates: number | readonly number[] = 200) => ({
  code,
  nights: new Map(free.map((many, index) => [night(index), { free: many, rate: typeof rates === 'number' ? rates : rates[index]! }])),
})
const hotelOf = (id: string, free: readonly number[], more: Partial<HotelSupply> = {}): HotelSupply => ({
  id,
  distanceKm: 1,
  types: [typeOf('king', free)],
  caps: new Map(),
  ...more,
})
const problemOf = (more: Partial<AllocationPlanInput>): AllocationPlanInput => ({
  profile: profileOf(10, 20, 20, 10),
  roomTypes: [],
  preferences: ['a', 'b'],
  keepTogether: false,
  hotels: [hotelOf('a', [10, 15, 15, 15]), hotelOf('b', [30, 30, 30, 30])],
  ...more,
})
const roomsAt = (problem: AllocationPlanInput, hotelId: string) => {
  const { grants } = planAllocation(problem)
  return problem.profile.map((one) =>
    grants.filter((grant) => grant.hotelId === hotelId && grant.night === one.night).reduce((sum, { rooms }) => sum + rooms, 0),
  )
}

describe('splitIntoNightSpans', () => {
  it('ends the spans that started last first when the number of requested rooms per night falls', () => {
    expect(splitIntoNightSpans(profileOf(10, 20, 20, 10))).toEqual([
      { nights: [night(0), night(1), night(2), night(3)], rooms: 10 },
      { nights: [night(1), night(2)], rooms: 10 },
    ])
  })

  it('sorts spans of requested nights by length, then by their first night', () => {
    expect(splitIntoNightSpans(profileOf(2, 1, 3)).map(({ nights, rooms }) => [nights, rooms])).toEqual([
      [[night(0), night(1), night(2)], 1],
      [[night(0)], 1],
      [[night(2)], 2],
    ])
  })

  it('splits requested nights into separate spans at a night without requested rooms', () => {
    const profile = [
      { night: night(3), rooms: 4 },
      { night: night(0), rooms: 4 },
      { night: night(1), rooms: 0 },
    ]
    expect(splitIntoNightSpans(profile)).toEqual([
      { nights: [night(0)], rooms: 4 },
      { nights: [night(3)], rooms: 4 },
    ])
  })
})

describe('planAllocation', () => {
  it('allocates all rooms of a block request in the first hotel that has room for every span of nights', () => {
    const problem = problemOf({ keepTogether: true })
    expect(roomsAt(problem, 'a')).toEqual([0, 0, 0, 0])
    expect(roomsAt(problem, 'b')).toEqual([10, 20, 20, 10])
  })

  it('splits the rooms of a block request between the preferred hotels if the request need not stay together', () => {
    const problem = problemOf({})
    expect(roomsAt(problem, 'a')).toEqual([10, 15, 15, 10])
    expect(roomsAt(problem, 'b')).toEqual([0, 5, 5, 0])
    expect(planAllocation(problem).shortfall).toEqual([])
  })

  it('splits the rooms of a block request between hotels if no hotel has room for every span of nights', () => {
    const problem = problemOf({ keepTogether: true, hotels: [hotelOf('a', [10, 15, 15, 15]), hotelOf('b', [5, 10, 10, 5])] })
    expect(roomsAt(problem, 'a')).toEqual([10, 15, 15, 10])
    expect(roomsAt(problem, 'b')).toEqual([0, 5, 5, 0])
  })

  it('reports rooms of a block request as missing if no hotel has them on all nights of the span', () => {
    const problem = problemOf({ hotels: [hotelOf('a', [10, 15, 12, 15])] })
    expect(roomsAt(problem, 'a')).toEqual([10, 12, 12, 10])
    expect(planAllocation(problem).shortfall).toEqual([
      { night: night(1), rooms: 8 },
      { night: night(2), rooms: 8 },
    ])
  })

  it('tries the nearest hotel first if a block request prefers none, and the lower id at equal distance', () => {
    const hotels = [
      hotelOf('far', [9, 9], { distanceKm: 3 }),
      hotelOf('unknown', [9, 9], { distanceKm: null }),
      hotelOf('near-b', [4, 4], { distanceKm: 1 }),
      hotelOf('near-a', [4, 4], { distanceKm: 1 }),
    ]
    const problem = problemOf({ profile: profileOf(18, 18), preferences: [], hotels })
    expect(['near-a', 'near-b', 'far', 'unknown'].map((id) => roomsAt(problem, id)[0])).toEqual([4, 4, 9, 1])
  })

  it('takes rooms first from the acceptable room type with the lowest rate on the first night of the span', () => {
    const types = [typeOf('deluxe', [5, 5], [150, 300]), typeOf('king', [5, 5], [200, 100]), typeOf('suite', [5, 5], 90)]
    const problem = problemOf({
      profile: profileOf(7, 7),
      roomTypes: ['king', 'deluxe'],
      hotels: [hotelOf('a', [], { types })],
    })
    expect(planAllocation(problem).grants.map(({ roomTypeCode, rooms }) => [roomTypeCode, rooms])).toEqual([
      ['deluxe', 5],
      ['deluxe', 5],
      ['king', 2],
      ['king', 2],
    ])
  })

  it('limits an allocation by the policy limit of a hotel, which applies to all its room types together', () => {
    const types = [typeOf('king', [9, 9]), typeOf('twin', [9, 9])]
    const caps = new Map([
      [night(0), 6],
      [night(1), 12],
    ])
    const problem = problemOf({ profile: profileOf(10, 14), hotels: [hotelOf('a', [], { types, caps })], preferences: [] })
    expect(roomsAt(problem, 'a')).toEqual([6, 10])
    const { shortfall } = planAllocation(problem)
    expect(shortfall).toEqual([
      { night: night(0), rooms: 4 },
      { night: night(1), rooms: 4 },
    ])
  })
})

const rooms = fc.integer({ min: 0, max: 12 })
const anyProblem = fc
  .record({
    wanted: fc.array(rooms, { minLength: 1, maxLength: 6 }),
    keepTogether: fc.boolean(),
    hotels: fc.array(
      fc.record({
        distanceKm: fc.option(fc.integer({ min: 0, max: 3 }), { nil: null }),
        free: fc.array(fc.array(fc.integer({ min: -2, max: 12 }), { minLength: 6, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
        rates: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 3, maxLength: 3 }),
        cap: fc.option(fc.integer({ min: 0, max: 10 }), { nil: null }),
      }),
      { maxLength: 4 },
    ),
    preferences: fc.uniqueArray(fc.constantFrom('h0', 'h1', 'h2', 'h3'), { maxLength: 3 }),
    accepts: fc.uniqueArray(fc.constantFrom('t0', 't1', 't2'), { maxLength: 2 }),
  })
  .map(({ wanted, keepTogether, hotels, preferences, accepts }): AllocationPlanInput => ({
    profile: profileOf(...wanted),
    keepTogether,
    preferences,
    roomTypes: accepts,
    hotels: hotels.map(({ distanceKm, free, rates, cap }, index) => ({
      id: `h${index}`,
      distanceKm,
      types: free.map((list, type) => typeOf(`t${type}`, list, rates[type]!)),
      caps: new Map(cap === null ? [] : wanted.map((_, at) => [night(at), cap])),
    })),
  }))

const sum = (list: readonly { rooms: number }[]) => list.reduce((total, one) => total + one.rooms, 0)

describe('planAllocation for any request', () => {
  it('grants each requested room of a block request or reports it as missing, within free rooms and policy limits', () => {
    fc.assert(
      fc.property(anyProblem, (problem) => {
        const { grants, shortfall } = planAllocation(problem)
        for (const { night: at, rooms: wanted } of problem.profile) {
          const here = grants.filter((grant) => grant.night === at)
          expect(sum(here) + sum(shortfall.filter((one) => one.night === at))).toBe(wanted)
          for (const hotel of problem.hotels) {
            const inHotel = here.filter(({ hotelId }) => hotelId === hotel.id)
            expect(sum(inHotel)).toBeLessThanOrEqual(hotel.caps.get(at) ?? Infinity)
            for (const { roomTypeCode, rooms: many } of inHotel) {
              const type = hotel.types.find(({ code }) => code === roomTypeCode)!
              expect(many).toBeLessThanOrEqual(type.nights.get(at)!.free)
              expect(problem.roomTypes.length === 0 || problem.roomTypes.includes(roomTypeCode)).toBe(true)
            }
          }
        }
      }),
    )
  })

  it('returns the same allocation for any order of hotels, room types and nights', () => {
    fc.assert(
      fc.property(anyProblem, (problem) => {
        const turned: AllocationPlanInput = {
          ...problem,
          profile: problem.profile.toReversed(),
          roomTypes: problem.roomTypes.toReversed(),
          hotels: problem.hotels.toReversed().map((hotel) => ({ ...hotel, types: hotel.types.toReversed() })),
        }
        expect(planAllocation(turned)).toEqual(planAllocation(problem))
      }),
    )
  })

  it('uses one hotel for a block request that asks to stay together if all rooms fit there', () => {
    fc.assert(
      fc.property(anyProblem, (problem) => {
        const together = planAllocation({ ...problem, keepTogether: true })
        const fits = problem.hotels.some((hotel) => planAllocation({ ...problem, hotels: [hotel] }).shortfall.length === 0)
        if (fits) {
          expect(together.shortfall).toEqual([])
          expect(new Set(together.grants.map(({ hotelId }) => hotelId)).size).toBeLessThanOrEqual(1)
        } else expect(together).toEqual(planAllocation({ ...problem, keepTogether: false }))
      }),
    )
  })
})
