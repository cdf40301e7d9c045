import { describe, expect, it } from 'vitest'
import {
  type AttritionNight,
  type AttritionTerms,
  calculateAttrition,
  calculateRoomNightRebate,
  countComplimentaryRooms,
  computePercentRoundedDown,
} from '../contracts/attrition.ts'

const toNights = (pickup: readonly number[], resold: readonly number[] = [], base = [100, 100, 50], rate = 20_000): AttritionNight[] =>
  base.map((rooms, index) => ({
    night: `2027-06-1${index}`,
    base: [{ rooms, rate }],
    pickup: pickup[index]!,
    resold: resold[index] ?? 0,
  }))
const damages = (terms: AttritionTerms, nights: readonly AttritionNight[]) => {
  const { short, damages: amount } = calculateAttrition(terms, nights)
  return [short, amount]
}
const CUMULATIVE: AttritionTerms = { method: 'cumulative', commitPercent: 80, profitPercent: 75 }
const NIGHTLY: AttritionTerms = { ...CUMULATIVE, method: 'nightly' }

describe('calculateAttrition', () => {
  it('calculates damages over all nights together in a cumulative contract', () => {
    expect(damages(CUMULATIVE, toNights([70, 90, 30]))).toEqual([10, 150_000])
  })

  it('calculates damages for every short night in a nightly contract', () => {
    expect(damages(NIGHTLY, toNights([70, 90, 30]))).toEqual([20, 300_000])
  })

  it('reduces damages by rooms that the hotel resold, unless the contract gives no credit for them', () => {
    expect(damages(NIGHTLY, toNights([70, 90, 30], [4]))).toEqual([16, 240_000])
    expect(damages(CUMULATIVE, toNights([70, 90, 30], [4]))).toEqual([6, 90_000])
    expect(damages({ ...NIGHTLY, creditResold: false }, toNights([70, 90, 30], [4]))).toEqual([20, 300_000])
    // Rooms resold on a full night do not help a short one.
    expect(damages(NIGHTLY, toNights([70, 90, 30], [0, 4]))).toEqual([20, 300_000])
  })

  it('calculates no attrition damages at or above the commitment, and without a commitment', () => {
    expect(damages(CUMULATIVE, toNights([80, 80, 40]))).toEqual([0, 0])
    expect(damages(CUMULATIVE, toNights([79, 80, 40]))).toEqual([1, 15_000])
    expect(damages(NIGHTLY, toNights([100, 100, 50]))).toEqual([0, 0])
    expect(damages({ method: 'none' }, toNights([0, 0, 0]))).toEqual([0, 0])
    expect(damages({ method: 'nightly', commitPercent: 80 }, toNights([0, 0, 0], [], [0, 0, 0]))).toEqual([0, 0])
  })

  it('rounds the committed rooms down, and the attrition damages of each night once', () => {
    // 80 percent of 33 is 26.4 rooms.
    expect(damages(NIGHTLY, toNights([25, 26, 27], [], [33, 33, 33]))).toEqual([1, 15_000])
    // 33.33 · 66.6 percent is 22.1978: three nights of 22.20, and 66.59 together.
    const odd: AttritionTerms = { method: 'nightly', commitPercent: 100, profitPercent: 66.6 }
    expect(damages(odd, toNights([9, 9, 9], [], [10, 10, 10], 3333))).toEqual([3, 6660])
    expect(damages({ ...odd, method: 'cumulative' }, toNights([9, 9, 9], [], [10, 10, 10], 3333))).toEqual([3, 6659])
  })

  it('uses the average rate weighted by the base rooms of each type for damages', () => {
    const mixed: AttritionNight[] = [
      {
        night: '2027-06-10',
        base: [
          { rooms: 30, rate: 10_000 },
          { rooms: 10, rate: 20_000 },
        ],
        pickup: 30,
        resold: 0,
      },
      { night: '2027-06-11', base: [{ rooms: 40, rate: 30_000 }], pickup: 40, resold: 0 },
    ]
    const terms: AttritionTerms = { method: 'nightly', commitPercent: 100 }
    expect(damages(terms, mixed)).toEqual([10, 125_000])
    expect(damages({ ...terms, method: 'cumulative' }, mixed)).toEqual([10, 212_500])
  })

  it('calculates attrition with exact decimals of percentages', () => {
    expect(computePercentRoundedDown(200, 57.5)).toBe(115)
    expect(computePercentRoundedDown(1000, 0.3)).toBe(3)
    expect(computePercentRoundedDown(99, 33.3333)).toBe(32)
    expect(computePercentRoundedDown(50, 100)).toBe(50)
  })
})

describe('countComplimentaryRooms and calculateRoomNightRebate', () => {
  const nights = toNights([70, 90, 30])

  it('counts complimentary rooms over all room nights together or night by night', () => {
    expect(countComplimentaryRooms({ comp_per: 50, comp_basis: 'cumulative' }, nights)).toBe(3)
    expect(countComplimentaryRooms({ comp_per: 50, comp_basis: 'nightly' }, nights)).toBe(2)
    expect(countComplimentaryRooms({ comp_per: 190, comp_basis: 'cumulative' }, nights)).toBe(1)
    expect(countComplimentaryRooms({ comp_per: 191, comp_basis: 'cumulative' }, nights)).toBe(0)
    expect(countComplimentaryRooms({ comp_per: null, comp_basis: 'cumulative' }, nights)).toBe(0)
  })

  it('calculates the rebate per booked room night', () => {
    expect(calculateRoomNightRebate({ rebate_per_room_night: 1000 }, nights)).toBe(190_000)
    expect(calculateRoomNightRebate({ rebate_per_room_night: null }, nights)).toBe(0)
  })
})
