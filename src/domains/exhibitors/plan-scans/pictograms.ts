import type { Point } from '../floor/plan-shapes.ts'
import type { RecognizedObjectKind } from './dictionary.ts'
import { isInsidePolygon } from './hall-drawing.ts'

/** A shape in a pictogram. Its coordinates are hundredths of the pictogram's side. */
type Part = { circle: [x: number, y: number, radius: number] } | { polygon: Point[] }

interface Pictogram {
  kind: RecognizedObjectKind
  parts: readonly Part[]
}

const circle = (x: number, y: number, radius: number): Part => ({ circle: [x, y, radius] })
const box = (left: number, top: number, right: number, bottom: number): Part => ({
  polygon: [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ],
})
const polygon = (...points: Point[]): Part => ({ polygon: points })

/** The symbols of public information and safety signs (after ISO 7001 and ISO 7010), without their frame. */
export const PICTOGRAMS: readonly Pictogram[] = [
  { kind: 'firstAid', parts: [box(40, 12, 60, 88), box(12, 40, 88, 60)] },
  {
    kind: 'information',
    parts: [
      circle(50, 20, 11),
      polygon([34, 40], [60, 40], [60, 78], [68, 78], [68, 88], [32, 88], [32, 78], [42, 78], [42, 50], [34, 50]),
    ],
  },
  {
    kind: 'restroom',
    parts: [
      circle(28, 16, 9),
      polygon([16, 28], [40, 28], [40, 58], [35, 58], [35, 92], [21, 92], [21, 58], [16, 58]),
      box(48, 8, 52, 94),
      circle(74, 16, 9),
      polygon([66, 28], [82, 28], [92, 68], [83, 68], [83, 92], [65, 92], [65, 68], [56, 68]),
    ],
  },
  {
    kind: 'food',
    parts: [
      box(20, 10, 25, 42),
      box(30, 10, 35, 42),
      box(40, 10, 45, 42),
      box(20, 36, 45, 46),
      box(28, 42, 37, 92),
      polygon([64, 10], [76, 16], [82, 34], [82, 54], [74, 54], [74, 92], [64, 92]),
    ],
  },
  {
    kind: 'lift',
    parts: [polygon([30, 12], [46, 34], [14, 34]), box(25, 34, 35, 88), polygon([70, 88], [86, 66], [54, 66]), box(65, 12, 75, 66)],
  },
  {
    kind: 'stairs',
    parts: [
      polygon(
        [8, 90],
        [8, 74],
        [28, 74],
        [28, 58],
        [48, 58],
        [48, 42],
        [68, 42],
        [68, 26],
        [92, 26],
        [92, 40],
        [82, 40],
        [82, 56],
        [62, 56],
        [62, 72],
        [42, 72],
        [42, 90],
      ),
    ],
  },
  {
    kind: 'cloakroom',
    parts: [
      polygon([50, 38], [94, 70], [94, 80], [6, 80], [6, 70]),
      polygon([46, 40], [46, 30], [54, 26], [54, 20], [46, 20], [46, 24], [38, 24], [38, 12], [62, 12], [62, 32], [54, 36], [54, 40]),
    ],
  },
  {
    kind: 'fireExit',
    parts: [
      circle(48, 14, 9),
      polygon(
        [30, 26],
        [56, 26],
        [72, 46],
        [66, 52],
        [54, 42],
        [50, 60],
        [66, 72],
        [60, 94],
        [50, 94],
        [54, 76],
        [36, 66],
        [26, 84],
        [6, 84],
        [6, 74],
        [20, 74],
        [34, 38],
        [24, 40],
        [18, 54],
        [10, 50],
        [18, 32],
      ),
      box(80, 6, 94, 94),
    ],
  },
]

/** Side lengths in pixels to which the known pictograms are drawn for comparison with a picture. */
export const PICTOGRAM_SIZES = [12, 16, 24, 32, 48] as const
const SAMPLES = 4

export interface PictogramTemplate {
  kind: RecognizedObjectKind
  size: number
  /**
   * How much of each pixel the symbol covers, less the mean and divided by the norm, so that the sum of products with another symbol is the
   * correlation.
   */
  values: Float32Array
}

let templates: PictogramTemplate[] | null = null

export const listPictogramTemplates = (): readonly PictogramTemplate[] =>
  (templates ??= PICTOGRAM_SIZES.flatMap((size) =>
    PICTOGRAMS.map(({ kind, parts }) => ({ kind, size, values: normalizePixelCoverage(draw(parts, size)) })),
  ))

function draw(parts: readonly Part[], size: number): Float32Array {
  const covered = new Float32Array(size * size)
  const step = 100 / (size * SAMPLES)
  for (let y = 0; y < size * SAMPLES; y++)
    for (let x = 0; x < size * SAMPLES; x++)
      if (isCovered(parts, [(x + 0.5) * step, (y + 0.5) * step])) covered[Math.floor(y / SAMPLES) * size + Math.floor(x / SAMPLES)]! += 1
  return covered
}

const isCovered = (parts: readonly Part[], at: Point) =>
  parts.some((part) =>
    'circle' in part ? Math.hypot(at[0] - part.circle[0], at[1] - part.circle[1]) <= part.circle[2] : isInsidePolygon(part.polygon, at),
  )

/** Subtracts the mean and divides by the norm. An area of one grey value becomes zero, which correlates with nothing. */
export function normalizePixelCoverage(values: Float32Array): Float32Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const moved = values.map((value) => value - mean)
  const norm = Math.sqrt(moved.reduce((sum, value) => sum + value * value, 0))
  return norm < 1e-6 ? moved.fill(0) : moved.map((value) => value / norm)
}
