import { describe, expect, it } from 'vitest'
import { EXAMPLE_NEED, RESPONSE_A, RESPONSE_A_FIRST, RESPONSE_B } from '../../../../test/support/sourcing.ts'
import { computeTotalCost, getRfpQuantitiesForDates, computeRoomPriceOfNight } from '../cost.ts'

const DATES = { arrival: EXAMPLE_NEED.preferredArrival!, departure: EXAMPLE_NEED.preferredDeparture! }
const QUANTITIES = getRfpQuantitiesForDates(EXAMPLE_NEED, DATES, DATES)

describe('computeTotalCost', () => {
  it('calculates a total cost of 101,644.00 for RFP response A of the worked example', () => {
    expect(computeTotalCost(RESPONSE_A, QUANTITIES)).toMatchObject({
      parts: { rooms: 5_825_000, space: 1_000_000, food: 3_989_400, av: 0, fees: 0 },
      gross: 10_814_400,
      concessions: 650_000,
      net: 10_164_400,
      roomNights: 250,
      perRoomNight: 40_658,
      perPerson: 50_822,
      short: [],
      unpriced: [],
    })
  })

  it('calculates a total cost of 97,655.40 for RFP response B of the worked example', () => {
    expect(computeTotalCost(RESPONSE_B, QUANTITIES)).toMatchObject({
      parts: { rooms: 6_127_500, food: 3_767_040 },
      gross: 9_894_540,
      concessions: 129_000,
      net: 9_765_540,
    })
  })

  it('calculates a total cost for the first offer of supplier A that is 17,349.00 higher than for its later offer', () => {
    expect(computeTotalCost(RESPONSE_A_FIRST, QUANTITIES).gross - computeTotalCost(RESPONSE_A, QUANTITIES).gross).toBe(1_734_900)
  })

  it('reports nights with too few offered rooms and prices them as if all requested rooms were offered', () => {
    const short = { ...RESPONSE_A, rooms: RESPONSE_A.rooms.map((one) => (one.night === '2027-06-11' ? { ...one, rooms: 80 } : one)) }
    expect(computeTotalCost(short, QUANTITIES)).toMatchObject({
      gross: 10_814_400,
      short: [{ night: '2027-06-11', asked: 100, offered: 80 }],
    })
  })

  it('counts only the food minimum for meals without a price, and lists these meals', () => {
    expect(computeTotalCost({ ...RESPONSE_B, menu: [] }, QUANTITIES)).toMatchObject({ parts: { food: 2_616_000 }, unpriced: ['lunch'] })
  })

  it('includes mandatory fees in the total cost of an RFP response and omits optional fees', () => {
    const otherFees = [
      { name: 'Resort fee', amount: 12_345, mandatory: true },
      { name: 'Parking', amount: 99_999, mandatory: false },
    ]
    expect(computeTotalCost({ ...RESPONSE_A, otherFees }, QUANTITIES)).toMatchObject({ parts: { fees: 12_345 }, gross: 10_826_745 })
  })

  it('shifts nights and meals of an RFP response to an alternative arrival date', () => {
    const { nights, meals } = getRfpQuantitiesForDates(EXAMPLE_NEED, DATES, { arrival: '2027-06-17', departure: '2027-06-20' })
    expect(nights.map(({ night }) => night)).toEqual(['2027-06-17', '2027-06-18', '2027-06-19'])
    expect(meals.map(({ day }) => day)).toEqual(['2027-06-17', '2027-06-18'])
  })

  it('rounds the price of a night once, with the average rate of its room types', () => {
    const offered = [
      { night: '2027-06-10', roomType: 'king', rooms: 1, rates: { single: 10_001, double: 12_000 } },
      { night: '2027-06-10', roomType: 'queen', rooms: 2, rates: { single: 10_000 } },
    ]
    expect(computeRoomPriceOfNight(offered, { night: '2027-06-10', single: 5 })).toBe(50_002)
    expect(computeRoomPriceOfNight(offered, { night: '2027-06-10', single: 1, double: 1 })).toBe(20_667)
  })

  it('prices the suites of an RFP response at the suite rate', () => {
    const offered = [
      { night: '2027-06-10', roomType: 'king', rooms: 10, rates: { single: 10_000 } },
      { night: '2027-06-10', roomType: 'Junior Suite', rooms: 1, rates: { single: 40_000 } },
    ]
    expect(computeRoomPriceOfNight(offered, { night: '2027-06-10', single: 2, suite: 1 })).toBe(60_000)
  })

  it('values a concession of free rooms only for complete multiples of the agreed number of room nights', () => {
    const concessions = [{ kind: 'compRooms' as const, per: 251 }]
    expect(computeTotalCost({ ...RESPONSE_A, concessions }, QUANTITIES).concessions).toBe(0)
    expect(computeTotalCost({ ...RESPONSE_A, concessions: [{ kind: 'compRooms', per: 125 }] }, QUANTITIES).concessions).toBe(40_000)
  })
})
