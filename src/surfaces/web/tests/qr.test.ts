import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { qrModules } from '../qr.ts'

const drawn = (modules: boolean[][]) => modules.map((row) => row.map((dark) => (dark ? '#' : '.')).join(''))
const digest = (modules: boolean[][]) => createHash('sha256').update(modules.flat().map(Number).join('')).digest('hex').slice(0, 16)

describe('qrModules', () => {
  // What another encoder (npm qrcode 1.5.4, byte mode, level M) makes of the same texts, down to the choice of the mask.
  it('draws what every reader knows', () => {
    expect(drawn(qrModules('LANYARD'))).toEqual([
      '#######.#.....#######',
      '#.....#..#.##.#.....#',
      '#.###.#..####.#.###.#',
      '#.###.#.##.##.#.###.#',
      '#.###.#.##..#.#.###.#',
      '#.....#.##.#..#.....#',
      '#######.#.#.#.#######',
      '........##.##........',
      '#...#.###.##.#####..#',
      '..####.###.##.....###',
      '...#.#####.#..###..#.',
      '.##.##.###...####....',
      '#.##.###....####..#..',
      '........#.#.###..#.##',
      '#######.##..##..####.',
      '#.....#....##..#...##',
      '#.###.#.##.#..#..##.#',
      '#.###.#..####..#...##',
      '#.###.#..###..#.#....',
      '#.....#..#...##.#....',
      '#######.#...###...#.#',
    ])
  })

  it('does so for larger ones too, with version marks, long counts and several blocks', () => {
    const set = qrModules('otpauth://totp/Lanyard:olga%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Lanyard')
    expect([set.length, digest(set)]).toEqual([41, '5364c7f00ec9aa0e'])
    const long = qrModules('Zürich '.repeat(50))
    expect([long.length, digest(long)]).toEqual([77, '4ce545bbcb9e2c4e'])
  })

  it('takes 412 bytes and refuses more', () => {
    expect(qrModules('x'.repeat(412)).length).toBe(77)
    expect(() => qrModules('x'.repeat(413))).toThrow('does not fit')
  })
})
