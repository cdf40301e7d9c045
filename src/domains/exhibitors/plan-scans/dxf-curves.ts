import { getScaleFactor } from '../floor/affine.ts'
import type { AffineTransformation, Point } from '../floor/plan-shapes.ts'
import { applyAffineTransformation, listArcPoints, measurePointDistance, fitCircularArc } from './curves.ts'
import type { DxfEntity } from './dxf-file.ts'
import type { DrawingBuilder } from './source-drawing.ts'

interface Placed {
  matrix: AffineTransformation
  names: readonly string[]
}

/** Maximum distance between an arc and its chords, as a fraction of the radius. */
const TOLERANCE = 0.005

export const toFiniteNumber = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise

/** Adds the lines of a polyline. Bulges are arcs between two corners. */
export function addPolyline(builder: DrawingBuilder, entity: DxfEntity, { matrix, names }: Placed): void {
  const corners = (entity.vertices ?? []).filter(({ x, y }) => x !== undefined && y !== undefined)
  if (corners.length < 2) return
  const closed = entity.shape === true
  const whole: Point[] = [applyAffineTransformation(matrix, [corners[0]!.x, corners[0]!.y])]
  let run: Point[] = [...whole]
  for (let i = 0; i < corners.length - (closed ? 0 : 1); i++) {
    const [from, to] = [corners[i]!, corners[(i + 1) % corners.length]!]
    const bulge = toFiniteNumber(from.bulge, 0)
    const points = bulge === 0 ? [[to.x, to.y] as Point] : bulgePoints([from.x, from.y], [to.x, to.y], bulge)
    const placed = points.map((point) => applyAffineTransformation(matrix, point))
    const arc = bulge === 0 ? null : fitCircularArc([whole.at(-1)!, ...placed], names)
    if (arc) builder.addArc(arc)
    whole.push(...placed)
    if (arc && !closed) {
      if (run.length > 1) builder.addPath(run, names)
      run = [placed.at(-1)!]
    } else run.push(...placed)
  }
  // Many programs close a polyline by repeating its first corner.
  const returns =
    whole.length > 3 && measurePointDistance(whole[0]!, whole.at(-1)!) <= 1e-6 * (1 + measurePointDistance(whole[0]!, whole[1]!))
  if (closed || returns) builder.addShape(whole, names)
  else if (run.length > 1) builder.addPath(run, names)
}

/** Returns the points of an arc after its start. The bulge is the tangent of a quarter of its angle; positive turns counter-clockwise. */
function bulgePoints(from: Point, to: Point, bulge: number): Point[] {
  const angle = 4 * Math.atan(bulge)
  const chord = measurePointDistance(from, to)
  if (chord === 0) return [to]
  const radius = Math.abs(chord / (2 * Math.sin(angle / 2)))
  const height = chord / (2 * Math.tan(angle / 2))
  const [ux, uy] = [(to[0] - from[0]) / chord, (to[1] - from[1]) / chord]
  const centre: Point = [(from[0] + to[0]) / 2 - uy * height, (from[1] + to[1]) / 2 + ux * height]
  const start = Math.atan2(from[1] - centre[1], from[0] - centre[0])
  return [...listArcPoints(centre, radius, start, angle, radius * TOLERANCE).slice(1, -1), to]
}

/** Adds an arc, circle, ellipse or spline to the drawing. */
export function addCurve(builder: DrawingBuilder, entity: DxfEntity, placed: Placed): void {
  const { matrix, names } = placed
  if (entity.type === 'SPLINE') {
    // Without fit points, a spline is approximated by its control points, which is exact enough for walls.
    const points = (entity.fitPoints ?? entity.controlPoints ?? []).map(({ x, y }) => applyAffineTransformation(matrix, [x, y]))
    return entity.closed ? builder.addShape(points, names) : builder.addPath(points, names)
  }
  if (!entity.center) return
  const centre: Point = [entity.center.x, entity.center.y]
  if (entity.type === 'ELLIPSE') return addEllipse(builder, entity, centre, placed)
  const radius = toFiniteNumber(entity.radius, 0)
  if (radius <= 0) return
  if (entity.type === 'CIRCLE') {
    const points = listArcPoints(centre, radius, 0, 2 * Math.PI, radius * TOLERANCE).slice(1)
    return builder.addShape(
      points.map((point) => applyAffineTransformation(matrix, point)),
      names,
      radius * getScaleFactor(matrix),
    )
  }
  const start = toFiniteNumber(entity.startAngle, 0)
  const sweep = positiveTurn(toFiniteNumber(entity.endAngle, 2 * Math.PI) - start)
  const arc = fitCircularArc(
    listArcPoints(centre, radius, start, sweep, radius * TOLERANCE).map((point) => applyAffineTransformation(matrix, point)),
    names,
  )
  if (arc) builder.addArc(arc)
}

const positiveTurn = (angle: number) => {
  const turn = angle % (2 * Math.PI)
  return turn <= 0 ? turn + 2 * Math.PI : turn
}

const ELLIPSE_POINTS = 32

function addEllipse(builder: DrawingBuilder, entity: DxfEntity, [cx, cy]: Point, { matrix, names }: Placed): void {
  const { x: mx = 0, y: my = 0 } = entity.majorAxisEndPoint ?? {}
  const ratio = toFiniteNumber(entity.axisRatio, 1)
  const start = toFiniteNumber(entity.startAngle, 0)
  const sweep = positiveTurn(toFiniteNumber(entity.endAngle, 2 * Math.PI) - start)
  const points = Array.from({ length: ELLIPSE_POINTS + 1 }, (_, i): Point => {
    const angle = start + (sweep * i) / ELLIPSE_POINTS
    const [cos, sin] = [Math.cos(angle), Math.sin(angle) * ratio]
    return applyAffineTransformation(matrix, [cx + mx * cos - my * sin, cy + my * cos + mx * sin])
  })
  if (sweep > 2 * Math.PI - 0.01) builder.addShape(points.slice(0, -1), names)
  else builder.addPath(points, names)
}
