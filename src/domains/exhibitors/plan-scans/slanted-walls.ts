import type { Point } from '../floor/plan-shapes.ts'
import type { RasterLine } from './raster-lines.ts'

/** A slanted line that may be a wall. `from` and `to` limit the part that no other line touches. */
export interface SlantedLine extends RasterLine {
  /** The ends of the line including blur; where the line continues into another wall, the same as `from` or `to`. */
  ends: readonly [from: Point, to: Point]
  /** How far dark pixels continue beyond `from` and `to`: blur at the end of the line, or the wall that the line ends in. */
  beyond: readonly [atFrom: number, atTo: number]
}

/** This many parallel lines next to each other are hatching or stairs, and no walls. */
const MIN_HATCHES = 5
const MAX_HATCH_DEGREES = 0.7
/** Lines that meet at a smaller angle than this (3°) have no exact intersection. */
const MIN_SINE = Math.sin((3 * Math.PI) / 180)

export const getLineLength = ({ from, to }: RasterLine) => Math.hypot(to[0] - from[0], to[1] - from[1])
const directionOf = (line: RasterLine): Point => {
  const length = getLineLength(line)
  return [(line.to[0] - line.from[0]) / length, (line.to[1] - line.from[1]) / length]
}

/** Leaves out groups of parallel lines of which each is within `maxSpacing` pixels of the next. */
export function removeHatchingLines<T extends RasterLine>(lines: readonly T[], maxSpacing: number): T[] {
  const angleOf = ({ from, to }: RasterLine) => ((Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI + 180) % 180
  const sorted = lines.map((line) => ({ line, angle: angleOf(line) })).toSorted((a, b) => a.angle - b.angle)
  const groups = sorted.map((_, i) => i)
  const rootOf = (i: number): number => {
    while (groups[i] !== i) i = groups[i] = groups[groups[i]!]!
    return i
  }
  for (let i = 0; i < sorted.length; i++)
    for (let j = i + 1; j < sorted.length && sorted[j]!.angle - sorted[i]!.angle <= MAX_HATCH_DEGREES; j++)
      if (areNeighbours(sorted[i]!.line, sorted[j]!.line, maxSpacing)) groups[rootOf(j)] = rootOf(i)
  const sizes = new Map<number, number>()
  for (const [i] of sorted.entries()) sizes.set(rootOf(i), (sizes.get(rootOf(i)) ?? 0) + 1)
  const hatches = new Set(sorted.filter((_, i) => sizes.get(rootOf(i))! >= MIN_HATCHES).map(({ line }) => line))
  return lines.filter((line) => !hatches.has(line))
}

/** Whether two lines lie side by side for at least half of the shorter one, instead of one behind the other. */
function areNeighbours(one: RasterLine, other: RasterLine, maxSpacing: number): boolean {
  const [ux, uy] = directionOf(one)
  const place = ([x, y]: Point) => {
    const [dx, dy] = [x - one.from[0], y - one.from[1]]
    return { along: dx * ux + dy * uy, across: dx * uy - dy * ux }
  }
  const [a, b] = [place(other.from), place(other.to)]
  const spacing = Math.abs(a.across + b.across) / 2
  if (spacing > maxSpacing || spacing < Math.max(one.thickness, other.thickness)) return false
  const shared = Math.min(getLineLength(one), Math.max(a.along, b.along)) - Math.max(0, Math.min(a.along, b.along))
  return shared >= Math.min(getLineLength(one), getLineLength(other)) / 2
}

/** Moves each end of a slanted wall that lies in another wall to the middle of that wall. */
export function joinLineEndsToWalls(lines: readonly SlantedLine[], straight: readonly RasterLine[]): RasterLine[] {
  const others: readonly (RasterLine & Partial<SlantedLine>)[] = [...lines, ...straight]
  return lines.map((line) => {
    const findEnd = (k: 0 | 1): Point => {
      const [ux, uy] = directionOf(line)
      const outward: Point = k === 0 ? [-ux, -uy] : [ux, uy]
      const at = k === 0 ? line.from : line.to
      let best: { distance: number; length: number } | null = null
      for (const other of others) {
        const distance = other === line ? null : meetingDistance(at, outward, line, line.beyond[k], other)
        // Near a corner, the wall may also meet short lines that are pieces of another slanted wall, so it is joined to the longest line.
        if (distance !== null && (!best || getLineLength(other) > best.length)) best = { distance, length: getLineLength(other) }
      }
      return best ? [at[0] + outward[0] * best.distance, at[1] + outward[1] * best.distance] : line.ends[k]
    }
    return { from: findEnd(0), to: findEnd(1), thickness: line.thickness }
  })
}

/** Returns the distance from the end of a line outward to the middle of another line; null unless dark pixels continue up to there. */
function meetingDistance(
  [x, y]: Point,
  [ux, uy]: Point,
  { thickness }: RasterLine,
  beyond: number,
  other: RasterLine & Partial<SlantedLine>,
): number | null {
  const [vx, vy] = directionOf(other)
  const cross = ux * vy - uy * vx
  if (Math.abs(cross) < MIN_SINE) return null
  const [dx, dy] = [other.from[0] - x, other.from[1] - y]
  const distance = (dx * vy - dy * vx) / cross
  if (distance < -thickness - 1 || distance > beyond + 1.5) return null
  const along = (dx * uy - dy * ux) / cross
  const [before, after] = other.beyond ?? [0, 0]
  const slack = thickness + other.thickness + 2
  return along >= -before - slack && along <= getLineLength(other) + after + slack ? distance : null
}
