import type { RecognizedObjectKind } from './dictionary.ts'
import { listPictogramTemplates, normalizePixelCoverage, PICTOGRAM_SIZES } from './pictograms.ts'
import type { Bitmap } from './raster.ts'
import type { PixelRegion } from './raster-regions.ts'

export interface FoundPictogram {
  kind: RecognizedObjectKind
  correlation: number
  left: number
  top: number
  right: number
  bottom: number
}

/** Maximum ratio of the sides of a pictogram, which is a square that may be printed a little distorted. */
const MAX_ASPECT = 1.2
const MIN_PIXELS = 16
/** Widths to try for the margin of a pictogram (its frame and the empty space inside the frame), as fractions of its side. */
const INSETS = [0, 0.04, 0.08, 0.12, 0.16]
const MIN_CORRELATION = 0.8
/** Maximum side of a pictogram, as a fraction of the longer side of the picture. Larger squares are rooms and halls. */
const MAX_SHARE = 0.15

/**
 * Finds pictograms: every square of ink is compared with the known symbols by normalised cross-correlation. Symbols may be dark on light or
 * light on dark. Grey values are compared, because the ink of a large pictogram is its outline only.
 */
export function findPictograms(grey: Bitmap, regions: readonly PixelRegion[]): FoundPictogram[] {
  const most = Math.max(grey.width, grey.height) * MAX_SHARE
  return regions.flatMap(({ left, top, right, bottom }) => {
    const [width, height] = [right - left + 1, bottom - top + 1]
    if (Math.min(width, height) < MIN_PIXELS || Math.max(width, height) > most) return []
    if (Math.max(width, height) > Math.min(width, height) * MAX_ASPECT) return []
    const best = findBestFit(grey, { left, top, width, height })
    return best && best.correlation >= MIN_CORRELATION ? [{ ...best, left, top, right: right + 1, bottom: bottom + 1 }] : []
  })
}

interface Box {
  left: number
  top: number
  width: number
  height: number
}

function findBestFit(grey: Bitmap, box: Box): { kind: RecognizedObjectKind; correlation: number } | null {
  let best: { kind: RecognizedObjectKind; correlation: number } | null = null
  for (const inset of INSETS) {
    const inner = {
      left: box.left + box.width * inset,
      top: box.top + box.height * inset,
      width: box.width * (1 - 2 * inset),
      height: box.height * (1 - 2 * inset),
    }
    const size = PICTOGRAM_SIZES.findLast((one) => one <= Math.min(inner.width, inner.height)) ?? PICTOGRAM_SIZES[0]
    const seen = normalizePixelCoverage(sample(grey, inner, size))
    for (const { kind, size: drawn, values } of listPictogramTemplates()) {
      if (drawn !== size) continue
      const correlation = Math.abs(values.reduce((sum, value, i) => sum + value * seen[i]!, 0))
      if (!best || correlation > best.correlation) best = { kind, correlation }
    }
  }
  return best
}

/** Returns the mean grey value of each cell of the box, cut into `size` by `size` cells. */
function sample({ width, data }: Bitmap, box: Box, size: number): Float32Array {
  const cells = new Float32Array(size * size)
  const edge = (start: number, length: number, i: number) => Math.round(start + (length * i) / size)
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const [x0, x1] = [edge(box.left, box.width, column), edge(box.left, box.width, column + 1)]
      const [y0, y1] = [edge(box.top, box.height, row), edge(box.top, box.height, row + 1)]
      let sum = 0
      for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) sum += data[y * width + x]!
      cells[row * size + column] = sum / Math.max(1, (x1 - x0) * (y1 - y0))
    }
  return cells
}
