import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SupplierFitInput, type FitRequirements, rateSupplierFit } from '../fit.ts'

const FACTS: SupplierFitInput = { sleepingRooms: 125, totalMeetingSqm: 500, km: 0, amenities: ['wifi'], history: { rfps: 2, responses: 2 } }
const NEED: FitRequirements = { peak: 100, area: 500, radiusKm: 10, mustHaves: ['wifi'] }

/** Computes the fit by the specification's formula as sums of points, independently of the code under test. */
function model(facts: SupplierFitInput, need: FitRequirements): { fit: number; unknown: string[] } {
  let points = 0
  let possible = 0
  const unknown: string[] = []
  const add = (name: string, weight: number, share: number | null) => {
    possible += weight
    if (share === null) unknown.push(name)
    points += share === null ? weight / 2 : weight * share
  }
  if (need.peak > 0) {
    const usable = facts.sleepingRooms === null ? null : facts.sleepingRooms * 0.8
    add('rooms', 30, usable === null ? null : usable >= need.peak ? 1 : usable / need.peak)
  }
  if (need.area > 0)
    add('space', 30, facts.totalMeetingSqm === null ? null : facts.totalMeetingSqm >= need.area ? 1 : facts.totalMeetingSqm / need.area)
  if (need.radiusKm !== null)
    add('place', 20, facts.km === null ? null : facts.km >= need.radiusKm ? 0 : (need.radiusKm - facts.km) / need.radiusKm)
  if (need.mustHaves.length > 0) {
    let met = 0
    for (const wanted of need.mustHaves) if (facts.amenities.some((has) => has.toLowerCase() === wanted.toLowerCase())) met++
    add('amenities', 10, facts.amenities.length === 0 ? null : met / need.mustHaves.length)
  }
  add('history', 10, facts.history.rfps === 0 ? null : facts.history.responses / facts.history.rfps)
  return { fit: (points / possible) * 100, unknown }
}

const AMENITIES = ['wifi', 'parking', 'pool', 'gym', 'sauna']
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null })
const cases = fc.record({
  facts: fc.record({
    sleepingRooms: maybe(fc.integer({ min: 0, max: 900 })),
    totalMeetingSqm: maybe(fc.double({ min: 0, max: 9000, noNaN: true })),
    km: maybe(fc.double({ min: 0, max: 60, noNaN: true })),
    amenities: fc.uniqueArray(fc.constantFrom(...AMENITIES, ...AMENITIES.map((word) => word.toUpperCase())), {
      selector: (word) => word.toLowerCase(),
    }),
    history: fc
      .integer({ min: 0, max: 12 })
      .chain((rfps) => fc.record({ rfps: fc.constant(rfps), responses: fc.integer({ min: 0, max: rfps }) })),
  }),
  need: fc.record({
    peak: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 600 })),
    area: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 6000 })),
    radiusKm: maybe(fc.double({ min: 0.1, max: 50, noNaN: true })),
    mustHaves: fc.uniqueArray(fc.constantFrom(...AMENITIES)),
  }),
})

describe('rateSupplierFit', () => {
  it('gives the fit 100 to a supplier at the center that meets all requirements', () => {
    expect(rateSupplierFit(FACTS, NEED)).toEqual({
      fit: 100,
      unknown: [],
      shares: { rooms: 1, space: 1, place: 1, amenities: 1, history: 1 },
    })
  })

  it("counts only four fifths of a supplier's sleeping rooms as available, and limits points to each weight", () => {
    // The rooms get 30 × 100 × 0.8 / 100 = 24 of 30 points.
    expect(rateSupplierFit({ ...FACTS, sleepingRooms: 100 }, NEED).fit).toBe(94)
    expect(rateSupplierFit({ ...FACTS, sleepingRooms: 1000 }, NEED).fit).toBe(100)
  })

  it("reduces a supplier's points for the location in proportion to the distance, down to 0", () => {
    expect(rateSupplierFit({ ...FACTS, km: 2.5 }, NEED).fit).toBe(95)
    expect(rateSupplierFit({ ...FACTS, km: 10 }, NEED).fit).toBe(80)
    expect(rateSupplierFit({ ...FACTS, km: 500 }, NEED).fit).toBe(80)
  })

  it('gives half of the points for supplier requirements with unknown facts, and lists them', () => {
    const nothing: SupplierFitInput = {
      sleepingRooms: null,
      totalMeetingSqm: null,
      km: null,
      amenities: [],
      history: { rfps: 0, responses: 0 },
    }
    expect(rateSupplierFit(nothing, NEED)).toMatchObject({ fit: 50, unknown: ['rooms', 'space', 'place', 'amenities', 'history'] })
  })

  it('leaves out supplier requirements that are not needed, and scales the remaining points to 100', () => {
    const need: FitRequirements = { peak: 0, area: 0, radiusKm: 10, mustHaves: [] }
    // The place gets 20 × 0.75 points and the history 10, of 30 points.
    expect(rateSupplierFit({ ...FACTS, km: 2.5 }, need)).toMatchObject({ fit: 83.3, unknown: [] })
  })

  it('matches amenities regardless of case and punctuation', () => {
    expect(rateSupplierFit({ ...FACTS, amenities: ['Wi-Fi', 'Pool'] }, { ...NEED, mustHaves: ['wifi', 'sauna'] }).shares.amenities).toBe(
      0.5,
    )
  })

  it('computes the same supplier fit as an independent model in 1,000 random cases', () => {
    fc.assert(
      fc.property(cases, ({ facts, need }) => {
        const expected = model(facts, need)
        const { fit, unknown } = rateSupplierFit(facts, need)
        expect(Math.abs(fit - expected.fit)).toBeLessThanOrEqual(0.05 + 1e-9)
        expect(unknown).toEqual(expected.unknown)
        expect(fit >= 0 && fit <= 100).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})
