import {
  followStroke,
  type BitmapColumnView,
  findInkSpanInColumn,
  type InkStroke,
  type StrokeLimits,
  type StrokeSeed,
} from './follow-stroke.ts'
import type { Bitmap } from './raster.ts'
import { fillPixelBox, findAxisParallelLines, type RasterLine } from './raster-lines.ts'
import { removeHatchingLines, joinLineEndsToWalls, getLineLength, type SlantedLine } from './slanted-walls.ts'

export interface PixelBox {
  left: number
  top: number
  right: number
  bottom: number
}

/** Size in pixels of the tiles in which votes are counted, so that short lines stand out in large pictures too. */
const TILE = 256
const HALF = TILE / 2
/** Number of slopes for which votes are counted. From one to the next, the end of a line moves by one pixel at the border of a tile. */
const SLOPES = 2 * HALF + 1
const OFFSETS = 2 * TILE + 2
/** Lines whose ends differ by fewer pixels than this within half a tile count as horizontal or vertical. */
const MIN_SLOPE_STEP = 3
/** Maximum number of points of a tile that vote. More points are represented by a sample. */
const MAX_POINTS = 4096
const MAX_PEAKS = 400
const MAX_STROKES = 5000
/** Maximum number of slanted walls. If more slanted lines are found, only the longest count as walls. */
const MAX_WALLS = 2000
/** Width in pixels of the strip that is erased from the image along a curve that was found, so that it is not found again. */
const CURVE_PIXELS = 4
/** Axis-parallel lines shorter than this may be steps of a slightly slanted line, so their pixels vote too. */
const MIN_KNOWN_PIXELS = 100
const SEED_GAP = 3
/** Maximum distance between neighbouring lines of hatching, as a share of the picture. */
const HATCH_SHARE = 1 / 80

/**
 * Finds all lines of at least `minLength` pixels: axis-parallel lines by runs of dark pixels, slanted lines by a Hough transform.
 * The boxes contain texts and pictograms, so no slanted lines are searched in them.
 */
export function findStraightAndSlantedLines(
  ink: Bitmap,
  boxes: readonly PixelBox[],
  minLength: number,
): { straight: RasterLine[]; slanted: RasterLine[] } {
  const runs = findAxisParallelLines(ink, minLength)
  const { lines, rest } = findSlantedLines(ink, runs, boxes, minLength)
  // Slightly slanted lines contain long axis-parallel runs of dark pixels, so axis-parallel lines are searched again without them.
  const straight = lines.length === 0 ? runs : findAxisParallelLines(rest, minLength)
  const walls = removeHatchingLines(lines, Math.max(10, Math.max(ink.width, ink.height) * HATCH_SHARE))
  return { straight, slanted: joinLineEndsToWalls(longestOf(walls, MAX_WALLS), straight) }
}

/**
 * Finds slanted lines. The pixels of known lines and of boxes do not vote. Each peak of the votes is followed through the whole picture to
 * the ends of its line. The same picture always gives the same lines. `rest` is the picture without them.
 */
function findSlantedLines(
  ink: Bitmap,
  known: readonly RasterLine[],
  boxes: readonly PixelBox[],
  minLength: number,
): { lines: SlantedLine[]; rest: Bitmap } {
  const { width, height } = ink
  const voting = ink.data.slice()
  for (const line of known) if (isCertain(ink, line)) fillPixelBox({ ...ink, data: voting }, boxOfLine(line), 0)
  for (const box of boxes) fillPixelBox({ ...ink, data: voting }, box, 0)
  const limits: StrokeLimits = {
    length: minLength,
    height: Math.round(Math.max(12, Math.max(width, height) / 100) * Math.SQRT2),
    gap: Math.max(3, Math.round(minLength / 4)),
  }
  const shallow: BitmapColumnView = { data: ink.data, columns: width, rows: height, columnStep: 1, rowStep: width }
  const steep: BitmapColumnView = { data: ink.data, columns: height, rows: width, columnStep: width, rowStep: 1 }
  const rest = ink.data.slice()
  const lines = [shallow, steep].flatMap((view) =>
    findStrokes(view, voting, limits).map((stroke) => {
      eraseStroke(rest, view, stroke)
      return toLine(stroke, view === steep)
    }),
  )
  return { lines, rest: { ...ink, data: rest } }
}

const longestOf = (lines: readonly SlantedLine[], count: number): readonly SlantedLine[] =>
  lines.length <= count ? lines : lines.toSorted((a, b) => getLineLength(b) - getLineLength(a)).slice(0, count)

