import type { Point } from '../floor/plan-shapes.ts'

/** Letters as draughtsmen write them: strokes between points of a grid of five columns and seven lines, two digits to a point. */
const STROKES: Record<string, string> = {
  '0': '10 01 05 16 36 45 41 30 10',
  '1': '15 26 20|10 30',
  '2': '05 16 36 45 44 00 40',
  '3': '06 46 24 34 43 41 30 10 01',
  '4': '30 36 02 42',
  '5': '46 06 03 33 42 41 30 00',
  '6': '36 16 04 01 10 30 41 42 33 03',
  '7': '06 46 10',
  '8': '13 04 05 16 36 45 44 33 13 02 01 10 30 41 42 33',
  '9': '10 30 42 45 36 16 05 04 13 43',
  A: '00 26 40|12 32',
  B: '00 06 36 45 44 33 03|33 42 41 30 00',
  C: '45 36 16 05 01 10 30 41',
  D: '00 06 26 44 42 20 00',
  E: '46 06 00 40|03 33',
  F: '46 06 00|03 33',
  G: '45 36 16 05 01 10 30 41 43 23',
  H: '00 06|40 46|03 43',
  I: '20 26|10 30|16 36',
  J: '01 10 30 41 46',
  K: '00 06|46 03 40',
  L: '06 00 40',
  M: '00 06 23 46 40',
  N: '00 06 40 46',
  O: '10 01 05 16 36 45 41 30 10',
  P: '00 06 36 45 44 33 03',
  Q: '10 01 05 16 36 45 41 30 10|22 40',
  R: '00 06 36 45 44 33 03|23 40',
  S: '45 36 16 05 04 13 33 42 41 30 10 01',
  T: '06 46|26 20',
  U: '06 01 10 30 41 46',
  V: '06 20 46',
  W: '06 10 23 30 46',
  X: '00 46|06 40',
  Y: '06 23 46|23 20',
  Z: '06 46 00 40',
  '-': '13 33',
  '+': '13 33|21 25',
  '/': '00 46',
  '&': '40 05 16 25 01 10 20 42',
  '.': '20 21',
}

const ADVANCE = 6
const HEIGHT = 6

/** The strokes of a text around a point, so many pixels high. Signs that are not among these are left as a gap; accents are left out. */
export function lettersAt(text: string, [x, y]: Point, size: number): Point[][] {
  const signs = [...text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase()]
  const scale = (size * 0.7) / HEIGHT
  const left = x - ((signs.length * ADVANCE - 2) * scale) / 2
  return signs.flatMap((sign, i) =>
    (STROKES[sign] ?? '')
      .split('|')
      .filter(Boolean)
      .map((stroke) =>
        stroke.split(' ').map((point): Point => {
          const [column, line] = [Number(point[0]), Number(point[1])]
          return [left + (i * ADVANCE + column) * scale, y + (HEIGHT / 2 - line) * scale]
        }),
      ),
  )
}
