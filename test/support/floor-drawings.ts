import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Resvg } from '@resvg/resvg-js'
import PDFDocument from 'pdfkit'

/**
 * Walls of a hall of 28 by 18 metres in millimetres, with nine square pillars of half a metre, a closed room in a corner, and two doors in
 * the outline. Every file format below contains the same drawing.
 */
const WALLS = [
  [1000, 1000, 10000, 1000],
  [11000, 1000, 29000, 1000],
  [29000, 1000, 29000, 10000],
  [29000, 11000, 29000, 19000],
  [29000, 19000, 1000, 19000],
  [1000, 19000, 1000, 1000],
  [1000, 15000, 5000, 15000],
  [5000, 15000, 5000, 19000],
] as const
const PILLARS = [7000, 14000, 21000].flatMap((x) => [5000, 9000, 13000].map((y) => [x, y] as const))
const DOORS = [
  { hinge: [10000, 1000], leaf: [10000, 2000], end: [11000, 1000], from: 0, to: 90 },
  { hinge: [29000, 10000], leaf: [28000, 10000], end: [29000, 11000], from: 90, to: 180 },
] as const

interface DrawingOptions {
  /** The label of the closed room. */
  label?: string
  /** Further SVG elements, in millimetres from the upper left corner. */
  more?: string
  /** The transform attribute of the group that contains the whole drawing. */
  transform?: string
  width?: string
}

export function hallSvg({ label = 'WC', more = '', transform, width = 'width="30000mm" height="20000mm"' }: DrawingOptions = {}): string {
  const line = ([x1, y1, x2, y2]: readonly number[]) => `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`
  const door = ({ hinge, leaf, end }: (typeof DOORS)[number]) =>
    `<path d="M${hinge.join()} L${leaf.join()} A1000 1000 0 0 0 ${end.join()}"/>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${width} viewBox="0 0 30000 20000">` +
    `<g${transform ? ` transform="${transform}"` : ''}><g fill="none" stroke="#000" stroke-width="60">${WALLS.map(line).join('')}${DOORS.map(door).join('')}</g>` +
    `<text x="3000" y="17200" font-size="900" font-family="sans-serif" text-anchor="middle">${label}</text>` +
    `<g id="COLUMNS">${PILLARS.map(([x, y]) => `<rect x="${x}" y="${y}" width="500" height="500"/>`).join('')}</g>${more}</g></svg>`
  )
}

type Group = readonly [code: number, value: string | number]

/** Writes a DXF file from its group codes and values. */
export const toDxf = (groups: readonly Group[]): string =>
  `${groups.flatMap(([code, value]) => [String(code), String(value)]).join('\n')}\n`

const header = (units: number): Group[] => [
  [0, 'SECTION'],
  [2, 'HEADER'],
  [9, '$INSUNITS'],
  [70, units],
  [0, 'ENDSEC'],
]

export const dxfLine = (layer: string, [x1, y1, x2, y2]: readonly number[]): Group[] => [
  [0, 'LINE'],
  [8, layer],
  [10, x1!],
  [20, y1!],
  [11, x2!],
  [21, y2!],
]

export const dxfPolygon = (layer: string, points: readonly (readonly [number, number])[]): Group[] => [
  [0, 'LWPOLYLINE'],
  [8, layer],
  [90, points.length],
  [70, 1],
  ...points.flatMap(([x, y]): Group[] => [
    [10, x],
    [20, y],
  ]),
]

export const dxfText = (layer: string, text: string, x: number, y: number, height: number): Group[] => [
  [0, 'TEXT'],
  [8, layer],
  [10, x],
  [20, y],
  [40, height],
  [1, text],
]

const DOOR_WIDTH = 1500

/** A straight wall along the x axis with doors of 1.5 m that open to the left of its direction, at these distances from its start. */
export function doorway([x1, y]: readonly [number, number], x2: number, doors: readonly number[]): Group[] {
  const step = Math.sign(x2 - x1)
  const at = (distance: number) => x1 + step * distance
  const walls = [0, ...doors.map((from) => from + DOOR_WIDTH)].map((from, i) => [from, doors[i] ?? Math.abs(x2 - x1)])
  return [
    ...walls.flatMap(([from, until]) => dxfLine('HALL', [at(from!), y, at(until!), y])),
    ...doors.flatMap((from): Group[] => [
      ...dxfLine('DOORS', [at(from), y, at(from), y + step * DOOR_WIDTH]),
      [0, 'ARC'],
      [8, 'DOORS'],
      [10, at(from)],
      [20, y],
      [40, DOOR_WIDTH],
      [50, step > 0 ? 0 : 180],
      [51, step > 0 ? 90 : 270],
    ]),
  ]
}

