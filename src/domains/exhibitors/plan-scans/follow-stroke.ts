/**
 * A bitmap in which lines are followed column by column from left to right. Steep lines are followed in a view with x and y exchanged, so a
 * line never rises by more than one row per column.
 */
export interface BitmapColumnView {
  data: Uint8Array
  columns: number
  rows: number
  columnStep: number
  rowStep: number
}

/** A straight line drawn in black pixels. Its centre line is y = `offset` + `slope` × x. */
export interface InkStroke {
  slope: number
  offset: number
  /** The number of black pixels of the stroke in one column. */
  height: number
  /** First and last column in which the stroke was found without another line crossing it. */
  first: number
  last: number
  /** First and last column with a black pixel on the centre line: beyond `first` and `last` if the stroke ends in another wall. */
  inkFirst: number
  inkLast: number
}

export interface StrokeLimits {
  /** Minimum length of a stroke, in pixels. */
  length: number
  /** Maximum number of black pixels of the stroke in one column. */
  height: number
  /** Maximum length of a gap in a stroke, in columns. */
  gap: number
}

/** A part of a stroke that was found first, and from which the stroke is followed in both directions. */
export interface StrokeSeed {
  first: number
  last: number
  slope: number
  offset: number
}

/** Lines that are nearly horizontal or vertical are found by the search for runs of pixels instead. */
const MIN_SLOPE = Math.tan((1.4 * Math.PI) / 180)
const MAX_SLOPE = 1.05
const MIN_LENGTH_PER_THICKNESS = 4
/** Minimum share of the columns between both ends in which the stroke must be found. */
const MIN_DRAWN = 0.8
/** Maximum root mean square distance of the stroke's pixels from its centre line. Noise scatters more. */
const MAX_SCATTER_PIXELS = 0.6
/** Maximum distance of the middle of a stroke from its chord: a constant, and a share of the length because scanned paper is warped. */
const MAX_SAG_PIXELS = 0.6
const MAX_SAG_SHARE = 0.001

/** A run of black pixels in one column: its first row, and the row after its last one. */
interface ColumnRun {
  top: number
  bottom: number
}

/** Finds the run of black pixels at a row of the column, or one row away. The run is cut off after `most` rows in each direction. */
export function findInkSpanInColumn(view: BitmapColumnView, column: number, y: number, most: number): ColumnRun | null {
  if (column < 0 || column >= view.columns) return null
  const { data, rows, rowStep } = view
  const base = column * view.columnStep
  const isInk = (row: number) => row >= 0 && row < rows && data[base + row * rowStep] === 1
  const middle = Math.floor(y)
  const nearer = y - middle < 0.5 ? -1 : 1
  const start = [middle, middle + nearer, middle - nearer].find(isInk)
  if (start === undefined) return null
  let [top, bottom] = [start, start + 1]
  while (start - top < most && isInk(top - 1)) top--
  while (bottom - start < most && isInk(bottom)) bottom++
  return { top, bottom }
}

/**
 * Follows the line of the seed in both directions to its ends, and corrects its direction on the way. Other lines that cross it are
 * ignored. Returns `curve` for a line that bends, and null if the line is too short or not drawn well enough.
 */
export function followStroke(view: BitmapColumnView, seed: StrokeSeed, limits: StrokeLimits): InkStroke | 'curve' | null {
  const walk = startWalk(view, seed, limits)
  if (!walk) return null
  for (const direction of [1, -1, 1, -1] as const) extend(view, walk, direction, limits)
  const { slope, offset } = walk.fit.line()
  const [first, last] = [walk.first, walk.last]
  const heights = walk.heights.toSorted((a, b) => a - b)
  const height = heights[Math.floor(heights.length / 2)]!
  const length = (last - first + 1) * Math.hypot(1, slope)
  const drawn = walk.fit.count() / Math.max(1, last - first + 1 - walk.passed)
  const thickness = height / Math.hypot(1, slope)
  if (length < limits.length || length < thickness * MIN_LENGTH_PER_THICKNESS || drawn < MIN_DRAWN) return null
  if (Math.abs(slope) < MIN_SLOPE || Math.abs(slope) > MAX_SLOPE) return null
  const { sag, scatter } = walk.fit.residuals()
  if (sag > MAX_SAG_PIXELS + length * MAX_SAG_SHARE) return 'curve'
  if (scatter > MAX_SCATTER_PIXELS + length * MAX_SAG_SHARE) return null
  const end = (direction: 1 | -1) => lastInk(view, { slope, offset }, direction === 1 ? last : first, direction, limits)
  return { slope, offset, height, first, last, inkFirst: end(-1), inkLast: end(1) }
}

interface Walk {
  fit: LineFit
  heights: number[]
  /** The thickness of the stroke: its median number of black pixels per column where the search starts. */
  height: number
  first: number
  last: number
  /** Number of columns in which another line crosses the stroke. */
  passed: number
}

