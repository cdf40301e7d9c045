import { getScaleFactor } from '../floor/affine.ts'
import type { AffineTransformation, Point } from '../floor/plan-shapes.ts'
import { applyAffineTransformation, combineAffineTransformations, IDENTITY_TRANSFORM } from './curves.ts'
import { addCurve, addPolyline, toFiniteNumber } from './dxf-curves.ts'
import { type DxfBlock, type DxfEntity, type DxfFile, parseDxf } from './dxf-file.ts'
import { cleanDxfText, findTextCentre } from './dxf-texts.ts'
import { measureDrawingExtent } from './hall-drawing.ts'
import { createDrawingBuilder, type DrawingBuilder, UNKNOWN_SCALE, type SourceDrawing, type SourceScale } from './source-drawing.ts'

const MAX_INSERT_DEPTH = 8
const METRES_BY_INSUNITS: Readonly<Record<number, number>> = {
  1: 0.0254,
  2: 0.3048,
  4: 0.001,
  5: 0.01,
  6: 1,
  10: 0.9144,
  14: 0.1,
  21: 0.3048006,
}
/** Minimum and maximum size of a hall. If the hall of a drawing is smaller or larger, the unit in the file is wrong. */
const MIN_HALL_METRES = 2
const MAX_HALL_METRES = 20_000

interface Reading {
  builder: DrawingBuilder
  blocks: Readonly<Record<string, DxfBlock | undefined>>
  /** Names of hidden layers: frozen or switched off. */
  hidden: ReadonlySet<string>
}

interface Inherited {
  matrix: AffineTransformation
  names: readonly string[]
  /** The layer on which the block is inserted. Entities of the block on layer 0 belong to it. */
  layer: string
  depth: number
}

export async function readDxf(bytes: Uint8Array): Promise<SourceDrawing> {
  const file = await parseDxf(bytes)
  const builder = createDrawingBuilder()
  const layers = Object.values(file.tables?.layer?.layers ?? {})
  const hidden = new Set(layers.filter(({ frozen, visible }) => frozen || visible === false).map(({ name }) => name))
  const reading: Reading = { builder, blocks: file.blocks ?? {}, hidden }
  for (const entity of file.entities ?? []) readEntity(reading, entity, { matrix: IDENTITY_TRANSFORM, names: [], layer: '0', depth: 0 })
  const { found } = builder
  return {
    kind: 'dxf',
    yDown: false,
    page: null,
    ...found,
    scale: findUnits(file, measureDrawingExtent({ ...found, page: null })),
    paperMetresPerUnit: null,
    warnings: found.texts.length === 0 && found.shapes.length + found.paths.length > 0 ? ['text_as_outlines'] : [],
  }
}

function findUnits({ header, entities }: DxfFile, extent: number): SourceScale {
  const units = METRES_BY_INSUNITS[Number(header?.['$INSUNITS'] ?? 0)]
  if (units !== undefined && extent * units >= MIN_HALL_METRES && extent * units <= MAX_HALL_METRES)
    return { method: 'units', metresPerUnit: units, confidence: 0.95 }
  return findDimension(entities ?? []) ?? UNKNOWN_SCALE
}

