import type { Point } from '../floor/plan-shapes.ts'
import { listArcPoints } from './curves.ts'
import type { Bitmap } from './raster.ts'
import type { SourceArc } from './source-drawing.ts'

/** A straight line in a picture: the ends of its centre line, and its thickness. */
export interface RasterLine {
  from: Point
  to: Point
  thickness: number
}

interface Bar {
  start: number
  end: number
  first: number
  last: number
}

const MAX_LINES = 50_000

/** Finds horizontal and vertical lines with a length of at least `minLength` pixels. Filled areas are not lines. */
export function findAxisParallelLines(ink: Bitmap, minLength: number): RasterLine[] {
  const isLine = ({ start, end, first, last }: Bar) => (end - start) / (last - first + 1) >= 4
  const horizontal = findBars(ink.width, ink.height, (along, across) => ink.data[across * ink.width + along] === 1, minLength).filter(
    isLine,
  )
  const vertical = findBars(ink.height, ink.width, (along, across) => ink.data[along * ink.width + across] === 1, minLength).filter(isLine)
  const thickness = ({ first, last }: Bar) => last - first + 1
  return [
    ...horizontal.map((bar): RasterLine => {
      const y = (bar.first + bar.last + 1) / 2
      return { from: [bar.start, y], to: [bar.end, y], thickness: thickness(bar) }
    }),
    ...vertical.map((bar): RasterLine => {
      const x = (bar.first + bar.last + 1) / 2
      return { from: [x, bar.start], to: [x, bar.end], thickness: thickness(bar) }
    }),
  ].slice(0, MAX_LINES)
}

/** Finds bars of dark pixels. Runs of dark pixels in neighbouring rows belong to the same bar if they overlap by half. */
function findBars(length: number, rows: number, isInk: (along: number, across: number) => boolean, minLength: number): Bar[] {
  const done: Bar[] = []
  let open: Bar[] = []
  for (let row = 0; row < rows; row++) {
    const next: Bar[] = []
    for (let at = 0; at < length; at++) {
      if (!isInk(at, row)) continue
      const start = at
      while (at < length && isInk(at, row)) at++
      if (at - start < minLength) continue
      const known = open.find((bar) => Math.min(bar.end, at) - Math.max(bar.start, start) >= Math.min(bar.end - bar.start, at - start) / 2)
      if (known) {
        open = open.filter((bar) => bar !== known)
        next.push({ start: Math.min(known.start, start), end: Math.max(known.end, at), first: known.first, last: row })
      } else next.push({ start, end: at, first: row, last: row })
    }
    done.push(...open)
    open = next
    if (done.length > MAX_LINES) break
  }
  return [...done, ...open]
}

/** Minimum fraction of a door's quarter circle that must be drawn. */
const MIN_DRAWN = 0.9
/** Minimum fraction of the area inside a door's quarter circle that must be empty. */
const MIN_EMPTY = 0.85
const SAMPLES = 40

/**
 * Finds the quarter circles of doors: every line may be a door leaf, with its hinge at either end and the wall on either side of it.
 */
export function findDoorArcs(ink: Bitmap, lines: readonly RasterLine[], minRadius: number, maxRadius: number): SourceArc[] {
  const arcs: SourceArc[] = []
  for (const { from, to, thickness } of lines) {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1])
    if (length < minRadius || length > maxRadius * 1.1) continue
    for (const [hinge, tip] of [
      [from, to],
      [to, from],
    ] as const) {
      for (const side of [1, -1]) {
        const found = fitQuarter(ink, hinge, tip, side, thickness)
        if (
          found &&
          !arcs.some((other) => Math.hypot(other.centre[0] - found.centre[0], other.centre[1] - found.centre[1]) < found.radius / 2)
        )
          arcs.push(found)
      }
    }
  }
  return arcs
}

/**
 * Finds the arc of a door. Tries slightly different hinges and radii, because a drawn door leaf ends at the edge of the wall and not in its
 * middle.
 */
function fitQuarter(ink: Bitmap, hinge: Point, tip: Point, side: number, thickness: number): SourceArc | null {
  const length = Math.hypot(tip[0] - hinge[0], tip[1] - hinge[1])
  const [ux, uy] = [(tip[0] - hinge[0]) / length, (tip[1] - hinge[1]) / length]
  const reach = Math.max(2, thickness)
  let best: { score: number; centre: Point; radius: number } | null = null
  for (let shift = -reach; shift <= reach; shift++) {
    const centre: Point = [hinge[0] + ux * shift, hinge[1] + uy * shift]
    for (let radius = length - shift - reach; radius <= length - shift + reach; radius++) {
      const score = scoreQuarter(ink, centre, radius, [ux, uy], side)
      if (score >= MIN_DRAWN && (!best || score > best.score)) best = { score, centre, radius }
    }
  }
  if (!best || emptyShare(ink, best.centre, best.radius, [ux, uy], side, thickness) < MIN_EMPTY) return null
  const start = Math.atan2(uy, ux)
  const points = listArcPoints(best.centre, best.radius, start, (side * Math.PI) / 2, best.radius / 100)
  return { centre: best.centre, radius: best.radius, points, sweep: Math.PI / 2, names: [] }
}

