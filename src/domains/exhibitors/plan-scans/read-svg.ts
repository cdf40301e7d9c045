import { getScaleFactor } from '../floor/affine.ts'
import type { AffineTransformation, Point } from '../floor/plan-shapes.ts'
import {
  applyAffineTransformation,
  combineAffineTransformations,
  measurePointDistance,
  fitCircularArc,
  flattenCubicBezier,
  IDENTITY_TRANSFORM,
} from './curves.ts'
import { createDrawingBuilder, type DrawingBuilder, UNKNOWN_SCALE, type SourceDrawing, type SourceScale } from './source-drawing.ts'
import { type SvgElement, parseSvg } from './svg-elements.ts'
import { listEllipsePoints, parsePathData, type SvgSubPath } from './svg-path-data.ts'
import { parseTransform, parseViewBox, parseSvgLength, parseSvgLengthInMetres } from './svg-units.ts'

const MAX_USE_DEPTH = 8
/** Tolerance for replacing curves with straight lines: 10 mm. */
const TOLERANCE_METRES = 0.01
const DEFAULT_FONT_SIZE = 16
/** The width of a letter as a fraction of the font size, to find the middle of a text. */
const LETTER_WIDTH = 0.55
/** Minimum size of a hall, in metres. A shorter drawing shows a sheet of paper, not the hall in its true size. */
const MIN_HALL_METRES = 5

interface Reading {
  builder: DrawingBuilder
  byId: ReadonlyMap<string, SvgElement>
  tolerance: number
}

/** Properties that an SVG element inherits from its groups. */
interface Inherited {
  matrix: AffineTransformation
  names: readonly string[]
  fontSize: number
  anchor: string
  useDepth: number
}

/** Reads an SVG drawing. Its coordinates are those of the view box. */
export async function readSvg(bytes: Uint8Array): Promise<SourceDrawing> {
  const { root, byId } = await parseSvg(decodeText(bytes))
  const { page, scale, paperMetresPerUnit } = readPage(root)
  const builder = createDrawingBuilder()
  const extent = page ? Math.max(page[2] - page[0], page[3] - page[1]) : 1000
  const tolerance = scale.metresPerUnit === null ? extent / 4000 : TOLERANCE_METRES / scale.metresPerUnit
  const reading: Reading = { builder, byId, tolerance }
  const inherited: Inherited = { matrix: IDENTITY_TRANSFORM, names: [], fontSize: DEFAULT_FONT_SIZE, anchor: 'start', useDepth: 0 }
  for (const child of root.children) if (typeof child !== 'string') readElement(reading, child, inherited)
  const { found } = builder
  return {
    kind: 'svg',
    yDown: true,
    page,
    ...found,
    scale,
    paperMetresPerUnit,
    warnings: found.texts.length === 0 && found.shapes.length + found.paths.length > 0 ? ['text_as_outlines'] : [],
  }
}

