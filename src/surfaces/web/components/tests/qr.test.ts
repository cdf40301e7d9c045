import { describe, expect, it } from 'vitest'
import { QrCode } from '../qr.tsx'

/** The rows of the picture, with `#` for dark modules, including the quiet zone. */
function drawn(text: string): string[] {
  const svg = String(QrCode({ text, label: 'a code' }))
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)![1])
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => '.'))
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) rows[Number(y)]![Number(x)] = '#'
  return rows.map((row) => row.join(''))
}

describe('QrCode', () => {
  it('draws a standard QR code with a quiet zone', () => {
    // Expected output of an independent encoder: byte mode, level M.
    const code = [
      '#######..####.#######',
      '#.....#..#..#.#.....#',
      '#.###.#.###.#.#.###.#',
      '#.###.#.##..#.#.###.#',
      '#.###.#.#.#.#.#.###.#',
      '#.....#.#..#..#.....#',
      '#######.#.#.#.#######',
      '........#.#..........',
      '#.#####..#.#..#####..',
      '.....#..##.#####..#.#',
      '..##..#####.#.##.###.',
      '#.#....##..#####.##..',
      '...#.####...#......##',
      '........##..#..###..#',
      '#######..###.#.....#.',
      '#.....#.#......######',
      '#.###.#.#..#.#.#.#.#.',
      '#.###.#.#######.#....',
      '#.###.#.#.#.#.#..##..',
      '#.....#..######..##..',
      '#######.#...#..#...#.',
    ]
    const empty = Array.from({ length: 4 }, () => '.'.repeat(29))
    expect(drawn('lanyard')).toEqual([...empty, ...code.map((row) => `....${row}....`), ...empty])
  })

  it('draws a QR code of the longest possible URL for setting up TOTP', () => {
    expect(drawn(`otpauth://totp/Lanyard:${'%40'.repeat(254)}?secret=${'A'.repeat(32)}&issuer=Lanyard`).length).toBeGreaterThan(77)
  })
})
