import type { AffineTransformation, Point, Polygon } from '../floor/plan-shapes.ts'
import { type BoundingBox, computeBoundingBox } from '../floor/polygons.ts'
import { applyAffineTransformation, measurePointDistance } from './curves.ts'
import type { SourceArc, SourceDrawing, SourceScale, SourceSymbol } from './source-drawing.ts'

/**
 * A drawing converted to metres with y up, in which shapes are classified. Without a scale the lengths are assumed: they serve to compare
 * shapes, and findings are mapped back to the coordinates of the file.
 */
export interface HallDrawing extends Pick<SourceDrawing, 'shapes' | 'paths' | 'arcs' | 'texts'> {
  symbols: SourceSymbol[]
  page: BoundingBox | null
  facesKnown: boolean
  /** Maps metres to the coordinates of the file. */
  toSource: AffineTransformation
  /** Metres per unit of the file. */
  factor: number
}

/** Assumed width of a door, for drawings without a scale. */
const ASSUMED_DOOR_METRES = 1
const ASSUMED_HALL_METRES = 50

export const isQuarterCircle = ({ sweep }: Pick<SourceArc, 'sweep'>) => Math.abs(sweep - Math.PI / 2) < Math.PI / 10

export function toHallDrawing(drawing: SourceDrawing, scale: SourceScale): HallDrawing {
  const factor = scale.metresPerUnit ?? assumeScale(drawing)
  const up = drawing.yDown ? -1 : 1
  const to = ([x, y]: Point): Point => [x * factor, y * factor * up]
  const { page } = drawing
  return {
    shapes: drawing.shapes.map((shape) => ({
      ...shape,
      points: shape.points.map(to),
      radius: shape.radius === null ? null : shape.radius * factor,
    })),
    paths: drawing.paths.map((path) => ({ ...path, points: path.points.map(to) })),
    arcs: drawing.arcs.map((arc) => ({ ...arc, centre: to(arc.centre), radius: arc.radius * factor, points: arc.points.map(to) })),
    texts: drawing.texts.map((text) => ({ ...text, at: to(text.at), height: text.height * factor })),
    symbols: (drawing.symbols ?? []).map((symbol) => ({ ...symbol, points: symbol.points.map(to) })),
    page: page && computeBoundingBox([to([page[0], page[1]]), to([page[2], page[3]])]),
    facesKnown: drawing.facesKnown === true,
    toSource: [1 / factor, 0, 0, up / factor, 0, 0],
    factor,
  }
}

function assumeScale(drawing: SourceDrawing): number {
  const extent = measureDrawingExtent(drawing)
  const radii = drawing.arcs
    .filter((arc) => isQuarterCircle(arc) && arc.radius > extent * 0.004 && arc.radius < extent * 0.1)
    .map(({ radius }) => radius)
    .toSorted((a, b) => a - b)
  return radii.length > 0 ? ASSUMED_DOOR_METRES / radii[Math.floor(radii.length / 2)]! : ASSUMED_HALL_METRES / extent
}

/** Returns the longer side of the bounding box of the drawing, in units of the file. */
export function measureDrawingExtent({ shapes, paths, page }: Pick<SourceDrawing, 'shapes' | 'paths' | 'page'>): number {
  let [left, low, right, high] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { points } of [...shapes, ...paths])
    for (const [x, y] of points) [left, low, right, high] = [Math.min(left, x), Math.min(low, y), Math.max(right, x), Math.max(high, y)]
  const extent = Math.max(right - left, high - low)
  return extent > 0 && Number.isFinite(extent) ? extent : page ? Math.max(page[2] - page[0], page[3] - page[1]) || 1 : 1
}

export const isInsidePolygon = (polygon: Polygon, [x, y]: Point): boolean => {
  let inside = false
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [[ax, ay], [bx, by]] = [polygon[i]!, polygon[j]!]
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside
  }
  return inside
}

export function measureDistanceToSegment([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay]
  const square = dx * dx + dy * dy
  const t = square === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / square))
  return measurePointDistance([x, y], [ax + t * dx, ay + t * dy])
}

export const measureDistanceToBoundary = (polygon: Polygon, point: Point): number =>
  polygon.reduce(
    (nearest, corner, i) => Math.min(nearest, measureDistanceToSegment(point, corner, polygon[(i + 1) % polygon.length]!)),
    Infinity,
  )

export const applyAffineToPolygon = (matrix: AffineTransformation, polygon: Polygon): Polygon =>
  polygon.map((point) => applyAffineTransformation(matrix, point))