export const dxfFile = (units: number, entities: readonly Group[], blocks: readonly Group[] = []): string =>
  toDxf([
    ...header(units),
    [0, 'SECTION'],
    [2, 'BLOCKS'],
    ...blocks,
    [0, 'ENDSEC'],
    [0, 'SECTION'],
    [2, 'ENTITIES'],
    ...entities,
    [0, 'ENDSEC'],
    [0, 'EOF'],
  ])

export const square = (x: number, y: number, size: number) =>
  [
    [x, y],
    [x + size, y],
    [x + size, y + size],
    [x, y + size],
  ] as const

/** The hall as a DXF drawing. `factor` converts millimetres to the units of the file. */
export const hallDxf = ({ units = 4, factor = 1, label = 'WC' }: { units?: number; factor?: number; label?: string } = {}): string => {
  const scaled = (values: readonly number[]) => values.map((value) => value * factor)
  return dxfFile(units, [
    ...WALLS.flatMap((wall) => dxfLine('HALL', scaled(wall))),
    ...DOORS.flatMap(({ hinge, leaf, from, to }): Group[] => [
      ...dxfLine('DOORS', scaled([...hinge, ...leaf])),
      [0, 'ARC'],
      [8, 'DOORS'],
      [10, hinge[0] * factor],
      [20, hinge[1] * factor],
      [40, 1000 * factor],
      [50, from],
      [51, to],
    ]),
    ...dxfText('TEXT', label, 2500 * factor, 16800 * factor, 500 * factor),
    ...PILLARS.flatMap(([x, y]) => dxfPolygon('COLUMNS', square(x * factor, y * factor, 500 * factor))),
  ])
}

export const DRAWING_FONT_FILE = createRequire(import.meta.url).resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf')

/** Renders an SVG drawing as a picture of 200 dpi on A4, where the sheet is 297 mm wide. */
export const toPng = (svg: string): Buffer =>
  new Resvg(svg, {
    fitTo: { mode: 'width', value: Math.round((297 / 25.4) * 200) },
    background: '#ffffff',
    font: { loadSystemFonts: false, fontFiles: [DRAWING_FONT_FILE], defaultFontFamily: 'Inter', sansSerifFamily: 'Inter' },
  })
    .render()
    .asPng()

/** The hall as a PDF sheet at 1:200, with its scale written on it. */
export async function hallPdf(label = 'WC'): Promise<Buffer> {
  const point = (millimetres: number) => (millimetres / 200) * (72 / 25.4)
  const document = new PDFDocument({ size: [point(32000), point(22000)], margin: 0 })
  for (const [x1, y1, x2, y2] of WALLS) document.moveTo(point(x1), point(y1)).lineTo(point(x2), point(y2)).stroke()
  for (const { hinge, leaf, end } of DOORS) {
    document.moveTo(point(hinge[0]), point(hinge[1])).lineTo(point(leaf[0]), point(leaf[1])).stroke()
    // A quarter circle as a Bézier curve, as drawing programs write it.
    const control = (from: readonly number[], to: readonly number[]) =>
      [0, 1].map((i) => point(from[i]! + (to[i]! - hinge[i]!) * 0.5523)) as [number, number]
    document
      .moveTo(point(leaf[0]), point(leaf[1]))
      .bezierCurveTo(...control(leaf, end), ...control(end, leaf), point(end[0]), point(end[1]))
      .stroke()
  }
  for (const [x, y] of PILLARS) document.rect(point(x), point(y), point(500), point(500)).fill('#000')
  document.fontSize(10).text(label, point(2700), point(16700), { lineBreak: false })
  document.text('Scale 1:200', point(20000), point(19500), { lineBreak: false })
  document.end()
  return buffer(document as unknown as Readable)
}
