import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { buildWalkableGrid, getCellCentre, findBoothAccessCell, findOpenSides } from '../floor/grid.ts'
import { fromTenthsOfMillimetres, TENTHS_OF_MM_PER_METRE, type Point, type Polygon, toTenthsOfMillimetres } from '../floor/plan-shapes.ts'
import {
  computePolygonArea,
  computeCentroid,
  toCounterClockwise,
  findSmallestRectangle,
  findPolygonError,
  computeOverlapArea,
} from '../floor/polygons.ts'
import { findRoute } from '../floor/route.ts'
import { sortRouteStops } from '../floor/stop-order.ts'

const metres = (...points: [number, number][]): Polygon =>
  points.map(([x, y]): Point => [x * TENTHS_OF_MM_PER_METRE, y * TENTHS_OF_MM_PER_METRE])
const box = (x: number, y: number, width: number, depth: number) => metres([x, y], [x + width, y], [x + width, y + depth], [x, y + depth])
const square = TENTHS_OF_MM_PER_METRE * TENTHS_OF_MM_PER_METRE

describe('conversion of lengths', () => {
  it('converts metres and feet exactly to tenths of millimetres', () => {
    expect([
      toTenthsOfMillimetres(1, 'ft'),
      toTenthsOfMillimetres(1, 'm'),
      toTenthsOfMillimetres(100, 'ft'),
      toTenthsOfMillimetres(0.0001, 'm'),
    ]).toEqual([3048, 10_000, 304_800, 1])
    for (const [value, units] of [
      [0.5, 'ft'],
      [99.9999, 'm'],
      [12.5, 'ft'],
    ] as const)
      expect(fromTenthsOfMillimetres(toTenthsOfMillimetres(value, units), units)).toBe(value)
  })
})

describe('polygons', () => {
  it.each([
    ['two points', metres([0, 0], [1, 0]), 'a polygon has 3 to 500 points'],
    ['a bow tie', metres([0, 0], [2, 2], [2, 0], [0, 2]), 'crosses itself at [1, 1]'],
    ['a line', metres([0, 0], [1, 0], [2, 0]), 'crosses itself at [0, 0]'],
    ['a spike', metres([0, 0], [3, 0], [1, 0], [1, 2]), 'crosses itself at [3, 0]'],
    ['a corner that touches an edge', metres([0, 0], [4, 0], [4, 2], [2, 0], [0, 2]), 'crosses itself at [2, 0]'],
    ['a rectangle', box(0, 0, 3, 3), null],
    ['a polygon that crosses itself in the other direction', box(0, 0, 3, 3).toReversed(), null],
    ['an L', metres([0, 0], [4, 0], [4, 1], [1, 1], [1, 3], [0, 3]), null],
  ])('rejects an invalid polygon: %s', (_what, polygon, problem) => {
    expect(findPolygonError(polygon, 'm')).toBe(problem)
  })

  it('stores polygons counter-clockwise', () => {
    expect(toCounterClockwise(box(0, 0, 1, 1).toReversed())).toEqual(expect.arrayContaining([...box(0, 0, 1, 1)]))
    expect(toCounterClockwise(box(0, 0, 1, 1))).toEqual(box(0, 0, 1, 1))
  })

  it.each([
    ['side by side', box(0, 0, 3, 3), box(3, 0, 3, 3), 0],
    ['half overlapping', box(0, 0, 3, 3), box(1.5, 0, 3, 3), 4.5],
    ['one inside the other', box(0, 0, 10, 10), box(2, 2, 3, 3), 9],
    ['the same', box(0, 0, 3, 2), box(0, 0, 3, 2), 6],
    ['apart', box(0, 0, 1, 1), box(5, 5, 1, 1), 0],
    ['a diamond over a square', metres([0, -1], [1, 0], [0, 1], [-1, 0]), box(0, 0, 2, 2), 0.5],
    ['an L with its notch filled', metres([0, 0], [4, 0], [4, 1], [1, 1], [1, 3], [0, 3]), box(1, 1, 2, 2), 0],
  ])('calculates the shared area of two polygons: %s', (_what, a, b, expected) => {
    expect(computeOverlapArea(a, b) / square).toBeCloseTo(expected, 6)
    expect(computeOverlapArea(b, a) / square).toBeCloseTo(expected, 6)
  })

  it('calculates the same shared area for polygons as for rectangles, at any position', () => {
    const side = fc.integer({ min: 1, max: 20 })
    const place = fc.integer({ min: -20, max: 20 })
    fc.assert(
      fc.property(place, place, side, side, place, place, side, side, (ax, ay, aw, ad, bx, by, bw, bd) => {
        const over = Math.max(0, Math.min(ax + aw, bx + bw) - Math.max(ax, bx)) * Math.max(0, Math.min(ay + ad, by + bd) - Math.max(ay, by))
        expect(computeOverlapArea(box(ax, ay, aw, ad), box(bx, by, bw, bd)) / square).toBeCloseTo(over, 5)
      }),
    )
  })

  it('finds the smallest rectangle around a polygon, also when rotated', () => {
    expect(findSmallestRectangle(box(5, 5, 6, 3))).toEqual({ width: 6 * TENTHS_OF_MM_PER_METRE, depth: 3 * TENTHS_OF_MM_PER_METRE })
    expect(findSmallestRectangle(box(5, 5, 3, 6))).toEqual({ width: 3 * TENTHS_OF_MM_PER_METRE, depth: 6 * TENTHS_OF_MM_PER_METRE })
    const turned = findSmallestRectangle(metres([0, 0], [3, 4], [-1, 7], [-4, 3]))
    expect(turned.width / TENTHS_OF_MM_PER_METRE).toBeCloseTo(5, 6)
    expect(turned.depth / TENTHS_OF_MM_PER_METRE).toBeCloseTo(5, 6)
    expect(computeCentroid(box(2, 4, 6, 2)).map((value) => value / TENTHS_OF_MM_PER_METRE)).toEqual([5, 5])
    expect(computePolygonArea(metres([0, 0], [4, 0], [4, 1], [1, 1], [1, 3], [0, 3])) / square).toBe(6)
  })
})