/** Decodes the bytes of an SVG file: UTF-8, or UTF-16 with a byte order mark. */
function decodeText(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

/** Reads the view box, and the scale if width or height are lengths such as 30000mm. */
function readPage(root: SvgElement): { page: SourceDrawing['page']; scale: SourceScale; paperMetresPerUnit: number | null } {
  const [width, height] = [root.attributes['width'], root.attributes['height']]
  const box = parseViewBox(root.attributes['viewBox'])
  const [w, h] = [parseSvgLength(width), parseSvgLength(height)]
  const page: SourceDrawing['page'] = box ? [box[0], box[1], box[0] + box[2], box[1] + box[3]] : w && h ? [0, 0, w, h] : null
  const metres = parseSvgLengthInMetres(width) ?? parseSvgLengthInMetres(height)
  const units = parseSvgLengthInMetres(width) === null ? (box?.[3] ?? h) : (box?.[2] ?? w)
  const perUnit = metres !== null && units ? metres / units : null
  const isTrueSize = perUnit !== null && page !== null && perUnit * Math.max(page[2] - page[0], page[3] - page[1]) >= MIN_HALL_METRES
  return {
    page,
    scale: isTrueSize ? { method: 'units', metresPerUnit: perUnit, confidence: 0.9 } : UNKNOWN_SCALE,
    paperMetresPerUnit: isTrueSize ? null : perUnit,
  }
}

const isHidden = ({ attributes: { display, visibility, style = '' } }: SvgElement) =>
  display === 'none' || visibility === 'hidden' || /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/.test(style)

const styleOf = ({ attributes }: SvgElement, name: string): string | undefined =>
  attributes[name] ?? new RegExp(`(?:^|;)\\s*${name}\\s*:\\s*([^;]+)`).exec(attributes['style'] ?? '')?.[1]?.trim()

const numberOf = (element: SvgElement, name: string) => parseSvgLength(element.attributes[name]) ?? 0

function readElement(reading: Reading, element: SvgElement, parent: Inherited): void {
  reading.builder.count()
  if (isHidden(element)) return
  const own = parseTransform(element.attributes['transform'])
  const inherited: Inherited = {
    ...parent,
    matrix: own ? combineAffineTransformations(parent.matrix, own) : parent.matrix,
    names: [...parent.names, ...namesOf(element)],
    fontSize: parseSvgLength(styleOf(element, 'font-size')) ?? parent.fontSize,
    anchor: styleOf(element, 'text-anchor') ?? parent.anchor,
  }
  switch (element.name) {
    case 'g':
    case 'a':
    case 'switch':
      return readChildren(reading, element, inherited)
    case 'svg':
      return readChildren(reading, element, { ...inherited, matrix: combineAffineTransformations(inherited.matrix, toViewport(element)) })
    case 'use':
      return readUse(reading, element, inherited)
    case 'text':
      return readText(reading, element, inherited)
    default:
      return readShape(reading, element, inherited)
  }
}

function readChildren(reading: Reading, element: SvgElement, inherited: Inherited): void {
  for (const child of element.children) if (typeof child !== 'string') readElement(reading, child, inherited)
}

const namesOf = ({ attributes }: SvgElement): string[] =>
  [attributes['id'], attributes['inkscape:label'], attributes['data-name'], ...(attributes['class']?.split(/\s+/) ?? [])].filter(
    (name): name is string => name !== undefined && name !== '',
  )

/** Places the content of a nested `svg` or a `symbol` in its rectangle. */
function toViewport(element: SvgElement, size: { width?: number | null; height?: number | null } = {}): AffineTransformation {
  const box = parseViewBox(element.attributes['viewBox'])
  const [width, height] = [
    size.width ?? parseSvgLength(element.attributes['width']),
    size.height ?? parseSvgLength(element.attributes['height']),
  ]
  const [x, y] = element.name === 'svg' ? [numberOf(element, 'x'), numberOf(element, 'y')] : [0, 0]
  if (!box || box[2] <= 0 || box[3] <= 0) return [1, 0, 0, 1, x, y]
  const scale = Math.min((width ?? box[2]) / box[2], (height ?? box[3]) / box[3])
  return [scale, 0, 0, scale, x - box[0] * scale, y - box[1] * scale]
}

function readUse(reading: Reading, element: SvgElement, inherited: Inherited): void {
  const href = element.attributes['href'] ?? element.attributes['xlink:href'] ?? ''
  // Only elements of the same file are used: nothing external is ever loaded.
  const target = href.startsWith('#') ? reading.byId.get(href.slice(1)) : undefined
  if (!target || inherited.useDepth >= MAX_USE_DEPTH) return
  const placed = combineAffineTransformations(inherited.matrix, [1, 0, 0, 1, numberOf(element, 'x'), numberOf(element, 'y')])
  const next = { ...inherited, matrix: placed, useDepth: inherited.useDepth + 1 }
  if (target.name !== 'symbol') return readElement(reading, target, next)
  const viewport = toViewport(target, {
    width: parseSvgLength(element.attributes['width']),
    height: parseSvgLength(element.attributes['height']),
  })
  readChildren(reading, target, {
    ...next,
    matrix: combineAffineTransformations(placed, viewport),
    names: [...next.names, ...namesOf(target)],
  })
}

function readText({ builder }: Reading, element: SvgElement, inherited: Inherited): void {
  const lines: { text: string; x: number; y: number; fontSize: number; anchor: string }[] = []
  const walk = (node: SvgElement, at: { x: number; y: number; fontSize: number; anchor: string }) => {
    const moved = 'x' in node.attributes || 'y' in node.attributes || 'dy' in node.attributes
    const place = {
      x: parseSvgLength(node.attributes['x']) ?? at.x,
      y: (parseSvgLength(node.attributes['y']) ?? at.y) + numberOf(node, 'dy'),
      fontSize: parseSvgLength(styleOf(node, 'font-size')) ?? at.fontSize,
      anchor: styleOf(node, 'text-anchor') ?? at.anchor,
    }
    if (moved || lines.length === 0) lines.push({ text: '', ...place })
    for (const child of node.children) {
      if (typeof child === 'string') lines.at(-1)!.text += child.replace(/\s+/g, ' ')
      else if (child.name === 'tspan') walk(child, place)
    }
  }
  walk(element, { x: 0, y: 0, fontSize: inherited.fontSize, anchor: inherited.anchor })
  const written = lines.map((line) => ({ ...line, text: line.text.trim() })).filter(({ text }) => text !== '')
  if (written.length === 0) return
  const centres = written.map(({ text, x, y, fontSize, anchor }): Point => {
    const width = text.length * fontSize * LETTER_WIDTH
    return [anchor === 'middle' ? x : anchor === 'end' ? x - width / 2 : x + width / 2, y - fontSize * 0.35]
  })
  const mean = (i: 0 | 1) => centres.reduce((sum, centre) => sum + centre[i], 0) / centres.length
  builder.addText({
    text: written.map(({ text }) => text).join('\n'),
    at: applyAffineTransformation(inherited.matrix, [mean(0), mean(1)]),
    height: written[0]!.fontSize * getScaleFactor(inherited.matrix),
    names: inherited.names,
  })
}

function readShape(reading: Reading, element: SvgElement, inherited: Inherited): void {
  switch (element.name) {
    case 'rect': {
      const [x, y, w, h] = [numberOf(element, 'x'), numberOf(element, 'y'), numberOf(element, 'width'), numberOf(element, 'height')]
      if (w > 0 && h > 0)
        addPolygon(
          reading,
          [
            [x, y],
            [x + w, y],
            [x + w, y + h],
            [x, y + h],
          ],
          inherited,
        )
      return
    }
    case 'circle':
      return addEllipse(reading, element, inherited, numberOf(element, 'r'), numberOf(element, 'r'))
    case 'ellipse':
      return addEllipse(reading, element, inherited, numberOf(element, 'rx'), numberOf(element, 'ry'))
    case 'line': {
      const ends: Point[] = [
        [numberOf(element, 'x1'), numberOf(element, 'y1')],
        [numberOf(element, 'x2'), numberOf(element, 'y2')],
      ]
      return reading.builder.addPath(
        ends.map((point) => applyAffineTransformation(inherited.matrix, point)),
        inherited.names,
      )
    }
    case 'polyline':
    case 'polygon': {
      const points = toPointList(element.attributes['points'] ?? '')
      if (element.name === 'polygon') return addPolygon(reading, points, inherited)
      return reading.builder.addPath(
        points.map((point) => applyAffineTransformation(inherited.matrix, point)),
        inherited.names,
      )
    }
    case 'path':
      for (const path of parsePathData(element.attributes['d'] ?? '')) addSubPath(reading, path, inherited)
  }
}

function toPointList(written: string): Point[] {
  const numbers = written.match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/g)?.map(Number) ?? []
  return Array.from({ length: Math.floor(numbers.length / 2) }, (_, i): Point => [numbers[2 * i]!, numbers[2 * i + 1]!])
}

