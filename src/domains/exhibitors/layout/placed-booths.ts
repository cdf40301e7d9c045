import { type SingleOrDoubleBoothRow, type BoothAndAisleSizes, type AllowedBoothPositions, getBoothRowDepth } from './bands.ts'

/** One booth of a layout. `x` and `y` are its lower left cell. */
export interface PlacedBooth {
  band: number
  run: number
  column: number
  faces: 'up' | 'down'
  x: number
  y: number
}

/** Lists the booths of a layout, one single or double row after the other: rows from bottom to top, booths from left to right. */
export function listPlacedBooths(
  { columns, facesUp, facesDown }: AllowedBoothPositions,
  { width, depth }: BoothAndAisleSizes,
  bands: readonly SingleOrDoubleBoothRow[],
): PlacedBooth[] {
  const booths: PlacedBooth[] = []
  for (const [band, { kind, y, runs }] of bands.entries()) {
    for (const [run, { x: start, columns: length }] of runs.entries()) {
      for (let column = 0; column < length; column++) {
        const x = start + column * width
        const upper = y + getBoothRowDepth(kind, depth) - depth
        if (kind !== 'up' && facesDown[y * columns + x] === 1) booths.push({ band, run, column, faces: 'down', x, y })
        if (kind !== 'down' && facesUp[upper * columns + x] === 1) booths.push({ band, run, column, faces: 'up', x, y: upper })
      }
    }
  }
  return booths
}

/**
 * Numbers booths by aisle and column. Aisles are counted from the lowest; a booth below aisle k has the odd number 100k + 2c − 1, one above
 * it the even number 100k + 2c. If a row has too many columns for this, 1000k is used instead of 100k.
 */
export function assignBoothNumbers(booths: readonly PlacedBooth[], width: number): number[] {
  const aisleOf = ({ band, faces }: PlacedBooth) => (faces === 'down' ? band : band + 1)
  const aisles = [...new Set(booths.map(aisleOf))].toSorted((a, b) => a - b)
  const left = booths.reduce((least, { x }) => Math.min(least, x), Infinity)
  const columnOf = ({ x }: PlacedBooth) => Math.floor((x - left) / width) + 1
  const last = booths.reduce((most, booth) => Math.max(most, columnOf(booth)), 0)
  let step = 100
  while (2 * last >= step) step *= 10
  return booths.map((booth) => step * (aisles.indexOf(aisleOf(booth)) + 1) + 2 * columnOf(booth) - (booth.faces === 'up' ? 1 : 0))
}
