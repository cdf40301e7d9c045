import { describe, expect, it } from 'vitest'
import { computeRoundedDistanceKm } from '../distance.ts'
import { scoreStay, countMatchedRoomPreferences } from '../recommend.ts'
import { calculateDeposit, getDepositRefundPercent, listStayNights, priceStay, getRateForOccupants } from '../stay.ts'

describe('listStayNights', () => {
  it('returns every day of a stay except check-out, also across clock changes', () => {
    expect(listStayNights('2027-06-10', '2027-06-13')).toEqual(['2027-06-10', '2027-06-11', '2027-06-12'])
    // Central Europe skips an hour on 28 March 2027 and repeats one on 31 October. Also covers New Year and a leap day.
    expect(listStayNights('2027-03-27', '2027-03-30')).toEqual(['2027-03-27', '2027-03-28', '2027-03-29'])
    expect(listStayNights('2027-10-30', '2027-11-02')).toHaveLength(3)
    expect(listStayNights('2027-12-31', '2028-01-01')).toEqual(['2027-12-31'])
    expect(listStayNights('2028-02-28', '2028-03-01')).toEqual(['2028-02-28', '2028-02-29'])
    expect(listStayNights('2027-06-13', '2027-06-10')).toEqual([])
  })
})

const grand = { tax_percent: '12.5000', fee_per_night: 1000, fee_taxed: false }
const rates = [18900, 18900, 20900]

describe('priceStay', () => {
  it("taxes each night separately, as in the specification's worked example", () => {
    expect(priceStay(grand, rates)).toEqual({ rooms: 58700, fees: 3000, tax: 2363 + 2363 + 2613, total: 69039, firstNight: 22263 })
  })

  it("adds tax to the nightly fee if the hotel's fee is taxed", () => {
    // 12.5% of 199.00 twice and of 219.00 once: 24.875 and 27.375, halves rounded away from zero.
    expect(priceStay({ ...grand, fee_taxed: true }, rates).tax).toBe(2488 + 2488 + 2738)
  })

  it('rounds prices in yen to whole yen', () => {
    const tokyo = { tax_percent: '10', fee_per_night: 305, fee_taxed: true }
    // 10% of 15,105 is 1,510.5 and of 20,305 is 2,030.5.
    expect(priceStay(tokyo, [14800, 20000])).toEqual({ rooms: 34800, fees: 610, tax: 1511 + 2031, total: 38952, firstNight: 16616 })
    expect(calculateDeposit({ guarantee: 'deposit', deposit: { kind: 'percent', value: '12.5' } }, priceStay(tokyo, [14800]), 'JPY')).toBe(
      2077,
    )
  })

  it('returns a price of zero for a stay without nights', () => expect(priceStay(grand, [])).toMatchObject({ total: 0, firstNight: 0 }))

  it('uses the nightly rate for the number of occupants, or the rate for the next lower number', () => {
    const night = { rate_single: 100, rate_double: 120, rate_triple: null, rate_quad: 150 }
    expect([1, 2, 3, 4, 8].map((people) => getRateForOccupants(night, people))).toEqual([100, 120, 120, 150, 150])
    expect(getRateForOccupants({ rate_single: 100, rate_double: null, rate_triple: null, rate_quad: null }, 4)).toBe(100)
  })
})

describe('room deposit', () => {
  const price = priceStay(grand, rates)
  const asks = (kind: 'firstNight' | 'amount' | 'percent', value: string | null = null, guarantee: 'deposit' | 'card' = 'deposit') =>
    calculateDeposit({ guarantee, deposit: { kind, value } }, price, 'EUR')

  it('calculates the deposit as the first night with fee and tax, a fixed amount, or a percentage', () => {
    expect([asks('firstNight'), asks('amount', '100.00'), asks('percent', '10'), asks('percent', '12.5')]).toEqual([
      22263, 10000, 6904, 8630,
    ])
    expect(asks('amount', '5000.00')).toBe(69039)
    expect([asks('firstNight', null, 'card'), calculateDeposit({ guarantee: 'deposit', deposit: null }, price, 'EUR')]).toEqual([
      null,
      null,
    ])
  })

  it('refunds the deposit by days before arrival', () => {
    const rules = {
      depositRefund: [
        { daysBefore: 7, percent: 50 },
        { daysBefore: 30, percent: 100 },
      ],
    }
    const on = (today: string) => getDepositRefundPercent(rules, '2027-06-30', today)
    expect([on('2027-05-31'), on('2027-06-01'), on('2027-06-20'), on('2027-06-23'), on('2027-06-24'), on('2027-07-01')]).toEqual([
      100, 50, 50, 50, 0, 0,
    ])
    expect(getDepositRefundPercent({ depositRefund: [] }, '2027-06-30', '2027-06-29')).toBe(100)
  })
})

