/**
 * QR codes (ISO/IEC 18004) of short texts: byte mode, error correction M, versions 1 to 15, which hold up to 412 bytes.
 * Made here because the secrets that go into them should pass through as little foreign code as possible.
 */

const CHECK_BYTES = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10]

type Grid = (boolean | null)[][]

/** The modules, row by row; true is dark. */
export function qrModules(text: string): boolean[][] {
  const bytes = Buffer.from(text, 'utf8')
  const version = BLOCKS.findIndex((_, i) => bytes.length <= capacityOf(i + 1)) + 1
  if (version === 0) throw new RangeError(`a text of ${bytes.length} bytes does not fit into a QR code`)
  const bits = interleaved(dataBytes(bytes, version), version)
  const grid = fixedPatterns(version)
  const free = grid.map((row) => row.map((module) => module === null))
  place(grid, bits)
  const masked = MASKS.map((mask, i) => {
    const copy = grid.map((row, y) => row.map((module, x) => (free[y]![x] ? module !== mask(x, y) : module!)))
    writeFormat(copy, i)
    return { copy, points: penalty(copy) }
  })
  return masked.reduce((best, one) => (one.points < best.points ? one : best)).copy
}

/** Bits that carry anything but patterns, whole bytes of them. */
function rawBytes(version: number): number {
  const aligned = Math.floor(version / 7) + 2
  const patterns = version >= 2 ? (25 * aligned - 10) * aligned - 55 : 0
  return Math.floor(((16 * version + 128) * version + 64 - patterns - (version >= 7 ? 36 : 0)) / 8)
}

const dataLength = (version: number) => rawBytes(version) - CHECK_BYTES[version - 1]! * BLOCKS[version - 1]!
const capacityOf = (version: number) => dataLength(version) - (version < 10 ? 2 : 3)

function dataBytes(bytes: Buffer, version: number): number[] {
  const length = bytes.length.toString(2).padStart(version < 10 ? 8 : 16, '0')
  let bits = `0100${length}${[...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')}0000`
  bits = bits.slice(0, dataLength(version) * 8)
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0')
  const data = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  for (let i = 0; data.length < dataLength(version); i++) data.push(i % 2 === 0 ? 0xec : 0x11)
  return data
}

/** Blocks with their check bytes, mixed so that a blot hurts each of them a little. */
function interleaved(data: number[], version: number): boolean[] {
  const count = BLOCKS[version - 1]!
  const checks = CHECK_BYTES[version - 1]!
  const short = Math.floor(data.length / count)
  const longer = data.length % count
  const divisor = generator(checks)
  let at = 0
  const blocks = Array.from({ length: count }, (_, i) => data.slice(at, (at += short + (i >= count - longer ? 1 : 0))))
  const ends = blocks.map((block) => remainder(block, divisor))
  const mixed: number[] = []
  for (let i = 0; i <= short; i++) for (const block of blocks) if (i < block.length) mixed.push(block[i]!)
  for (let i = 0; i < checks; i++) for (const end of ends) mixed.push(end[i]!)
  return mixed.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => ((byte >> bit) & 1) === 1))
}

/** In the field of 256 elements over x^8 + x^4 + x^3 + x^2 + 1. */
function times(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    product ^= ((b >> bit) & 1) * a
  }
  return product
}

function generator(degree: number): number[] {
  let result = [1]
  for (let i = 0, root = 1; i < degree; i++, root = times(root, 2)) {
    const next = [...result, 0]
    for (let j = 0; j < result.length; j++) next[j + 1]! ^= times(result[j]!, root)
    result = next
  }
  return result.slice(1)
}

function remainder(block: readonly number[], divisor: readonly number[]): number[] {
  const result = divisor.map(() => 0)
  for (const byte of block) {
    const factor = byte ^ result.shift()!
    result.push(0)
    for (let i = 0; i < divisor.length; i++) result[i]! ^= times(divisor[i]!, factor)
  }
  return result
}

const alignments = (version: number, size: number): number[] => {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_, i) => size - 7 - i * step).toReversed()]
}

/** Finders, timing, alignment, version and room for the format; null is free for data. */
function fixedPatterns(version: number): Grid {
  const size = version * 4 + 17
  const grid: Grid = Array.from({ length: size }, () => Array.from({ length: size }, () => null))
  const square = (cx: number, cy: number, radius: number, dark: (ring: number) => boolean) => {
    for (let y = cy - radius; y <= cy + radius; y++)
      for (let x = cx - radius; x <= cx + radius; x++)
        if (grid[y]?.[x] !== undefined) grid[y]![x] = dark(Math.max(Math.abs(x - cx), Math.abs(y - cy)))
  }
  for (let i = 0; i < size; i++) grid[6]![i] = grid[i]![6] = i % 2 === 0
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, (ring) => ring !== 2 && ring !== 4)
  const centres = alignments(version, size)
  const corner = (x: number, y: number) => (x === 6 && y === 6) || (x === 6 && y === size - 7) || (x === size - 7 && y === 6)
  for (const y of centres) for (const x of centres) if (!corner(x, y)) square(x, y, 2, (ring) => ring !== 1)
  writeFormat(grid, 0)
  if (version >= 7) {
    let rest = version
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25)
    const bits = (version << 12) | rest
    for (let i = 0; i < 18; i++) {
      const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)]
      grid[b]![a] = grid[a]![b] = ((bits >> i) & 1) === 1
    }
  }
  return grid
}

/** The level (M is 0) and the mask, twice. */
function writeFormat(grid: Grid, mask: number): void {
  let rest = mask
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >> 9) * 0x537)
  const bits = ((mask << 10) | rest) ^ 0x5412
  const size = grid.length
  const set = (x: number, y: number, i: number) => (grid[y]![x] = ((bits >> i) & 1) === 1)
  for (let i = 0; i < 6; i++) set(8, i, i)
  set(8, 7, 6)
  set(8, 8, 7)
  set(7, 8, 8)
  for (let i = 9; i < 15; i++) set(14 - i, 8, i)
  for (let i = 0; i < 8; i++) set(size - 1 - i, 8, i)
  for (let i = 8; i < 15; i++) set(8, size - 15 + i, i)
  grid[size - 8]![8] = true
}

/** In pairs of columns from the right, up and down in turn. */
function place(grid: Grid, bits: readonly boolean[]): void {
  const size = grid.length
  let at = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    const upward = ((right + 1) & 2) === 0
    for (let i = 0; i < size; i++) {
      const y = upward ? size - 1 - i : i
      for (const x of [right, right - 1]) if (grid[y]![x] === null) grid[y]![x] = bits[at++] ?? false
    }
  }
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** How hard the picture is to read: long runs, blocks, what looks like a finder, and too much of one colour. */
function penalty(grid: readonly (readonly (boolean | null)[])[]): number {
  const rows = grid.map((row) => row.map((dark) => (dark ? '1' : '0')).join(''))
  const columns = rows.map((_, x) => rows.map((row) => row[x]).join(''))
  let points = 0
  for (const line of [...rows, ...columns]) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2
    points += [...line.matchAll(/(?=10111010000|00001011101)/g)].length * 40
  }
  for (let y = 1; y < rows.length; y++) {
    const [above, row] = [rows[y - 1]!, rows[y]!]
    for (let x = 1; x < row.length; x++) if (row[x] === row[x - 1] && row[x] === above[x] && row[x] === above[x - 1]) points += 3
  }
  const dark = rows.join('').replaceAll('0', '').length / rows.length ** 2
  return points + Math.floor(Math.abs(dark * 100 - 50) / 5) * 10
}