const boxOfLine = ({ from, to, thickness }: RasterLine): PixelBox => {
  const half = thickness / 2
  const isHorizontal = from[1] === to[1]
  return {
    left: Math.floor(from[0] - (isHorizontal ? 0 : half)) - 1,
    right: Math.ceil(to[0] + (isHorizontal ? 0 : half)) + 1,
    top: Math.floor(from[1] - (isHorizontal ? half : 0)) - 1,
    bottom: Math.ceil(to[1] + (isHorizontal ? half : 0)) + 1,
  }
}

/** Whether a run of dark pixels is certainly a horizontal or vertical line: it is long, and most of its bounding box is dark. */
function isCertain({ width, data }: Bitmap, line: RasterLine): boolean {
  const { left, top, right, bottom } = boxOfLine(line)
  if (Math.max(right - left, bottom - top) < MIN_KNOWN_PIXELS) return false
  let ink = 0
  for (let y = top + 1; y < bottom - 1; y++) for (let x = left + 1; x < right - 1; x++) ink += data[y * width + x]!
  return ink >= 0.75 * (right - left - 2) * (bottom - top - 2)
}

const toLine = ({ slope, offset, height, first, last, inkFirst, inkLast }: InkStroke, isSteep: boolean): SlantedLine => {
  const at = (x: number): [number, number] => (isSteep ? [offset + slope * x, x] : [x, offset + slope * x])
  const stretch = Math.hypot(1, slope)
  const [before, after] = [first - inkFirst, inkLast - last]
  return {
    from: at(first),
    to: at(last + 1),
    thickness: height / stretch,
    // A few dark pixels beyond the end of a line are blur. If there are more of them, they belong to another wall.
    ends: [at(before <= height + 2 ? inkFirst : first), at((after <= height + 2 ? inkLast : last) + 1)],
    beyond: [before * stretch, after * stretch],
  }
}

/** Erases the pixels of a stroke, except where another line touches it. */
function eraseStroke(data: Uint8Array, view: BitmapColumnView, { slope, offset, height, first, last }: InkStroke): void {
  for (let column = first; column <= last; column++) {
    const y = offset + slope * (column + 0.5)
    const run = findInkSpanInColumn(view, column, y, 2 * height + 4)
    if (!run || run.bottom - run.top > 1.25 * height + 1 || Math.abs((run.top + run.bottom) / 2 - y) > 1 + height * 0.1) continue
    for (let row = run.top; row < run.bottom; row++) data[column * view.columnStep + row * view.rowStep] = 0
  }
}

/** The points of a tile that vote: the middle of each short run of dark pixels in a column. */
interface TilePoints {
  /** A bitmap of the tile in which the pixels that vote have the value 1. */
  map: Uint8Array
  columns: Int16Array
  rows: Int16Array
  count: number
}

function findStrokes(view: BitmapColumnView, voting: Uint8Array, limits: StrokeLimits): InkStroke[] {
  const votes = new Uint16Array(SLOPES * OFFSETS)
  const points: TilePoints = {
    map: new Uint8Array(TILE * TILE),
    columns: new Int16Array(TILE * TILE),
    rows: new Int16Array(TILE * TILE),
    count: 0,
  }
  const threshold = Math.max(6, Math.floor(limits.length / 2))
  const strokes: InkStroke[] = []
  for (let top = 0; top < view.rows; top += TILE) {
    for (let left = 0; left < view.columns; left += TILE) {
      collectPoints(points, view, voting, left, top, limits.height)
      if (points.count < threshold) continue
      const sampled = castVotes(votes, points)
      for (const peak of listPeaks(votes, Math.max(4, Math.floor(threshold * sampled)))) {
        const seed = findSeed(peak, points, view, voting, left, top, threshold)
        if (!seed) continue
        const stroke = followStroke(view, seed, limits)
        if (stroke === null) forgetSeed(points, seed, left, top)
        else claim(voting, view, stroke === 'curve' ? { ...seed, height: CURVE_PIXELS } : toClaim(stroke))
        if (stroke !== null && stroke !== 'curve') strokes.push(stroke)
        if (strokes.length >= MAX_STROKES) return strokes
      }
    }
  }
  return strokes
}

function collectPoints(points: TilePoints, view: BitmapColumnView, voting: Uint8Array, left: number, top: number, maxHeight: number): void {
  const { data, columns, rows, columnStep, rowStep } = view
  points.map.fill(0)
  points.count = 0
  const [from, to] = [Math.max(0, top - maxHeight), Math.min(rows, top + TILE + maxHeight)]
  for (let x = left; x < Math.min(columns, left + TILE); x++) {
    const base = x * columnStep
    for (let y = from; y < to; y++) {
      if (data[base + y * rowStep] !== 1) continue
      const start = y
      while (y < to && data[base + y * rowStep] === 1) y++
      if (y - start > maxHeight) continue
      const middle = (start + y - 1) >> 1
      if (middle < top || middle >= top + TILE || voting[base + middle * rowStep] !== 1) continue
      points.map[(middle - top) * TILE + (x - left)] = 1
      points.columns[points.count] = x - left
      points.rows[points.count] = middle - top
      points.count++
    }
  }
}