const pointAt = ([cx, cy]: Point, radius: number, [ux, uy]: Point, side: number, angle: number): Point => [
  cx + radius * (Math.cos(angle) * ux - side * Math.sin(angle) * uy),
  cy + radius * (Math.cos(angle) * uy + side * Math.sin(angle) * ux),
]

/** The fraction of the quarter circle that is drawn. Its ends are left out, because walls and door leaves are drawn there in any case. */
function scoreQuarter(ink: Bitmap, centre: Point, radius: number, direction: Point, side: number): number {
  let drawn = 0
  for (let i = 0; i < SAMPLES; i++) {
    const angle = ((0.06 + (0.88 * i) / (SAMPLES - 1)) * Math.PI) / 2
    if (hasInk(ink, pointAt(centre, radius, direction, side, angle), 1)) drawn++
  }
  return drawn / SAMPLES
}

function emptyShare(ink: Bitmap, centre: Point, radius: number, direction: Point, side: number, thickness: number): number {
  let [empty, count] = [0, 0]
  for (const share of [0.4, 0.6, 0.8]) {
    if (radius * (1 - share) < thickness + 2) continue
    for (let i = 0; i < SAMPLES; i++) {
      count++
      if (!hasInk(ink, pointAt(centre, radius * share, direction, side, ((0.15 + (0.7 * i) / (SAMPLES - 1)) * Math.PI) / 2), 0)) empty++
    }
  }
  return count === 0 ? 0 : empty / count
}

function hasInk({ width, height, data }: Bitmap, [px, py]: Point, reach: number): boolean {
  const [cx, cy] = [Math.floor(px), Math.floor(py)]
  for (let y = Math.max(0, cy - reach); y <= Math.min(height - 1, cy + reach); y++)
    for (let x = Math.max(0, cx - reach); x <= Math.min(width - 1, cx + reach); x++) if (data[y * width + x] === 1) return true
  return false
}

/** Returns a copy of the picture without the lines, so that texts are recognized better. */
export function removeLines(ink: Bitmap, lines: readonly RasterLine[]): Bitmap {
  const copy = { ...ink, data: ink.data.slice() }
  for (const line of lines) {
    const { from, to, thickness } = line
    const half = Math.ceil(thickness / 2) + 1
    if (from[0] === to[0] || from[1] === to[1])
      fillPixelBox(copy, { left: from[0] - half, top: from[1] - half, right: to[0] + half + 1, bottom: to[1] + half + 1 }, 0)
    else eraseSlanted(copy, line, half)
  }
  return copy
}

/** Clears the pixels within `half` pixels of a slanted line: row by row if the line is steep, otherwise column by column. */
function eraseSlanted(ink: Bitmap, { from, to }: RasterLine, half: number): void {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
  const isSteep = Math.abs(dy) > Math.abs(dx)
  const [start, end] = isSteep ? [from[1], to[1]] : [from[0], to[0]]
  const slope = isSteep ? dx / dy : dy / dx
  const reach = half * Math.hypot(1, slope)
  for (let at = Math.floor(Math.min(start, end) - half); at < Math.max(start, end) + half; at++) {
    const middle = (isSteep ? from[0] : from[1]) + slope * (at + 0.5 - start)
    fillPixelBox(
      ink,
      isSteep
        ? { left: middle - reach, right: middle + reach, top: at, bottom: at + 1 }
        : { left: at, right: at + 1, top: middle - reach, bottom: middle + reach },
      0,
    )
  }
}

/** Sets every pixel that the box touches to `value`. `right` and `bottom` are exclusive. */
export function fillPixelBox(
  { width, height, data }: Bitmap,
  box: { left: number; top: number; right: number; bottom: number },
  value: 0 | 1,
): void {
  const [left, right] = [Math.max(0, Math.floor(box.left)), Math.min(width, Math.ceil(box.right))]
  const [top, bottom] = [Math.max(0, Math.floor(box.top)), Math.min(height, Math.ceil(box.bottom))]
  if (left >= right) return
  for (let y = top; y < bottom; y++) data.fill(value, y * width + left, y * width + right)
}
