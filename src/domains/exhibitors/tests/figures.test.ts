import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { computeBoothMeasurements } from '../floor/booth-figures.ts'
import { buildFloorSpatialIndex } from '../floor/floor-index.ts'
import { findPlacementProblems } from '../floor/placement.ts'
import { computeFloorPlanMetrics } from '../floor/plan-figures.ts'
import {
  type Obstacle,
  type PointOfInterest,
  type Point,
  type Polygon,
  toTenthsOfMillimetres,
  type PlanUnits,
} from '../floor/plan-shapes.ts'
import { computeUncoveredArea } from '../floor/polygons.ts'

const shape = (units: PlanUnits, ...points: [number, number][]): Polygon =>
  points.map(([x, y]): Point => [toTenthsOfMillimetres(x, units), toTenthsOfMillimetres(y, units)])
const box = (x: number, y: number, width: number, depth: number, units: PlanUnits = 'm') =>
  shape(units, [x, y], [x + width, y], [x + width, y + depth], [x, y + depth])
const pillar = (id: string, polygon: Polygon, more: Partial<Obstacle> = {}): Obstacle => ({
  id,
  kind: 'pillar',
  polygon,
  blocksWalking: true,
  ...more,
})

/** Layout A of the specification: three double rows of eight columns of 10 × 10 ft in a hall of 100 × 100 ft. */
const layoutA = [10, 40, 70].flatMap((y, band) =>
  [0, 1].flatMap((row) =>
    Array.from({ length: 8 }, (_, column) => ({
      number: `${100 * (band * 2 + row + 1) + 2 * column + 1}`,
      polygon: box(10 + 10 * column, y + 10 * row, 10, 10, 'ft'),
      status: 'available' as const,
    })),
  ),
)
const hallA = { units: 'ft' as const, outline: { outer: box(0, 0, 100, 100, 'ft'), holes: [] }, obstacles: [], pois: [] }

describe('computeFloorPlanMetrics', () => {
  it('calculates gross 10,000 and net 4,800 square feet, 48.0 percent and 48 available booths for one floor plan', () => {
    expect(computeFloorPlanMetrics(hallA, layoutA)).toEqual({
      gross: 10_000,
      grossM2: 929.0304,
      net: 4800,
      netM2: 445.9346,
      netGross: 48,
      booths: { total: 48, available: 48, held: 0, assigned: 0, blocked: 0 },
    })
  })

  it('subtracts holes and no-build areas, but not pillars, from the gross area once, also where they overlap or reach outside', () => {
    const outline = { outer: box(0, 0, 20, 10), holes: [box(0, 0, 2, 2)] }
    const noBuild = (id: string, polygon: Polygon) => pillar(id, polygon, { kind: 'noBuild', blocksWalking: false })
    const obstacles = [
      noBuild('a', box(1, 1, 3, 3)),
      noBuild('b', box(18, 8, 4, 4)),
      noBuild('c', box(2, 2, 2, 2)),
      pillar('d', box(10, 5, 1, 1)),
    ]
    // 200 − hole 4 − (9 − 1 shared with the hole) − the 4 of b that are inside; c lies within a.
    expect(computeFloorPlanMetrics({ units: 'm', outline, obstacles }, []).gross).toBe(184)
  })

  it('counts a blocked booth without its area, and leaves out merged booths, in the figures of a floor plan', () => {
    const booths = [
      { polygon: box(0, 0, 3, 3), status: 'assigned' as const },
      { polygon: box(3, 0, 3, 3), status: 'blocked' as const },
      { polygon: box(6, 0, 3, 3), status: 'merged' as const },
      { polygon: box(6, 0, 6, 3), status: 'held' as const },
    ]
    expect(computeFloorPlanMetrics({ units: 'm', outline: { outer: box(0, 0, 20, 9), holes: [] }, obstacles: [] }, booths)).toMatchObject({
      net: 27,
      netGross: 15,
      booths: { total: 3, available: 0, held: 1, assigned: 1, blocked: 1 },
    })
  })

  it('subtracts rectangles from an area with the same result as counting the uncovered unit squares', () => {
    const side = fc.integer({ min: 1, max: 6 })
    const place = fc.integer({ min: -3, max: 11 })
    fc.assert(
      fc.property(fc.array(fc.tuple(place, place, side, side), { maxLength: 6 }), (cuts) => {
        let left = 0
        for (let x = 0; x < 12; x++)
          for (let y = 0; y < 12; y++) if (!cuts.some(([cx, cy, w, d]) => x >= cx && x < cx + w && y >= cy && y < cy + d)) left++
        const area = computeUncoveredArea(
          box(0, 0, 12, 12),
          cuts.map(([x, y, w, d]) => box(x, y, w, d)),
        )
        expect(area / 1e8).toBeCloseTo(left, 6)
      }),
    )
  })
})

