import { describe, expect, it } from 'vitest'
import { drawFloorPlan, type DrawableFloorPlan } from '../drawing/drawing.ts'
import { renderFloorPlan } from '../drawing/picture.ts'
import { renderDrawing } from '../../drawing/png.ts'
import { toSvg } from '../../drawing/svg.ts'
import { measureText } from '../../fonts/text-width.ts'
import { TENTHS_OF_MM_PER_METRE, type Point, type Polygon } from '../floor/plan-shapes.ts'

const box = (x: number, y: number, width: number, depth: number): Polygon =>
  [
    [x, y],
    [x + width, y],
    [x + width, y + depth],
    [x, y + depth],
  ].map(([px, py]): Point => [px! * TENTHS_OF_MM_PER_METRE, py! * TENTHS_OF_MM_PER_METRE])

const plan = (more: Partial<DrawableFloorPlan> = {}): DrawableFloorPlan => ({
  name: 'Hall 1',
  units: 'm',
  outer: box(0, 0, 30, 20),
  holes: [],
  obstacles: [],
  booths: [{ number: '101', polygon: box(6, 6, 3, 3), label: 'Borealis', look: 'taken' }],
  pois: [{ name: 'Main entrance', point: [15 * TENTHS_OF_MM_PER_METRE, 0] }],
  route: [],
  ...more,
})

