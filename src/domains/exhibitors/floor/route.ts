import type { InParts } from '../../../kernel/turns.ts'
import { accessCell, type Grid, middleOf, nearestCell } from './grid.ts'
import { inMetres, type Ways, waysFrom, wayTo } from './paths.ts'
import type { Point, Polygon } from './plan-shapes.ts'
import { orderOfStops } from './stop-order.ts'

/** 1.1 metres a second, as people walk in a hall. */
const METRES_PER_MINUTE = 66

export interface Stop {
  number: string
  polygon: Polygon
}

export interface Route {
  /** In walking order, each with how far it is from the one before. */
  stops: { number: string; metres: number }[]
  metres: number
  minutes: number
  points: Point[]
  /** Where nobody gets on foot from here. */
  unreachable: string[]
}

export const tenth = (value: number) => Math.round(value * 10) / 10

/** The way through all stops from a start: over the floor, around booths, in the shortest order. Null where the start is nowhere. */
export function* routeThrough(grid: Grid, start: Point | Stop, wanted: readonly Stop[]): InParts<Route | null> {
  const first = 'polygon' in start ? accessCell(grid, start.polygon) : nearestCell(grid, start)
  if (first === null) return null
  const fromStart = yield* waysFrom(grid, first)
  const reached: { number: string; cell: number }[] = []
  const unreachable: string[] = []
  for (const { number, polygon } of wanted) {
    const cell = accessCell(grid, polygon)
    if (cell === null || fromStart.distance[cell] === Infinity) unreachable.push(number)
    else reached.push({ number, cell })
  }
  const ways: Ways[] = [fromStart]
  for (const { cell } of reached) ways.push(yield* waysFrom(grid, cell))
  const cells = [first, ...reached.map(({ cell }) => cell)]
  const order = orderOfStops(ways.map(({ distance }) => cells.map((cell) => distance[cell]!)))

  const stops: Route['stops'] = []
  const walked: number[] = [first]
  let [here, length] = [0, 0]
  for (const next of order) {
    const distance = ways[here]!.distance[cells[next]!]!
    walked.push(...wayTo(ways[here]!, cells[next]!).slice(1))
    stops.push({ number: reached[next - 1]!.number, metres: tenth(inMetres(distance)) })
    length += distance
    here = next
  }
  const metres = inMetres(length)
  return {
    stops,
    metres: tenth(metres),
    minutes: tenth(metres / METRES_PER_MINUTE),
    points: corners(walked.map((cell) => middleOf(grid, cell))),
    unreachable,
  }
}

/** Where the way turns, and its ends. */
const corners = (points: readonly Point[]): Point[] =>
  points.filter(([x, y], i) => {
    const [before, after] = [points[i - 1], points[i + 1]]
    return !before || !after || (x - before[0]) * (after[1] - y) !== (y - before[1]) * (after[0] - x)
  })