const DIMENSION_TEXT = /^(\d+(?:[.,]\d+)?)\s*(mm|cm|m|ft|'|in|")$/i
const METRES_BY_NAME: Readonly<Record<string, number>> = { mm: 0.001, cm: 0.01, m: 1, ft: 0.3048, "'": 0.3048, in: 0.0254, '"': 0.0254 }

/** Finds a dimension whose text names a unit, which gives the scale of a drawing without units. */
function findDimension(entities: readonly DxfEntity[]): SourceScale | null {
  for (const { type, text, actualMeasurement } of entities) {
    const match = type === 'DIMENSION' && text ? DIMENSION_TEXT.exec(cleanDxfText(text).trim()) : null
    const measured = Number(actualMeasurement)
    if (match && measured > 0)
      return {
        method: 'units',
        metresPerUnit: (Number(match[1]!.replace(',', '.')) * METRES_BY_NAME[match[2]!.toLowerCase()]!) / measured,
        confidence: 0.7,
      }
  }
  return null
}

function readEntity(reading: Reading, entity: DxfEntity, inherited: Inherited): void {
  reading.builder.count()
  const layer = entity.layer === undefined || entity.layer === '0' ? inherited.layer : entity.layer
  if (entity.inPaperSpace || entity.visible === false || reading.hidden.has(layer)) return
  // An extrusion downwards mirrors the coordinates of the entity.
  const mirrored = (entity.extrusionDirectionZ ?? entity.extrusionDirection?.z ?? 1) < 0
  const own: Inherited = {
    ...inherited,
    matrix: mirrored && entity.type !== 'LINE' ? combineAffineTransformations(inherited.matrix, [-1, 0, 0, 1, 0, 0]) : inherited.matrix,
    names: entity.layer === undefined || entity.layer === '0' ? inherited.names : [...inherited.names, entity.layer],
    layer,
  }
  switch (entity.type) {
    case 'INSERT':
      return readInsert(reading, entity, own)
    case 'LINE':
    case 'LWPOLYLINE':
    case 'POLYLINE':
      return addPolyline(reading.builder, entity, own)
    case 'ARC':
    case 'CIRCLE':
    case 'ELLIPSE':
    case 'SPLINE':
      return addCurve(reading.builder, entity, own)
    case 'SOLID':
    case '3DFACE': {
      const corners = (entity.points ?? entity.vertices ?? []).map(({ x, y }): Point => applyAffineTransformation(own.matrix, [x, y]))
      // The corners of a SOLID entity are stored in the order in which the letter Z is drawn.
      const [a, b, c, d] = corners
      return reading.builder.addShape(entity.type === 'SOLID' && d ? [a!, b!, d, c!] : corners, own.names)
    }
    case 'TEXT':
    case 'MTEXT':
    case 'ATTRIB':
      return readText(reading.builder, entity, own)
  }
}

function readInsert(reading: Reading, entity: DxfEntity, { matrix, names, layer, depth }: Inherited): void {
  const block = entity.name === undefined || !Object.hasOwn(reading.blocks, entity.name) ? undefined : reading.blocks[entity.name]
  if (!block?.entities || depth >= MAX_INSERT_DEPTH) return
  const turn = (toFiniteNumber(entity.rotation, 0) * Math.PI) / 180
  const [sx, sy] = [toFiniteNumber(entity.xScale, 1), toFiniteNumber(entity.yScale, 1)]
  const { x = 0, y = 0 } = entity.position ?? {}
  const base = block.position ?? { x: 0, y: 0 }
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  const isNamed = !entity.name!.startsWith('*')
  const columns = Math.max(1, Math.min(1000, toFiniteNumber(entity.columnCount, 1)))
  const rows = Math.max(1, Math.min(1000, toFiniteNumber(entity.rowCount, 1)))
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const [dx, dy] = [column * toFiniteNumber(entity.columnSpacing, 0), row * toFiniteNumber(entity.rowSpacing, 0)]
      const place: AffineTransformation = [cos * sx, sin * sx, -sin * sy, cos * sy, x + cos * dx - sin * dy, y + sin * dx + cos * dy]
      const next: Inherited = {
        matrix: combineAffineTransformations(matrix, combineAffineTransformations(place, [1, 0, 0, 1, -base.x, -base.y])),
        names: isNamed ? [...names, entity.name!] : names,
        layer,
        depth: depth + 1,
      }
      for (const part of block.entities) readEntity(reading, part, next)
    }
  }
}

function readText(builder: DrawingBuilder, entity: DxfEntity, { matrix, names }: Inherited): void {
  if (entity.text === undefined || entity.invisible) return
  const text = cleanDxfText(String(entity.text))
  const height = toFiniteNumber(entity.type === 'MTEXT' ? entity.height : entity.textHeight, 1)
  const centre = findTextCentre(entity, text, height)
  if (centre) builder.addText({ text, at: applyAffineTransformation(matrix, centre), height: height * getScaleFactor(matrix), names })
}