/** Every point votes for all lines through it. Returns the share of the points that voted. */
function castVotes(votes: Uint16Array, { columns, rows, count }: TilePoints): number {
  votes.fill(0)
  const random = createRandom(count)
  const share = Math.min(1, MAX_POINTS / count)
  for (let i = 0; i < count; i++) {
    if (share < 1 && random() >= share) continue
    const x = columns[i]! - HALF
    const y = (rows[i]! + HALF) * HALF + HALF / 2
    for (let step = -HALF; step <= HALF; step++) {
      if (step === 1 - MIN_SLOPE_STEP) step = MIN_SLOPE_STEP
      const at = (step + HALF) * OFFSETS + ((y - step * x) >> 7)
      votes[at] = votes[at]! + 1
    }
  }
  return share
}

/** Repeatable random numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Peak {
  votes: number
  slope: number
  /** The row of pixels at which the line crosses the middle column of the tile. */
  offset: number
}

/** Lists the cells of the vote table with more votes than their neighbours, best first. */
function listPeaks(votes: Uint16Array, threshold: number): Peak[] {
  const peaks: Peak[] = []
  for (let slope = 0; slope < SLOPES; slope++)
    for (let offset = 1; offset < OFFSETS - 1; offset++) {
      const at = slope * OFFSETS + offset
      const count = votes[at]!
      if (count < threshold || votes[at - 1]! >= count || votes[at + 1]! > count) continue
      if (mostAround(votes, at - OFFSETS) <= count && mostAround(votes, at + OFFSETS) <= count)
        peaks.push({ votes: count, slope: (slope - HALF) / HALF, offset: offset - HALF })
    }
  return peaks.toSorted((a, b) => b.votes - a.votes).slice(0, MAX_PEAKS)
}

/** The largest number of votes among three neighbouring cells with the same slope. Cells outside of the table have no votes. */
const mostAround = (votes: Uint16Array, at: number) => Math.max(votes[at - 1] ?? 0, votes[at] ?? 0, votes[at + 1] ?? 0)

/** Finds the longest part of a candidate line within the tile that is drawn and does not belong to another line yet. */
function findSeed(
  { slope, offset }: Peak,
  points: TilePoints,
  view: BitmapColumnView,
  voting: Uint8Array,
  left: number,
  top: number,
  minPoints: number,
): StrokeSeed | null {
  const isPoint = (x: number, y: number) =>
    y >= 0 && y < TILE && points.map[y * TILE + x] === 1 && voting[(left + x) * view.columnStep + (top + y) * view.rowStep] === 1
  let best: { first: number; last: number; count: number } | null = null
  let open: { first: number; last: number; count: number } | null = null
  for (let x = 0; x < TILE; x++) {
    const y = Math.floor(offset + 0.5 + slope * (x - HALF))
    if (!isPoint(x, y) && !isPoint(x, y - 1) && !isPoint(x, y + 1)) continue
    open = open && x - open.last <= SEED_GAP ? { first: open.first, last: x, count: open.count + 1 } : { first: x, last: x, count: 1 }
    if (!best || open.count > best.count) best = open
  }
  if (!best || best.count < minPoints) return null
  return { first: left + best.first, last: left + best.last, slope, offset: top + offset + 0.5 - slope * (left + HALF + 0.5) }
}

function forgetSeed({ map }: TilePoints, { first, last, slope, offset }: StrokeSeed, left: number, top: number): void {
  for (let column = first; column <= last; column++) {
    const row = Math.floor(offset + slope * (column + 0.5)) - top
    for (let y = Math.max(0, row - 1); y <= Math.min(TILE - 1, row + 1); y++) map[y * TILE + column - left] = 0
  }
}

const toClaim = ({ slope, offset, height, inkFirst, inkLast }: InkStroke) => ({ slope, offset, height, first: inkFirst, last: inkLast })

/** Excludes the pixels of a detected line from further votes, so that the line is not found again. */
function claim(voting: Uint8Array, view: BitmapColumnView, { slope, offset, height, first, last }: StrokeSeed & { height: number }): void {
  for (let column = first; column <= last; column++) {
    const y = offset + slope * (column + 0.5)
    const [top, bottom] = [Math.max(0, Math.floor(y - height / 2 - 1)), Math.min(view.rows - 1, Math.ceil(y + height / 2 + 1))]
    for (let row = top; row <= bottom; row++) voting[column * view.columnStep + row * view.rowStep] = 0
  }
}