function startWalk(view: BitmapColumnView, seed: StrokeSeed, limits: StrokeLimits): Walk | null {
  const found: { column: number; run: ColumnRun }[] = []
  for (let column = seed.first; column <= seed.last; column++) {
    const run = findInkSpanInColumn(view, column, seed.offset + seed.slope * (column + 0.5), limits.height)
    if (run && run.bottom - run.top <= limits.height) found.push({ column, run })
  }
  if (found.length < 4) return null
  const height = found.map(({ run }) => run.bottom - run.top).toSorted((a, b) => a - b)[Math.floor(found.length / 2)]!
  const alone = found.filter(({ run }) => isAlone(run, height))
  if (alone.length < 4) return null
  const fit = createLineFit(seed.first)
  for (const { column, run } of alone) fit.add(column, (run.top + run.bottom) / 2)
  return {
    fit,
    heights: alone.map(({ run }) => run.bottom - run.top),
    height,
    first: alone[0]!.column,
    last: alone.at(-1)!.column,
    passed: 0,
  }
}

/** Whether the black pixels of a column are the stroke alone. Where another line touches the stroke, there are more black pixels. */
const isAlone = ({ top, bottom }: ColumnRun, height: number) => bottom - top <= 1.5 * height + 1.5 && bottom - top >= 0.4 * height

/** Follows a stroke until a gap exceeds the limit, or until only pixels of other lines are left. */
function extend(view: BitmapColumnView, walk: Walk, direction: 1 | -1, limits: StrokeLimits): void {
  const tolerance = 1 + walk.height * 0.1
  const mostPassed = 20 * walk.height + 40
  let [missing, crossing, pending] = [0, 0, [] as [number, ColumnRun][]]
  for (let column = (direction === 1 ? walk.last : walk.first) + direction; ; column += direction) {
    const { slope, offset } = walk.fit.line()
    const y = offset + slope * (column + 0.5)
    const run = findInkSpanInColumn(view, column, y, limits.height * 2)
    const isOn = run !== null && isAlone(run, walk.height) && Math.abs((run.top + run.bottom) / 2 - y) <= tolerance
    if (isOn) {
      pending.push([column, run])
      missing = 0
      // Pixels after a crossing may belong to the other line, so the stroke continues only if it is found in several columns.
      if (crossing > 0 && pending.length < Math.max(4, limits.length / 3)) continue
      for (const [at, { top, bottom }] of pending) {
        walk.fit.add(at, (top + bottom) / 2)
        walk.heights.push(bottom - top)
      }
      walk.passed += crossing
      if (direction === 1) walk.last = column
      else walk.first = column
      ;[crossing, pending] = [0, []]
    } else if (run && run.bottom - run.top > 1.5 * walk.height + 1.5) {
      if (++crossing > mostPassed) return
    } else if (++missing > limits.gap) return
  }
}

/** Returns the last column up to which the line is drawn without a gap, including a wall in which it ends. */
function lastInk(
  view: BitmapColumnView,
  { slope, offset }: { slope: number; offset: number },
  from: number,
  direction: 1 | -1,
  limits: StrokeLimits,
): number {
  let last = from
  for (let column = from + direction; Math.abs(column - from) <= 40 * limits.height; column += direction) {
    const row = Math.floor(offset + slope * (column + 0.5))
    if (column < 0 || column >= view.columns || row < 0 || row >= view.rows) break
    if (view.data[column * view.columnStep + row * view.rowStep] !== 1) break
    last = column
  }
  return last
}

type LineFit = ReturnType<typeof createLineFit>

/** Fits a line by least squares to points that are added one by one. x values are relative to `origin`, which keeps the sums small. */
function createLineFit(origin: number) {
  const [xs, ys]: [number[], number[]] = [[], []]
  let [sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0]
  const line = () => {
    const n = xs.length
    const slope = (n * sumXY - sumX * sumY) / (n * sumXX - sumX * sumX)
    return { slope, offset: (sumY - slope * sumX) / n - slope * origin }
  }
  return {
    line,
    count: () => xs.length,
    add: (column: number, y: number): void => {
      const x = column + 0.5 - origin
      xs.push(x)
      ys.push(y)
      ;[sumX, sumY, sumXX, sumXY] = [sumX + x, sumY + y, sumXX + x * x, sumXY + x * y]
    },
    /**
     * How far the middle of a stroke is from the chord between its ends, by the parabola that fits the points best, and how far the points
     * scatter around the line.
     */
    residuals: (): { sag: number; scatter: number } => {
      const { slope, offset } = line()
      const [low, high] = [xs.reduce((a, b) => Math.min(a, b), Infinity), xs.reduce((a, b) => Math.max(a, b), -Infinity)]
      const bends = xs.map((x) => ((2 * x - low - high) / Math.max(1, high - low)) ** 2)
      const mean = bends.reduce((sum, bend) => sum + bend, 0) / bends.length
      let [product, square, scatter] = [0, 0, 0]
      xs.forEach((x, i) => {
        const [bend, off] = [bends[i]! - mean, ys[i]! - offset - slope * (x + origin)]
        product += bend * off
        square += bend * bend
        scatter += off * off
      })
      return { sag: square === 0 ? 0 : Math.abs(product / square), scatter: Math.sqrt(scatter / xs.length) }
    },
  }
}