const addPolygon = ({ builder }: Reading, points: readonly Point[], { matrix, names }: Inherited) =>
  builder.addShape(
    points.map((point) => applyAffineTransformation(matrix, point)),
    names,
  )

const CIRCLE_POINTS = 24

function addEllipse({ builder }: Reading, element: SvgElement, { matrix, names }: Inherited, rx: number, ry: number): void {
  if (rx <= 0 || ry <= 0) return
  const [cx, cy] = [numberOf(element, 'cx'), numberOf(element, 'cy')]
  const points = Array.from({ length: CIRCLE_POINTS }, (_, i): Point => {
    const angle = (2 * Math.PI * i) / CIRCLE_POINTS
    return applyAffineTransformation(matrix, [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)])
  })
  builder.addShape(points, names, rx === ry ? rx * getScaleFactor(matrix) : null)
}

/** Adds the lines of a path. A curve that is a part of a circle is added as an arc, because doors are drawn with one. */
function addSubPath({ builder, tolerance }: Reading, path: SvgSubPath, { matrix, names }: Inherited): void {
  const hasCurve = path.parts.some(({ kind }) => kind !== 'line')
  let at = path.start
  let run: Point[] = [applyAffineTransformation(matrix, at)]
  const whole: Point[] = [...run]
  const flush = () => {
    if (run.length > 1) builder.addPath(run, names)
    run = [run.at(-1)!]
  }
  for (const part of path.parts) {
    const points = flattenPart(at, part, matrix, tolerance)
    const arc = part.kind === 'line' ? null : fitCircularArc([run.at(-1)!, ...points], names)
    if (arc) builder.addArc(arc)
    if (arc && !path.closed) {
      flush()
      run = [points.at(-1)!]
    } else run.push(...points)
    whole.push(...points)
    at = part.end
  }
  if (!path.closed && !(whole.length > 3 && measurePointDistance(whole[0]!, whole.at(-1)!) <= tolerance / 10)) return flush()
  builder.addShape(whole, names, hasCurve ? (fitCircularArc(whole, names)?.radius ?? null) : null)
}

function flattenPart(at: Point, part: SvgSubPath['parts'][number], matrix: AffineTransformation, tolerance: number): Point[] {
  if (part.kind === 'line') return [applyAffineTransformation(matrix, part.end)]
  const to = (point: Point) => applyAffineTransformation(matrix, point)
  if (part.kind === 'cubic') return flattenCubicBezier(to(at), to(part.one), to(part.two), to(part.end), tolerance)
  const radius = Math.max(...part.radii) * getScaleFactor(matrix)
  const steps = Math.min(256, Math.max(8, Math.ceil(2 * Math.PI * Math.sqrt(radius / (8 * tolerance)))))
  return listEllipsePoints(at, part, steps).map(to)
}
