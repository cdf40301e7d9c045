import { describe, expect, it } from 'vitest'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { buildWalkableGrid, findNearestCells } from '../floor/grid.ts'
import { TENTHS_OF_MM_PER_METRE, type PointOfInterest, type Point, type Polygon } from '../floor/plan-shapes.ts'
import { measureQuality } from '../placement/quality.ts'
import { computePercentileRanks, computeSpearmanCorrelation } from '../placement/ranks.ts'
import { createVisitorFlow } from '../placement/visitor-flow.ts'

const metres = ([x, y]: Point): Point => [x * TENTHS_OF_MM_PER_METRE, y * TENTHS_OF_MM_PER_METRE]
const box = (x: number, y: number, width: number, depth: number): Polygon =>
  (
    [
      [x, y],
      [x + width, y],
      [x + width, y + depth],
      [x, y + depth],
    ] as const
  ).map(metres)
const poi = (kind: PointOfInterest['kind'], x: number, y: number): PointOfInterest => ({
  id: `${kind}-${x}-${y}`,
  kind,
  name: kind,
  point: metres([x, y]),
})

/** Two double rows and an island in a hall of 40 × 27 metres, symmetric left and right, and top and bottom. */
const booths = [
  ...[6, 21].flatMap((y) =>
    [0, 1, 2, 3, 4, 5].flatMap((i) => [y, y - 3].map((at) => ({ id: `${y}-${i}-${at}`, polygon: box(11 + 3 * i, at, 3, 3) }))),
  ),
  { id: 'island', polygon: box(18, 11.5, 4, 4) },
]
const outline = { outer: box(0, 0, 40, 27), holes: [] }
const measure = (
  pois: readonly PointOfInterest[],
  shown: readonly { id: string; polygon: Polygon }[] = booths,
  weights?: Parameters<typeof measureQuality>[2],
) => runTaskSynchronously(measureQuality({ outline, obstacles: [], pois: [...pois] }, shown, weights))!

const mirrorX = (polygon: Polygon) => polygon.map(([x, y]): Point => [40 * TENTHS_OF_MM_PER_METRE - x, y]).toReversed()

describe('measureQuality', () => {
  it('gives booths of a mirrored floor plan the same quality scores as their originals', () => {
    const places = [poi('entrance', 0, 13), poi('food', 30, 2), poi('restroom', 5, 25)]
    const mirrored = places.map((one): PointOfInterest => ({ ...one, point: [40 * TENTHS_OF_MM_PER_METRE - one.point[0], one.point[1]] }))
    const there = measure(places)
    const here = measure(
      mirrored,
      booths.map(({ id, polygon }) => ({ id, polygon: mirrorX(polygon) })),
    )
    expect(new Set([...there.values()].map(({ quality }) => quality)).size).toBeGreaterThan(10)
    expect(here).toEqual(there)
  })

  it('mirrors the quality scores of booths if the entrance moves to the other end of a symmetric hall', () => {
    const [left, right] = [measure([poi('entrance', 0, 13.5)]), measure([poi('entrance', 40, 13.5)])]
    for (const { id, polygon } of booths) {
      const twin = booths.find(
        (one) => one.polygon[0]![0] === 40 * TENTHS_OF_MM_PER_METRE - polygon[1]![0] && one.polygon[0]![1] === polygon[0]![1],
      )!
      expect(right.get(twin.id)).toEqual(left.get(id))
    }
    expect(left).not.toEqual(right)
  })

  it('rates booths higher that are near the entrance, on the way or have more open sides', () => {
    const rated = measure([poi('entrance', 0, 13.5)])
    const island = rated.get('island')!
    expect(island).toMatchObject({ openSides: 4 })
    for (const one of rated.values()) {
      expect(one.quality).toBeGreaterThanOrEqual(0)
      expect(one.quality).toBeLessThanOrEqual(100)
      expect(one.exposure).toBeLessThanOrEqual(1)
    }
    expect(rated.get('6-0-6')!.distanceToEntrance).toBeLessThan(rated.get('6-5-6')!.distanceToEntrance!)
    expect(measure([poi('entrance', 0, 13.5)], booths, { exposure: 0, proximity: 0, openSides: 1 }).get('island')!.quality).toBe(100)
  })

  it('rates booths higher near an entrance with wider doors', () => {
    const doors = (wide: number) => [{ ...poi('entrance', 0, 13.5), doorWidth: wide * TENTHS_OF_MM_PER_METRE }, poi('entrance', 40, 13.5)]
    const first = (wide: number) => measure(doors(wide)).get('6-0-6')!.exposure
    expect(first(9)).toBeGreaterThan(first(1))
    expect(first(1)).toBe(measure([poi('entrance', 0, 13.5), poi('entrance', 40, 13.5)]).get('6-0-6')!.exposure)
  })

  it('returns no booth quality for a plan without an entrance, and no distance to an unreachable booth', () => {
    expect(runTaskSynchronously(measureQuality({ outline, obstacles: [], pois: [poi('exit', 0, 0)] }, booths))).toBeNull()
    const wall = [{ id: 'w', kind: 'wall' as const, polygon: box(30, 0, 1, 27), blocksWalking: true }]
    const rated = runTaskSynchronously(
      measureQuality({ outline, obstacles: wall, pois: [poi('entrance', 0, 13)] }, [
        ...booths.slice(0, 3),
        { id: 'far', polygon: box(34, 10, 3, 3) },
      ]),
    )!
    expect(rated.get('far')).toMatchObject({ exposure: 0, distanceToEntrance: null })
  })
})

