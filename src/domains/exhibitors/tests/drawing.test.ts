import { describe, expect, it } from 'vitest'
import { drawPlan, type DrawnPlan } from '../drawing/drawing.ts'
import { lettersAt } from '../drawing/lettering.ts'
import { pictureOf } from '../drawing/picture.ts'
import { paint } from '../drawing/raster.ts'
import { toSvg } from '../drawing/svg.ts'
import { atOnce } from '../../../kernel/turns.ts'
import { METRE, type Point, type Polygon } from '../floor/plan-shapes.ts'

const box = (x: number, y: number, width: number, depth: number): Polygon =>
  [
    [x, y],
    [x + width, y],
    [x + width, y + depth],
    [x, y + depth],
  ].map(([px, py]): Point => [px! * METRE, py! * METRE])

const plan = (more: Partial<DrawnPlan> = {}): DrawnPlan => ({
  name: 'Hall 1',
  units: 'm',
  outer: box(0, 0, 30, 20),
  holes: [],
  obstacles: [],
  booths: [{ number: '101', polygon: box(6, 6, 3, 3), label: 'Borealis', look: 'taken' }],
  pois: [{ name: 'Main entrance', point: [15 * METRE, 0] }],
  route: [],
  ...more,
})

describe('a plan as SVG', () => {
  it.each(['<script>alert(1)</script>', '"><svg onload=alert(1)>', "'-alert(1)-'", '&lt;b&gt;', '\u202Egnp.exe\u0000', ']]><x/>'])(
    'has %j as text and nothing else',
    (name) => {
      const svg = toSvg(
        drawPlan(
          plan({
            name,
            booths: [{ number: name.slice(0, 12), polygon: box(6, 6, 3, 3), label: name, look: 'chosen' }],
            pois: [{ name, point: [0, 0] }],
          }),
          800,
        ),
      )
      expect(
        [...svg.matchAll(/<\/?([a-z]+)/gi)]
          .map(([, tag]) => tag!.toLowerCase())
          .filter((tag) => !['svg', 'title', 'desc', 'g', 'polygon', 'polyline', 'circle', 'text'].includes(tag)),
      ).toEqual([])
      expect(svg).not.toMatch(/<[^>]*\son\w+=/)
      for (const hidden of ['\u0000', '\u202E']) expect(svg).not.toContain(hidden)
    },
  )

  it('says in words what it shows', () => {
    const svg = toSvg(drawPlan(plan(), 800))
    expect(svg).toContain('role="img" aria-labelledby="plan-title plan-text"')
    expect(svg).toContain('<title id="plan-title">Hall 1</title><desc id="plan-text">101: Borealis</desc>')
  })
})

describe('a plan as a picture', () => {
  const colourAt = (drawn: DrawnPlan, x: number, y: number) => {
    const drawing = drawPlan(drawn, 332)
    const { width, pixels } = atOnce(paint(drawing))
    const at = ((16 + (20 - y) * 10) * width + 16 + x * 10) * 3
    return [...pixels.subarray(at, at + 3)].map((part) => part.toString(16).padStart(2, '0')).join('')
  }

  it('has the floor, the booths and the way where they are, also at its edges', () => {
    expect(colourAt(plan(), 20, 15)).toBe('f4f5f6')
    expect(colourAt(plan(), 6.4, 8.6)).toBe('dbeafe')
    const chosen = plan({
      booths: [{ number: '1', polygon: box(27, 17, 3, 3), label: null, look: 'chosen' }],
      route: [
        [METRE, METRE],
        [10 * METRE, METRE],
      ],
    })
    expect(colourAt(chosen, 27.5, 19.5)).toBe('fde68a')
    expect(colourAt(chosen, 5, 1)).toBe('be123c')
    expect(colourAt(chosen, -1, 10)).toBe('ffffff')
  })

  it('of a full hall is small enough', async () => {
    const booths = Array.from({ length: 1500 }, (_, i) => ({
      number: String(i),
      polygon: box((i % 50) * 4, Math.floor(i / 50) * 5, 3, 3),
      label: 'x',
      look: 'taken' as const,
    }))
    const { data } = await pictureOf(plan({ outer: box(0, 0, 200, 150), booths }))
    expect(data.length).toBeLessThanOrEqual(150_000)
  })

  it('letters what it can and leaves gaps where it cannot', () => {
    expect(lettersAt('Éé', [0, 0], 12)).toEqual(lettersAt('EE', [0, 0], 12))
    expect(lettersAt('展', [0, 0], 12)).toEqual([])
  })
})
