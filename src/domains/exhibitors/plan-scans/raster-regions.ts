import type { Point } from '../floor/plan-shapes.ts'
import type { Bitmap } from './raster.ts'
import { createFileLimitError } from './source-drawing.ts'

export interface PixelRegion {
  /** The outer boundary of the region, along the edges of pixels. */
  boundary: Point[]
  pixels: number
  left: number
  top: number
  right: number
  bottom: number
}

const MIN_PIXELS = 30
const MAX_REGIONS = 20_000
const MAX_BOUNDARY = 2_000_000
const MAX_RUNS = 4_000_000

/**
 * Finds connected regions of the ink (also diagonally) or of the paper (not diagonally). Regions of the paper that touch the border of the
 * picture are the surroundings and left out.
 */
export function findRegions(bitmap: Bitmap, of: 'ink' | 'paper'): PixelRegion[] {
  const { labels, found } = labelRegions(bitmap, of)
  const { width, height } = bitmap
  const isInside = ({ left, top, right, bottom }: PixelRegion) => left > 0 && top > 0 && right < width - 1 && bottom < height - 1
  return found
    .map((region, label) => ({ region, label }))
    .filter(({ region }) => region.pixels >= MIN_PIXELS && (of === 'ink' || isInside(region)))
    .toSorted((a, b) => b.region.pixels - a.region.pixels)
    .slice(0, MAX_REGIONS)
    .map(({ region, label }) => ({ ...region, boundary: traceBoundary(labels, width, height, label + 1, region, of === 'ink') }))
}

interface Run {
  row: number
  start: number
  end: number
  /** Index of another run of pixels in the same region, as in a union-find structure. */
  parent: number
}

/** Numbers the connected regions of a bitmap from 1. Runs of pixels are joined with those that they touch in the row above. */
function labelRegions({ width, height, data }: Bitmap, of: 'ink' | 'paper'): { labels: Int32Array; found: PixelRegion[] } {
  const runs = listRuns(width, height, data, of === 'ink' ? 1 : 0)
  joinRuns(runs, of === 'ink' ? 1 : 0)
  const labels = new Int32Array(width * height)
  const found: PixelRegion[] = []
  const labelOf = new Map<number, number>()
  runs.forEach(({ row, start, end }, i) => {
    const root = rootOf(runs, i)
    const label = labelOf.get(root) ?? found.push({ boundary: [], pixels: 0, left: width, top: row, right: 0, bottom: row })
    labelOf.set(root, label)
    const region = found[label - 1]!
    region.pixels += end - start
    region.left = Math.min(region.left, start)
    region.right = Math.max(region.right, end - 1)
    region.bottom = row
    labels.fill(label, row * width + start, row * width + end)
  })
  return { labels, found }
}

function listRuns(width: number, height: number, data: Uint8Array, wanted: number): Run[] {
  const runs: Run[] = []
  for (let row = 0; row < height; row++) {
    const offset = row * width
    for (let x = 0; x < width; x++) {
      if (data[offset + x] !== wanted) continue
      const start = x
      while (x < width && data[offset + x] === wanted) x++
      runs.push({ row, start, end: x, parent: runs.length })
      if (runs.length > MAX_RUNS) throw createFileLimitError('The picture has too much noise. Scan it again with a lower resolution')
    }
  }
  return runs
}

/** Joins runs of pixels that touch a run in the row above. `reach` is 1 if pixels that touch diagonally count too. */
function joinRuns(runs: readonly Run[], reach: 0 | 1): void {
  let above = 0
  for (const [i, run] of runs.entries()) {
    while (above < i && (runs[above]!.row < run.row - 1 || (runs[above]!.row === run.row - 1 && runs[above]!.end + reach <= run.start)))
      above++
    for (let j = above; j < i && runs[j]!.row === run.row - 1 && runs[j]!.start < run.end + reach; j++) {
      const [one, other] = [rootOf(runs, i), rootOf(runs, j)]
      if (one !== other) runs[Math.max(one, other)]!.parent = Math.min(one, other)
    }
  }
}

function rootOf(runs: readonly Run[], i: number): number {
  let root = i
  while (runs[root]!.parent !== root) root = runs[root]!.parent
  for (let at = i; at !== root;) {
    const next = runs[at]!.parent
    runs[at]!.parent = root
    at = next
  }
  return root
}

/** Steps along a boundary: east, south, west, north. */
const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const
/** Offsets of the pixel ahead of a corner, to the right (FRONT_RIGHT) and to the left (FRONT_LEFT) of the boundary, by direction. */
const FRONT_RIGHT = [
  [0, 0],
  [-1, 0],
  [-1, -1],
  [0, -1],
] as const
const FRONT_LEFT = [
  [0, -1],
  [0, 0],
  [-1, 0],
  [-1, -1],
] as const

/** Follows the edges of the outer pixels clockwise, with the region on the right. Keeps only corners. */
function traceBoundary(labels: Int32Array, width: number, height: number, label: number, region: PixelRegion, diagonal: boolean): Point[] {
  const is = (x: number, y: number) => x >= 0 && y >= 0 && x < width && y < height && labels[y * width + x] === label
  let startX = region.left
  while (!is(startX, region.top)) startX++
  let [x, y, direction] = [startX, region.top, 0]
  const boundary: Point[] = [[x, y]]
  for (let steps = 0; steps < MAX_BOUNDARY; steps++) {
    x += STEPS[direction]![0]
    y += STEPS[direction]![1]
    if (x === startX && y === region.top) break
    const right = is(x + FRONT_RIGHT[direction]![0], y + FRONT_RIGHT[direction]![1])
    const left = is(x + FRONT_LEFT[direction]![0], y + FRONT_LEFT[direction]![1])
    const turn = left && (right || diagonal) ? 3 : right ? 0 : 1
    if (turn === 0) continue
    boundary.push([x, y])
    direction = (direction + turn) % 4
  }
  return boundary
}
