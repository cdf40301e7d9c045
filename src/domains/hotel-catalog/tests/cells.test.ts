import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeExactDistanceKm, computeRoundedDistanceKm } from '../../housing/distance.ts'
import { listMapCellRanges } from '../cells.ts'

/** The cell of a point, as the generated column of the database calculates it. */
const cellOf = ({ latitude, longitude }: { latitude: number; longitude: number }) =>
  Math.min(1799, Math.floor((latitude + 90) * 10)) * 3600 + Math.min(3599, Math.floor((longitude + 180) * 10))

const point = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
})

describe('listMapCellRanges', () => {
  it('lists ranges of map cells that contain every point within the radius', () => {
    const near = fc.record({ north: fc.double({ min: -0.5, max: 0.5, noNaN: true }), east: fc.double({ min: -5, max: 5, noNaN: true }) })
    fc.assert(
      fc.property(point, near, fc.double({ min: 0.1, max: 50, noNaN: true }), (center, { north, east }, radiusKm) => {
        const other = {
          latitude: Math.max(-90, Math.min(90, center.latitude + north)),
          longitude: ((center.longitude + east + 540) % 360) - 180,
        }
        fc.pre(computeExactDistanceKm(center, other)! <= radiusKm)
        const cell = cellOf(other)
        expect(listMapCellRanges(center, radiusKm).some(({ first, last }) => first <= cell && cell <= last)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('includes a place just beyond the radius whose rounded distance equals the radius', () => {
    const center = { latitude: 38.8 - 5.002 / 111.195, longitude: -9.14 }
    const place = { latitude: center.latitude + 5.004 / 111.195, longitude: -9.14 }
    expect(computeRoundedDistanceKm(center, place)).toBe(5)
    expect(cellOf(place)).not.toBe(cellOf({ ...place, latitude: center.latitude + 5 / 111.195 }))
    expect(listMapCellRanges(center, 5).some(({ first, last }) => first <= cellOf(place) && cellOf(place) <= last)).toBe(true)
  })

  it('lists ranges of map cells across the 180th meridian and around the poles', () => {
    const fiji = { latitude: -16.8, longitude: 179.99 }
    const across = cellOf({ latitude: -16.8, longitude: -179.99 })
    expect(listMapCellRanges(fiji, 10).some(({ first, last }) => first <= across && across <= last)).toBe(true)
    expect(listMapCellRanges({ latitude: 89.99, longitude: 0 }, 10)).toContainEqual({ first: 1799 * 3600, last: 1799 * 3600 + 3599 })
  })

  it('lists at most six map cells for a circle of 5 km', () => {
    const cells = listMapCellRanges({ latitude: 38.7, longitude: -9.14 }, 5).reduce((sum, { first, last }) => sum + last - first + 1, 0)
    expect(cells).toBeLessThanOrEqual(6)
  })
})