describe('createVisitorFlow', () => {
  const grid = runTaskSynchronously(buildWalkableGrid({ outline, obstacles: [], booths: booths }))
  const cellAt = (x: number, y: number) => findNearestCells(grid, metres([x, y]))[0]!

  it('counts a visitor once who passes several of the given grid cells', () => {
    const destinations = [
      { cells: [cellAt(38.25, 13.25)], weight: 2 },
      { cells: [cellAt(38.25, 1.25)], weight: 1 },
    ]
    const flow = runTaskSynchronously(createVisitorFlow(grid, [cellAt(0.25, 13.25)], destinations))
    expect(flow.total).toBe(3)
    expect(flow.through([cellAt(0.25, 13.25)])).toBeCloseTo(3, 9)
    const all = Array.from({ length: grid.walkable.length }, (_, i) => i).filter((cell) => grid.walkable[cell] === 1)
    expect(flow.through(all)).toBeCloseTo(3, 9)
    // All visitors cross every column of the grid on their way.
    const column = (x: number) => all.filter((cell) => cell % grid.columns === x)
    for (const x of [5, 30, 60]) expect(flow.through(column(x))).toBeCloseTo(3, 9)
    expect(flow.through([...column(5), ...column(30)])).toBeCloseTo(3, 9)
    expect(flow.through(column(79))).toBe(0)
  })
})

describe('ranks', () => {
  it("calculates the rank correlation of the specification's example, with mean ranks for ties", () => {
    expect(computeSpearmanCorrelation([74, 60, 60, 20], [82, 71, 40, 55])).toBeCloseTo(0.632, 3)
    expect(computeSpearmanCorrelation([1, 2, 3], [10, 20, 30])).toBe(1)
    expect(computeSpearmanCorrelation([1, 2, 3], [30, 20, 10])).toBe(-1)
    expect(computeSpearmanCorrelation([1, 1, 1], [30, 20, 10])).toBeNull()
  })

  it('returns percentile ranks from 0 to 1', () => {
    expect(computePercentileRanks([3, 1, 2])).toEqual([1, 0, 0.5])
    expect(computePercentileRanks([5, 5, 9])).toEqual([0.25, 0.25, 1])
    expect(computePercentileRanks([7])).toEqual([1])
    expect(computePercentileRanks([])).toEqual([])
  })
})
