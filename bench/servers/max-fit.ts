import type { Obstacle, PointOfInterest, Point, Polygon } from '../../src/domains/exhibitors/floor/plan-shapes.ts'
import type { Hall, MaxFitLayoutOptions } from '../../src/domains/exhibitors/layout/hall.ts'
import { findMaxFitLayout } from '../../src/domains/exhibitors/layout/max-fit.ts'
import { serveRequests } from '../child.ts'
import { isSmokeRun } from '../size.ts'

const METRE = 10_000
/** 300 × 200 metres, or 30 × 20 in a smoke run. */
const [WIDTH, DEPTH] = isSmokeRun ? [30, 20] : [300, 200]
const GRID = METRE / 4
const MAX_RUN = 10

const rectangle = (x: number, y: number, width: number, depth: number): Polygon =>
  (
    [
      [x, y],
      [x + width, y],
      [x + width, y + depth],
      [x, y + depth],
    ] as const
  ).map(([a, b]): Point => [a * METRE, b * METRE])

/** Pillars every 25 metres, and a fire exit in the middle of each long wall. */
const HALL: Hall = {
  units: 'm',
  outline: { outer: rectangle(0, 0, WIDTH, DEPTH), holes: [] },
  obstacles: Array.from({ length: Math.floor(WIDTH / 25) * Math.floor(DEPTH / 25) }, (_, i): Obstacle => {
    const [x, y] = [(i % Math.max(1, Math.floor(WIDTH / 25))) * 25 + 12, Math.floor(i / Math.max(1, Math.floor(WIDTH / 25))) * 25 + 12]
    return { id: `pillar-${i}`, kind: 'pillar', polygon: rectangle(x, y, 1, 1), blocksWalking: true }
  }),
  aisles: [],
  zones: [],
  pois: [0, DEPTH].map((y): PointOfInterest => ({
    id: `exit-${y}`,
    kind: 'fireExit',
    name: 'Exit',
    point: [(WIDTH / 2) * METRE, y * METRE],
  })),
  kept: [],
}

const OPTIONS: MaxFitLayoutOptions = {
  module: { width: 3 * METRE, depth: 3 * METRE },
  sizeCode: null,
  aisle: 3 * METRE,
  crossAisle: 3 * METRE,
  perimeter: 'aisle',
  perimeterAisle: 3 * METRE,
  maxRun: MAX_RUN,
  exitClear: { width: 3 * METRE, depth: 6 * METRE },
  pillars: 'forbid',
  clearance: 0,
  angles: [0, 90],
  grid: GRID,
  mix: [],
  prefix: '',
}

const CELLS = ((WIDTH * METRE) / GRID) * ((DEPTH * METRE) / GRID)

/** Returns the milliseconds of processor time for one layout with both angles, including its cost of pillars and exits. */
function fit(): number {
  const started = process.cpuUsage()
  findMaxFitLayout(HALL, OPTIONS)
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}

/**
 * Does the least work that the same dynamic programming needs: for every layout that `fit` calculates, one addition per grid cell, kind of
 * booth row and length of a row.
 */
function pass(): number {
  const started = process.cpuUsage()
  const cells = new Int32Array(CELLS).fill(1)
  const [angles, kinds, variants] = [2, 3, 3]
  let sum = 0
  for (let round = 0; round < angles * kinds * variants; round++)
    for (let cell = 0; cell < CELLS; cell++) for (let run = 1; run <= MAX_RUN; run++) sum = (sum + cells[cell >= run ? cell - run : 0]!) | 0
  const { user, system } = process.cpuUsage(started)
  if (sum === 1) throw new Error('The pass was optimized away')
  return (user + system) / 1000
}

serveRequests({
  fit,
  pass,
  cells: () => CELLS,
  booths: () => findMaxFitLayout(HALL, OPTIONS).booths.length,
  peakMegabytes: () => process.resourceUsage().maxRSS / 1024,
})
