import { createFileLimitError, MAX_DRAWING_ENTITIES, createUnreadableFileError } from './source-drawing.ts'

interface DxfPoint {
  x: number
  y: number
  z?: number
  bulge?: number
}

/** The fields of DXF entities that Lanyard reads. The parser sets only the fields that an entity has. */
export interface DxfEntity {
  type: string
  layer?: string
  visible?: boolean
  inPaperSpace?: boolean
  extrusionDirection?: DxfPoint
  extrusionDirectionZ?: number
  name?: string
  position?: DxfPoint
  rotation?: number
  xScale?: number
  yScale?: number
  columnCount?: number
  rowCount?: number
  columnSpacing?: number
  rowSpacing?: number
  vertices?: DxfPoint[]
  points?: DxfPoint[]
  shape?: boolean
  center?: DxfPoint
  radius?: number
  startAngle?: number
  endAngle?: number
  majorAxisEndPoint?: DxfPoint
  axisRatio?: number
  controlPoints?: DxfPoint[]
  fitPoints?: DxfPoint[]
  closed?: boolean
  text?: string
  startPoint?: DxfPoint
  endPoint?: DxfPoint
  textHeight?: number
  height?: number
  halign?: number
  attachmentPoint?: number
  invisible?: boolean
  actualMeasurement?: number
}

export interface DxfBlock {
  position?: DxfPoint
  entities?: DxfEntity[]
}

export interface DxfFile {
  header?: Record<string, unknown>
  entities?: DxfEntity[]
  blocks?: Record<string, DxfBlock | undefined>
  tables?: { layer?: { layers?: Record<string, { name: string; frozen?: boolean; visible?: boolean }> } }
}

interface DxfGroup {
  code: number
  value: string | number
}

interface DxfScanner {
  next: () => DxfGroup
  isEOF: () => boolean
}

interface DxfParser {
  registerEntityHandler: (reader: typeof AttributeReader) => void
  parseSync: (text: string) => DxfFile | null
}

/** Reads the values of block attributes, which the DXF parser does not support. */
class AttributeReader {
  ForEntityName = 'ATTRIB' as const

  parseEntity(scanner: DxfScanner, { value }: DxfGroup): DxfEntity {
    const entity: DxfEntity = { type: String(value), startPoint: { x: 0, y: 0 } }
    for (let group = scanner.next(); !scanner.isEOF() && group.code !== 0; group = scanner.next()) {
      const number = Number(group.value)
      if (group.code === 1) entity.text = String(group.value)
      else if (group.code === 8) entity.layer = String(group.value)
      else if (group.code === 10) entity.startPoint!.x = number
      else if (group.code === 20) entity.startPoint!.y = number
      else if (group.code === 40) entity.textHeight = number
      else if (group.code === 67) entity.inPaperSpace = number !== 0
      else if (group.code === 70) entity.invisible = (number & 1) === 1
    }
    return entity
  }
}

/** Parses a DXF file. Files with too many entities are rejected before, because the parser keeps every line in memory. */
export async function parseDxf(bytes: Uint8Array): Promise<DxfFile> {
  const text = decode(bytes)
  if (/^AutoCAD Binary DXF|^AC10\d\d/.test(text)) throw createUnreadableFileError('The file is a binary CAD file. Save it as DXF (ASCII)')
  // A file that does not begin like a DXF file is rejected here, because the parser would log a warning for every pair of its lines.
  if (!/^\s*(?:999\s*\n.*\n\s*)*0\s*\n\s*SECTION\s/.test(text.slice(0, 10_000)))
    throw createUnreadableFileError('The file is not a DXF drawing')
  if (countEntities(text) > MAX_DRAWING_ENTITIES)
    throw createFileLimitError(`The drawing has more than ${MAX_DRAWING_ENTITIES} entities. Remove layers that are not needed`)
  // Huge polylines are rejected before parsing, because the parser reserves memory for the declared number of corners.
  if (/\n\s*90\s*\n\s*\d{7,}/.test(text)) throw createUnreadableFileError('The DXF file declares a polyline with millions of corners')
  // The package exports its class as the module, although its types declare a default export.
  const { default: Parser } = (await import('dxf-parser')) as unknown as { default: new () => DxfParser }
  const parser = new Parser()
  parser.registerEntityHandler(AttributeReader)
  try {
    const parsed = parser.parseSync(text)
    if (parsed?.entities) return parsed
  } catch (error) {
    if (error instanceof RangeError) throw error
  }
  throw createUnreadableFileError('The file is not a complete DXF drawing. Save it again as DXF (ASCII)')
}

/** Decodes the bytes of a DXF file: UTF-8, or the code page of older files. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Counts lines with the group code 0, which begins an entity. */
function countEntities(text: string): number {
  let count = 0
  for (const _ of text.matchAll(/\n[ \t]*0\r?\n/g)) if (++count > MAX_DRAWING_ENTITIES) break
  return count
}