/** A double row of 3 × 3 metre booths in the middle of a hall of 30 × 20 metres. */
const rows = [0, 1, 2, 3, 4].flatMap((i) => [
  { number: `10${2 * i + 1}`, polygon: box(6 + 3 * i, 7, 3, 3) },
  { number: `20${2 * i + 1}`, polygon: box(6 + 3 * i, 10, 3, 3) },
])
const hall = { outline: { outer: box(0, 0, 30, 20), holes: [] }, obstacles: [], booths: rows }
const grid = runTaskSynchronously(buildWalkableGrid(hall))
const boothAt = (number: string) => rows.find((one) => one.number === number)!

describe('walkable floor', () => {
  it('finds two open sides of a corner booth, and one open side of an inner booth', () => {
    expect(rows.map(({ number, polygon }) => [number, findOpenSides(grid, polygon).length])).toEqual(
      rows.map(({ number }) => [number, ['101', '109', '201', '209'].includes(number) ? 2 : 1]),
    )
  })

  it('finds four open sides of an island booth, one of a booth at a wall, and two of a booth in a corner of the hall', () => {
    const open = (polygon: Polygon, others: Polygon[] = []) =>
      findOpenSides(
        runTaskSynchronously(buildWalkableGrid({ ...hall, booths: [polygon, ...others].map((one) => ({ polygon: one })) })),
        polygon,
      ).length
    expect(open(box(12, 8, 3, 3))).toBe(4)
    expect(open(box(9, 0, 3, 3), [box(6, 0, 3, 3), box(12, 0, 3, 3)])).toBe(1)
    expect(open(box(0, 0, 3, 3))).toBe(2)
    expect(open(box(27, 17, 3, 3))).toBe(2)
    // A gap of one metre is too narrow to stand in.
    expect(open(box(12, 8, 3, 3), [box(16, 8, 3, 3)])).toBe(3)
  })

  it('measures walking distances in metres: nine metres between two booths on one aisle', () => {
    const route = runTaskSynchronously(findRoute(grid, boothAt('103'), [boothAt('109')]))!
    expect(route).toMatchObject({ stops: [{ number: '109', metres: 9 }], metres: 9, minutes: 0.1, unreachable: [] })
  })

  it('routes visitors to the longest open side of a booth; of equal sides to that with the lower x, then the lower y', () => {
    const reached = (polygon: Polygon) => {
      const [x, y] = getCellCentre(grid, findBoothAccessCell(grid, polygon)!)
      return [x / TENTHS_OF_MM_PER_METRE, y / TENTHS_OF_MM_PER_METRE]
    }
    const [left, right] = [boothAt('101').polygon, boothAt('109').polygon]
    expect(reached(left)[0]).toBeLessThan(6)
    expect(reached(left)[1]).toBeCloseTo(8.5, 0)
    // For booth 109 the lower side is used, because its middle has a lower x than the middle of the right side.
    expect(reached(right)[0]).toBeCloseTo(19.5, 0)
    expect(reached(right)[1]).toBeLessThan(7)
    // The order in which the corners of a booth are listed does not matter.
    for (const polygon of [left, right]) expect(reached([...polygon.slice(2), ...polygon.slice(0, 2)])).toEqual(reached(polygon))
  })

  it('routes visitors around booths, and visits the requested booths in the shortest order', () => {
    const start: Point = [15 * TENTHS_OF_MM_PER_METRE, 0.5 * TENTHS_OF_MM_PER_METRE]
    const route = runTaskSynchronously(findRoute(grid, start, [boothAt('209'), boothAt('101'), boothAt('105'), boothAt('201')]))!
    expect(route.stops.map(({ number }) => number)).toEqual(['105', '101', '201', '209'])
    expect(route.metres).toBeCloseTo(
      route.stops.reduce((sum, stop) => sum + stop.metres, 0),
      0,
    )
    expect(route.points.length).toBeGreaterThan(4)
  })

  it('lists the booths that visitors cannot reach on foot', () => {
    const walls = [box(19, 0, 1, 20)].map((polygon) => ({ id: 'w', kind: 'wall' as const, polygon, blocksWalking: true }))
    const divided = runTaskSynchronously(
      buildWalkableGrid({ ...hall, obstacles: walls, booths: [{ polygon: box(25, 8, 3, 3) }, { polygon: box(3, 3, 3, 3) }] }),
    )
    const route = runTaskSynchronously(
      findRoute(
        divided,
        [TENTHS_OF_MM_PER_METRE, TENTHS_OF_MM_PER_METRE],
        [
          { number: 'X', polygon: box(25, 8, 3, 3) },
          { number: 'Y', polygon: box(3, 3, 3, 3) },
        ],
      ),
    )!
    expect(route.unreachable).toEqual(['X'])
    expect(route.stops.map(({ number }) => number)).toEqual(['Y'])
  })
})