describe('computeBoothMeasurements', () => {
  const derive = (polygon: Polygon, others: Polygon[] = [], obstacles: Obstacle[] = []) => {
    const floor = buildFloorSpatialIndex({
      outline: { outer: box(0, 0, 40, 30), holes: [] },
      obstacles,
      booths: [polygon, ...others].map((one) => ({ polygon: one })),
    })
    return computeBoothMeasurements(floor, polygon, 'm')
  }

  it('finds twelve corner booths and 36 inline booths in layout A of the specification', () => {
    const floor = buildFloorSpatialIndex({ ...hallA, booths: layoutA })
    const types = layoutA.map(({ polygon }) => computeBoothMeasurements(floor, polygon, 'ft'))
    expect(types.filter(({ type }) => type === 'corner')).toHaveLength(12)
    expect(types.filter(({ type }) => type === 'inline')).toHaveLength(36)
    expect(types[0]).toEqual({ area: 100, areaM2: 9.2903, width: 10, depth: 10, openSides: 2, type: 'corner' })
  })

  it.each([
    ['island', 4, box(10, 10, 6, 6), []],
    ['peninsula', 3, box(10, 10, 6, 3), [box(7, 10, 3, 3)]],
    ['corner', 2, box(10, 10, 3, 3), [box(7, 10, 3, 3), box(10, 13, 3, 3)]],
    ['inline', 1, box(10, 10, 3, 3), [box(7, 10, 3, 3), box(13, 10, 3, 3), box(10, 13, 3, 3)]],
    ['perimeter', 1, box(10, 27, 3, 3), [box(7, 27, 3, 3), box(13, 27, 3, 3)]],
    ['corner', 2, box(0, 0, 3, 3), []],
  ] as const)('classifies a booth as %s with %i open sides', (type, openSides, polygon, others) => {
    expect(derive(polygon, [...others])).toMatchObject({ type, openSides })
  })

  it('counts a booth side as open if it is at least a metre long and 80 percent of it faces 1.5 metres of walkable floor', () => {
    const facing = (distance: number, length: number) => derive(box(10, 10, 5, 3), [box(15 + distance, 10, 2, length)]).openSides
    expect([facing(1.5, 3), facing(1.49, 3), facing(1, 0.6), facing(1, 0.61)]).toEqual([4, 3, 4, 3])
    const blocked = (blocksWalking: boolean) =>
      derive(box(10, 10, 3, 3), [], [pillar('p', box(13.5, 10, 1, 2), { blocksWalking })]).openSides
    expect([blocked(true), blocked(false)]).toEqual([3, 4])
    expect(derive(box(10, 10, 3, 0.99)).openSides).toBe(2)
    expect(derive(box(10, 10, 3, 1)).openSides).toBe(4)
  })

  it('counts a side of a booth that is drawn in two parts once', () => {
    expect(derive(shape('m', [10, 10], [12, 10], [16, 10], [16, 13], [10, 13])).openSides).toBe(4)
  })
})

describe('findPlacementProblems', () => {
  const exit: PointOfInterest = { id: 'x1', kind: 'fireExit', name: 'Exit', point: [0, 0], polygon: box(0, 0, 3, 6) }
  const plan = {
    outline: { outer: box(0, 0, 40, 30), holes: [box(20, 20, 4, 4)] },
    obstacles: [pillar('p1', box(10, 20, 1, 1)), pillar('n1', box(30, 20, 4, 4), { kind: 'noBuild', blocksWalking: false })],
    pois: [exit],
  }
  const find = (...polygons: Polygon[]) =>
    runTaskSynchronously(
      findPlacementProblems(
        plan,
        polygons.map((polygon, i) => ({ number: `${i + 1}`, polygon })),
      ),
    ).map(({ number, reason }) => `${number} ${reason}`)

  it('reports booths outside the hall, in a hole, on a pillar, before a fire exit and on another booth', () => {
    expect(find(box(38, 0, 3, 3), box(22, 22, 3, 3), box(9, 19, 3, 3), box(2, 5, 3, 3), box(25, 5, 3, 3), box(27, 5, 3, 3))).toEqual([
      '1 lies outside the hall',
      '2 lies outside the hall',
      '3 stands on the pillar p1',
      '4 blocks the emergency exit x1',
      '6 overlaps booth 5',
    ])
  })

  it('accepts booths that touch, or overlap by at most 0.01 square metres', () => {
    expect(find(box(10, 10, 3, 3), box(13, 10, 3, 3), box(15.997, 10, 3, 3), box(3, 6, 3, 3))).toEqual([])
    expect(find(box(10, 10, 3, 3), box(12.996, 10, 3, 3))).toEqual(['2 overlaps booth 1'])
  })

  it('reports no placement problem in layout A of the specification', () => {
    expect(runTaskSynchronously(findPlacementProblems(hallA, layoutA))).toEqual([])
  })
})