describe('scoreStay', () => {
  const a = { total: 69039, distanceKm: 0.4, group: true as boolean | null, met: 1, asked: 2 }
  const b = { total: 54000, distanceKm: 2.5, group: false as boolean | null, met: 2, asked: 2 }
  const scores = (change: object) => [a, b].map((one) => scoreStay({ ...one, ...change }, 54000))

  it("returns the hotel scores of the specification's worked example, with and without group blocks", () => {
    expect(scores({})).toEqual([82.5, 65])
    expect(scores({ group: null })).toEqual([78.1, 81.3])
  })

  it('redistributes the weights of hotel scoring criteria that do not apply to the participant', () => {
    // Only price and distance count, so the score is divided by their weights: 0.65.
    expect(scores({ group: null, asked: 0, met: 0 })).toEqual([84.6, 76.9])
    expect(scores({ asked: 0, met: 0 })).toEqual([88.2, 58.8])
  })

  it('gives no distance points to a hotel that is far or has no distance, and full price points to a free stay', () => {
    expect(scoreStay({ ...b, distanceKm: 5, group: null, asked: 0 }, 54000)).toBe(53.8)
    expect(scoreStay({ ...b, distanceKm: null, group: null, asked: 0 }, 54000)).toBe(53.8)
    expect(scoreStay({ total: 0, distanceKm: 0, group: true, met: 1, asked: 1 }, 0)).toBe(100)
  })

  it('counts only the wishes that the participant stated in the score of a hotel room', () => {
    const hotel = { loyalty_program: 'Stars Club' } as Parameters<typeof countMatchedRoomPreferences>[0]['hotel']
    const type = { beds: ['king'], smoking: false, accessible: true } as Parameters<typeof countMatchedRoomPreferences>[1]['type']
    const met = (wishes: Parameters<typeof countMatchedRoomPreferences>[2]) =>
      countMatchedRoomPreferences({ hotel, distanceKm: 1.2 }, { type }, wishes)
    expect(met({})).toEqual({ met: 0, asked: 0 })
    expect(met({ bedType: 'King', smoking: false, accessible: true, loyaltyProgram: ' stars club ', maxKm: 1.2 })).toEqual({
      met: 5,
      asked: 5,
    })
    expect(met({ bedType: 'twin', smoking: true, accessible: false, loyaltyProgram: 'Other', maxKm: 1 })).toEqual({ met: 1, asked: 5 })
  })
})

describe('computeRoundedDistanceKm', () => {
  it('returns the great-circle distance of a hotel, and null without coordinates', () => {
    expect(computeRoundedDistanceKm({ latitude: 48.8584, longitude: 2.2945 }, { latitude: 48.8606, longitude: 2.3376 })).toBeCloseTo(
      3.16,
      1,
    )
    expect(computeRoundedDistanceKm({ latitude: 0, longitude: 179.99 }, { latitude: 0, longitude: -179.99 })).toBeCloseTo(2.22, 1)
    expect(computeRoundedDistanceKm({ latitude: 1, longitude: 1 }, { latitude: 1, longitude: 1 })).toBe(0)
    expect([
      computeRoundedDistanceKm(null, { latitude: 1, longitude: 1 }),
      computeRoundedDistanceKm({ latitude: 1 }, { latitude: 1, longitude: 1 }),
    ]).toEqual([null, null])
  })
})