describe('toSvg', () => {
  it.each(['<script>alert(1)</script>', '"><svg onload=alert(1)>', "'-alert(1)-'", '&lt;b&gt;', '\u202Egnp.exe\u0000', ']]><x/>'])(
    'escapes the user input %j in the SVG of a floor plan',
    (name) => {
      const svg = toSvg(
        drawFloorPlan(
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

  it('gives the SVG of a floor plan a title and a description', () => {
    const svg = toSvg(drawFloorPlan(plan(), 800))
    expect(svg).toContain('role="img" aria-labelledby="plan-title plan-text"')
    expect(svg).toContain('<title id="plan-title">Hall 1</title><desc id="plan-text">101: Borealis</desc>')
  })
})

describe('company names', () => {
  const NAMES = ['Aqua', 'Donaudampfschifffahrtsgesellschaft mbH & Co. KG', 'International Association of Hydro-Environment Engineering']

  it.each([3, 6, 9, 20])('keeps company names within a booth that is %i m wide, with and without links', (side) => {
    for (const name of NAMES)
      for (const linked of [false, true]) {
        const booth = { number: 'A1', polygon: box(2, 2, side, side), label: name, look: 'taken' as const }
        const link = { href: '/booths/A1', label: 'A1' }
        const { shapes, width } = drawFloorPlan(
          plan({ booths: [linked ? { ...booth, link } : booth], outer: box(0, 0, 24, 24), pois: [] }),
          600,
        )
        const scale = (width - 32) / 24
        const texts = shapes.flatMap((shape) => (shape.kind === 'link' ? shape.shapes : [shape])).filter(({ kind }) => kind === 'text')
        const lines = texts.filter((shape) => shape.kind === 'text' && shape.text !== 'A1')
        for (const shape of texts)
          if (shape.kind === 'text') {
            expect(measureText(shape.text, shape.size)).toBeLessThanOrEqual(side * scale)
            expect(shape.at[1] + shape.size / 2).toBeLessThanOrEqual(width - 16 - 2 * scale)
            expect(shape.at[1] - shape.size / 2).toBeGreaterThanOrEqual(width - 16 - (2 + side) * scale)
          }
        expect(lines).not.toEqual([])
      }
  })

  it('leaves out company names on a floor plan whose letters would be too small', () => {
    const { shapes } = drawFloorPlan(plan({ outer: box(0, 0, 200, 200), pois: [] }), 600)
    expect(shapes.filter(({ kind }) => kind === 'text')).toEqual([])
  })
})

describe('floor plan picture', () => {
  const colourAt = async (drawn: DrawableFloorPlan, x: number, y: number) => {
    const { width, pixels } = await renderDrawing(drawFloorPlan(drawn, 332))
    const at = ((16 + (20 - y) * 10) * width + 16 + x * 10) * 4
    return [...pixels.subarray(at, at + 3)].map((part) => part.toString(16).padStart(2, '0')).join('')
  }

  it('draws hall, booths and walking route at their positions, also at the edges of the picture', async () => {
    expect(await colourAt(plan(), 20, 15)).toBe('f4f5f6')
    expect(await colourAt(plan(), 6.4, 8.6)).toBe('dbeafe')
    const chosen = plan({
      booths: [{ number: '1', polygon: box(27, 17, 3, 3), label: null, look: 'chosen' }],
      route: [
        [TENTHS_OF_MM_PER_METRE, TENTHS_OF_MM_PER_METRE],
        [10 * TENTHS_OF_MM_PER_METRE, TENTHS_OF_MM_PER_METRE],
      ],
    })
    expect(await colourAt(chosen, 27.5, 19.5)).toBe('fde68a')
    expect(await colourAt(chosen, 5, 1)).toBe('be123c')
    expect(await colourAt(chosen, -1, 10)).toBe('ffffff')
  })

  it('draws scan findings, a generated layout, a heat map and booth statuses as layers of one drawing', async () => {
    const layered = plan({
      booths: [
        { number: '101', polygon: box(6, 6, 3, 3), label: null, look: 'available', heat: 1 },
        { number: '103', polygon: box(9, 6, 3, 3), label: null, look: 'available', heat: 0 },
        { number: '105', polygon: box(12, 6, 3, 3), label: null, look: 'held' },
        { number: '107', polygon: box(15, 6, 3, 3), label: null, look: 'blocked' },
        { number: '109', polygon: box(18, 6, 3, 3), label: 'Borealis', look: 'proposed' },
      ],
      layout: [{ number: '201', polygon: box(6, 12, 3, 3) }],
      findings: [
        { label: 'WC', point: [25 * TENTHS_OF_MM_PER_METRE, 15 * TENTHS_OF_MM_PER_METRE], polygon: box(24, 14, 3, 3), confidence: 0.6 },
      ],
    })
    const svg = toSvg(drawFloorPlan(layered, 332))
    expect([await colourAt(layered, 6.4, 8.6), await colourAt(layered, 9.4, 8.6), await colourAt(layered, 18.4, 8.6)]).toEqual([
      'f97316',
      'fef9c3',
      'bbf7d0',
    ])
    expect(await colourAt(layered, 6.4, 14.6)).toBe('eef2ff')
    for (const part of ['url(#plan-hatch)', 'url(#plan-cross)', 'stroke-dasharray', '>WC<', '>201<', '<desc id="plan-text">109: Borealis'])
      expect(svg).toContain(part)
    const { data } = await renderFloorPlan(layered)
    expect(data.subarray(1, 4).toString()).toBe('PNG')
    expect(data.length).toBeLessThanOrEqual(150_000)
  })

  it('draws a floor plan without an outline as large as the area of its scan findings', () => {
    const found = { label: 'WC', point: [0, 0] as Point, polygon: box(0, 0, 40, 20), confidence: 1 }
    const { width, height } = drawFloorPlan(plan({ outer: [], booths: [], pois: [], findings: [found] }), 432)
    expect([width, height]).toEqual([432, 232])
    expect(drawFloorPlan(plan({ outer: [], booths: [], pois: [] }), 432).shapes).toEqual([])
  })

  it('keeps the picture of a full hall below the size limit', async () => {
    const booths = Array.from({ length: 1500 }, (_, i) => ({
      number: String(i),
      polygon: box((i % 50) * 4, Math.floor(i / 50) * 5, 3, 3),
      label: 'x',
      look: 'taken' as const,
    }))
    const { data } = await renderFloorPlan(plan({ outer: box(0, 0, 200, 150), booths }))
    expect(data.length).toBeLessThanOrEqual(150_000)
  })

  it('draws text with its own font and omits text that is too small to read', async () => {
    const planWith = (number: string, label: string) => plan({ booths: [{ number, polygon: box(6, 6, 3, 3), label, look: 'taken' }] })
    const largePicture = async (number: string, label: string) => (await renderFloorPlan(planWith(number, label))).data
    expect(await largePicture('101', 'Borealis')).not.toEqual(await largePicture('101', 'Boreas'))
    expect(await largePicture('101', 'Borealis')).not.toEqual(await largePicture('102', 'Borealis'))
    const smallPixels = async (label: string) => (await renderDrawing(drawFloorPlan(planWith('101', label), 332))).pixels
    expect(await smallPixels('Borealis')).toEqual(await smallPixels('Boreas'))
  })

  it('renders the same floor plan to the same bytes', async () => {
    expect(await renderFloorPlan(plan())).toEqual(await renderFloorPlan(plan()))
  })
})