describe('sortRouteStops', () => {
  const all = (items: number[]): number[][] =>
    items.length === 0 ? [[]] : items.flatMap((one) => all(items.filter((x) => x !== one)).map((rest) => [one, ...rest]))
  const lengthOf = (between: number[][], order: readonly number[]) =>
    order.reduce((sum, stop, i) => sum + between[i === 0 ? 0 : order[i - 1]!]![stop]!, 0)
  const between = (points: readonly (readonly [number, number])[]) =>
    points.map(([ax, ay]) => points.map(([bx, by]) => Math.hypot(ax - bx, ay - by)))
  const points = (min: number, max: number) =>
    fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 50 })), { minLength: min, maxLength: max })

  it('finds the shortest order of up to nine stops of a walking route', () => {
    fc.assert(
      fc.property(points(1, 7), (places) => {
        const lengths = between(places)
        const best = Math.min(...all(places.slice(1).map((_, i) => i + 1)).map((order) => lengthOf(lengths, order)))
        expect(lengthOf(lengths, sortRouteStops(lengths))).toBeCloseTo(best, 6)
      }),
      { numRuns: 40 },
    )
  })

  it('visits each of more than nine stops once, on a route that is no longer than the nearest-neighbour route', () => {
    fc.assert(
      fc.property(points(12, 25), (places) => {
        const lengths = between(places)
        const order = sortRouteStops(lengths)
        expect(order.toSorted((a, b) => a - b)).toEqual(places.slice(1).map((_, i) => i + 1))
        const greedy: number[] = []
        while (greedy.length < places.length - 1) {
          const here = greedy.at(-1) ?? 0
          const left = places
            .map((_, i) => i)
            .slice(1)
            .filter((i) => !greedy.includes(i))
          greedy.push(left.reduce((best, stop) => (lengths[here]![stop]! < lengths[here]![best]! ? stop : best)))
        }
        expect(lengthOf(lengths, order)).toBeLessThanOrEqual(lengthOf(lengths, greedy) + 1e-6)
      }),
      { numRuns: 40 },
    )
  })
})
