import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { findBoothAccessCell, type Grid, getCellCentre, findNearestCell } from './grid.ts'
import { convertCellsToMetres, type ShortestPaths, findShortestPaths, traceShortestPath } from './paths.ts'
import type { Point, Polygon } from './plan-shapes.ts'
import { sortRouteStops } from './stop-order.ts'

/** Walking speed of 1.1 metres per second. */
const METRES_PER_MINUTE = 66

export interface RouteStop {
  number: string
  polygon: Polygon
}

export interface Route {
  /** Booths in walking order, each with its distance from the previous stop. */
  stops: { number: string; metres: number }[]
  metres: number
  minutes: number
  points: Point[]
  /** The numbers of requested booths that cannot be reached on foot. */
  unreachable: string[]
}

export const roundToTenth = (value: number) => Math.round(value * 10) / 10

/** Finds the shortest walking route from a start through all stops. Null if no walkable cell is near the start. */
export function* findRoute(grid: Grid, start: Point | RouteStop, wanted: readonly RouteStop[]): CooperativeTask<Route | null> {
  const first = 'polygon' in start ? findBoothAccessCell(grid, start.polygon) : findNearestCell(grid, start)
  if (first === null) return null
  const fromStart = yield* findShortestPaths(grid, first)
  const reached: { number: string; cell: number }[] = []
  const unreachable: string[] = []
  for (const { number, polygon } of wanted) {
    const cell = findBoothAccessCell(grid, polygon)
    if (cell === null || fromStart.distance[cell] === Infinity) unreachable.push(number)
    else reached.push({ number, cell })
  }
  const ways: ShortestPaths[] = [fromStart]
  for (const { cell } of reached) ways.push(yield* findShortestPaths(grid, cell))
  const cells = [first, ...reached.map(({ cell }) => cell)]
  const order = sortRouteStops(ways.map(({ distance }) => cells.map((cell) => distance[cell]!)))

  const stops: Route['stops'] = []
  const walked: number[] = [first]
  let [here, length] = [0, 0]
  for (const next of order) {
    const distance = ways[here]!.distance[cells[next]!]!
    walked.push(...traceShortestPath(ways[here]!, cells[next]!).slice(1))
    stops.push({ number: reached[next - 1]!.number, metres: roundToTenth(convertCellsToMetres(distance)) })
    length += distance
    here = next
  }
  const metres = convertCellsToMetres(length)
  return {
    stops,
    metres: roundToTenth(metres),
    minutes: roundToTenth(metres / METRES_PER_MINUTE),
    points: keepTurns(walked.map((cell) => getCellCentre(grid, cell))),
    unreachable,
  }
}

/** Removes the points on straight lines, so that only end points and turns of the route remain. */
const keepTurns = (points: readonly Point[]): Point[] =>
  points.filter(([x, y], i) => {
    const [before, after] = [points[i - 1], points[i + 1]]
    return !before || !after || (x - before[0]) * (after[1] - y) !== (y - before[1]) * (after[0] - x)
  })
