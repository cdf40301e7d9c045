/** A picture of one byte per pixel: grey values, or 1 for ink and 0 for paper. */
export interface Bitmap {
  width: number
  height: number
  data: Uint8Array
}

/** Radius of the window for Sauvola's threshold: the mean of the window, lowered where the window has little contrast. */
const WINDOW_RADIUS = 15
const SENSITIVITY = 0.3
const MAX_DEVIATION = 128

/** Separates ink from paper by Sauvola's local threshold, so that shadows and yellowed paper do not matter. */
export function separateInkFromPaper({ width, height, data }: Bitmap): Bitmap {
  const ink = new Uint8Array(width * height)
  // Running sums of the pixel columns in the window, updated as it moves down, so that memory does not grow with the picture's height.
  const sums = new Float64Array(width)
  const squares = new Float64Array(width)
  const addRow = (y: number, sign: 1 | -1) => {
    if (y < 0 || y >= height) return
    for (let x = 0, at = y * width; x < width; x++, at++) {
      const value = data[at]!
      sums[x] = sums[x]! + sign * value
      squares[x] = squares[x]! + sign * value * value
    }
  }
  for (let y = 0; y < WINDOW_RADIUS; y++) addRow(y, 1)
  for (let y = 0; y < height; y++) {
    addRow(y + WINDOW_RADIUS, 1)
    addRow(y - WINDOW_RADIUS - 1, -1)
    const rows = Math.min(height - 1, y + WINDOW_RADIUS) - Math.max(0, y - WINDOW_RADIUS) + 1
    let [sum, square, columns] = [0, 0, 0]
    for (let x = -WINDOW_RADIUS; x < width; x++) {
      const [entering, leaving] = [x + WINDOW_RADIUS, x - WINDOW_RADIUS - 1]
      if (entering < width) [sum, square, columns] = [sum + sums[entering]!, square + squares[entering]!, columns + 1]
      if (leaving >= 0) [sum, square, columns] = [sum - sums[leaving]!, square - squares[leaving]!, columns - 1]
      if (x < 0) continue
      const count = rows * columns
      const mean = sum / count
      const deviation = Math.sqrt(Math.max(0, square / count - mean * mean))
      const value = data[y * width + x]!
      if (value <= mean * (1 + SENSITIVITY * (deviation / MAX_DEVIATION - 1))) ink[y * width + x] = 1
    }
  }
  return { width, height, data: ink }
}

const BINS_PER_DEGREE = 10
const MIN_EDGE = 60

/** The angle in degrees, from -45 to 45, by which most edges in the picture are turned from the horizontal and vertical. */
export function measureSkewAngle({ width, height, data }: Bitmap): number {
  const bins = new Float64Array(90 * BINS_PER_DEGREE)
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x
      const [dx, dy] = gradientAt(data, at, width)
      const strength = Math.hypot(dx, dy)
      if (strength < MIN_EDGE) continue
      const degrees = (Math.atan2(dy, dx) * 180) / Math.PI
      const turned = (((degrees + 45) % 90) + 90) % 90
      const bin = Math.floor(turned * BINS_PER_DEGREE) % bins.length
      bins[bin] = bins[bin]! + strength
    }
  }
  // The pixels of one line have slightly different angles, so the strengths of neighbouring bins of the histogram are added up.
  const smooth = (i: number) => [-3, -2, -1, 0, 1, 2, 3].reduce((sum, step) => sum + bins[(i + step + bins.length) % bins.length]!, 0)
  let best = 0
  for (let i = 1; i < bins.length; i++) if (smooth(i) > smooth(best)) best = i
  return smooth(best) === 0 ? 0 : (best + 0.5) / BINS_PER_DEGREE - 45
}

/** Calculates the gradient of a pixel by Sobel's operator. */
function gradientAt(data: Uint8Array, at: number, width: number): [number, number] {
  const [a, b, c] = [data[at - width - 1]!, data[at - width]!, data[at - width + 1]!]
  const [d, f] = [data[at - 1]!, data[at + 1]!]
  const [g, h, i] = [data[at + width - 1]!, data[at + width]!, data[at + width + 1]!]
  return [c + 2 * f + i - a - 2 * d - g, g + 2 * h + i - a - 2 * b - c]
}
