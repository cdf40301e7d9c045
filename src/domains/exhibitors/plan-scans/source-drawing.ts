import { AppError } from '../../../kernel/errors.ts'
import type { Point, PlanScale } from '../floor/plan-shapes.ts'
import type { RecognizedObjectKind } from './dictionary.ts'

/** Maximum size of a source file in bytes. Files above this limit, or above one of the limits below, are rejected with `limit_exceeded`. */
export const MAX_SOURCE_FILE_BYTES = 25 * 1024 * 1024
export const MAX_MEGAPIXELS = 80
export const MAX_DRAWING_ENTITIES = 500_000
const MAX_POINTS = 3_000_000
/** Maximum coordinate. No building has larger coordinates in any unit, and they are too imprecise to find enclosed areas. */
const MAX_COORDINATE = 1e9

export type FloorPlanFileKind = 'svg' | 'dxf' | 'pdf' | 'image'

/**
 * All shapes and texts that a reader finds in a file, in the coordinates of the file. `names` are the layers, groups, classes and blocks of
 * a shape.
 */
export interface SourceDrawing {
  kind: FloorPlanFileKind
  /** Whether y grows downwards in the file, as in SVG and images. */
  yDown: boolean
  /** The rectangle of the page, view box or picture; null if the file has none. A shape of this size is a frame, not a wall. */
  page: readonly [left: number, low: number, right: number, high: number] | null
  shapes: SourceShape[]
  paths: SourcePolyline[]
  arcs: SourceArc[]
  texts: SourceDrawingText[]
  /** Pictograms that were recognized in a picture. */
  symbols?: SourceSymbol[]
  /** Whether the shapes include every area that lines enclose, so that enclosed areas need not be searched. */
  facesKnown?: true
  scale: SourceScale
  /** The size of one unit on paper, in metres, for files without a scale. A text such as 1:200 in the drawing then determines the scale. */
  paperMetresPerUnit: number | null
  warnings: ScanWarning[]
}

export interface SourceShape {
  points: readonly Point[]
  /** Radius of the shape if it is a circle, otherwise null. */
  radius: number | null
  names: readonly string[]
}

export interface SourcePolyline {
  points: readonly Point[]
  names: readonly string[]
}

/** A part of a circle, with its points from end to end. `sweep` is its angle in radians, always positive. */
export interface SourceArc {
  centre: Point
  radius: number
  points: readonly Point[]
  sweep: number
  names: readonly string[]
}

export interface SourceDrawingText {
  text: string
  /** Position of the centre of the text in the drawing. */
  at: Point
  height: number
  names: readonly string[]
}

export interface SourceSymbol {
  kind: RecognizedObjectKind
  points: readonly Point[]
}

export interface SourceScale {
  method: PlanScale['method']
  /** Metres per unit of the file; null if the file does not state its unit. */
  metresPerUnit: number | null
  confidence: number
}

export const UNKNOWN_SCALE: SourceScale = { method: 'none', metresPerUnit: null, confidence: 0 }

export const SCAN_WARNINGS = ['no_scale', 'text_as_outlines', 'low_resolution', 'model_not_used'] as const

export type ScanWarning = (typeof SCAN_WARNINGS)[number]

/** The error for a file that cannot be read. The message contains no content of the file. */
export const createUnreadableFileError = (message: string) => new AppError('invalid_arguments', message)

export const createFileLimitError = (message: string) => new AppError('limit_exceeded', message)

export type DrawingBuilder = ReturnType<typeof createDrawingBuilder>

/** Collects the shapes that a reader finds, and rejects files with too many entities, too many points or impossible coordinates. */
export function createDrawingBuilder() {
  const found = { shapes: [] as SourceShape[], paths: [] as SourcePolyline[], arcs: [] as SourceArc[], texts: [] as SourceDrawingText[] }
  let [entities, pointCount] = [0, 0]
  const check = (points: readonly Point[]): void => {
    pointCount += points.length
    if (pointCount > MAX_POINTS) throw createFileLimitError(`The drawing has more than ${MAX_POINTS} points. Simplify its curves`)
    for (const [x, y] of points)
      if (!(Math.abs(x) <= MAX_COORDINATE && Math.abs(y) <= MAX_COORDINATE))
        throw createUnreadableFileError('The drawing has coordinates that are not numbers or are far outside of any building')
  }
  return {
    found,
    /** Counts an entity of the file, including entities that are not drawn. */
    count(): void {
      if (++entities > MAX_DRAWING_ENTITIES)
        throw createFileLimitError(`The drawing has more than ${MAX_DRAWING_ENTITIES} entities. Remove layers that are not needed`)
    },
    addShape(points: readonly Point[], names: readonly string[], radius: number | null = null): void {
      check(points)
      const open = points.length > 1 && isSamePoint(points[0]!, points.at(-1)!) ? points.slice(0, -1) : points
      if (open.length >= 3) found.shapes.push({ points: open, radius, names })
    },
    addPath(points: readonly Point[], names: readonly string[]): void {
      check(points)
      if (points.length >= 2) found.paths.push({ points, names })
    },
    addArc(arc: SourceArc): void {
      check([arc.centre, ...arc.points])
      found.arcs.push(arc)
    },
    addText(text: SourceDrawingText): void {
      const short = text.text.slice(0, 200).trim()
      if (short === '') return
      check([text.at])
      found.texts.push({ ...text, text: short })
    },
  }
}

const isSamePoint = ([ax, ay]: Point, [bx, by]: Point) => ax === bx && ay === by
