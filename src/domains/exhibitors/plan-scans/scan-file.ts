import { AppError } from '../../../kernel/errors.ts'
import type { AffineTransformation, RecognizedPlanObject, Point, FloorPlanScanScale, PlanUnits } from '../floor/plan-shapes.ts'
import { toTenthsOfMillimetres } from '../floor/plan-shapes.ts'
import { computeBoundingBox } from '../floor/polygons.ts'
import { recognizeDrawingObjects } from './classify.ts'
import { findScale } from './find-scale.ts'
import { toHallDrawing } from './hall-drawing.ts'
import { readDrawing } from './read-drawing.ts'
import type { ScanWarning, SourceDrawing, FloorPlanFileKind, SourceScale } from './source-drawing.ts'

export interface FloorPlanScanRequest {
  kind: FloorPlanFileKind
  page: number
  kinds: readonly string[] | null
  layers: readonly string[] | null
  /** Languages of the texts in the file, as BCP 47 tags. */
  languages: readonly string[]
  units: PlanUnits
  /** The size of the plan's existing outline, in tenths of millimetres, which determines the scale of a drawing that has none. */
  outlineSize: { width: number; height: number } | null
}

export interface FloorPlanScanResult {
  findings: RecognizedPlanObject[]
  scale: FloorPlanScanScale
  warnings: ScanWarning[]
}

/** Reads a floor plan file and recognizes the objects in it. Pure: the same bytes give the same result. */
export async function scanFile(
  bytes: Uint8Array,
  request: FloorPlanScanRequest,
  progress: (percent: number) => void,
): Promise<FloorPlanScanResult> {
  const drawing = keepLayers(await readDrawing(bytes, request, progress), request.layers)
  progress(50)
  if (drawing.shapes.length + drawing.paths.length + drawing.arcs.length + drawing.texts.length === 0)
    throw new AppError('invalid_arguments', request.layers ? 'The drawing has nothing in these layers' : 'The drawing is empty')
  const found = findScale(drawing)
  const all = recognizeDrawingObjects(toHallDrawing(drawing, found))
  progress(90)
  const outline = all.find(({ kind }) => kind === 'outline')
  const scale = found.metresPerUnit === null && outline ? scaleByOutline(outline, request) : found
  const wanted = request.kinds && new Set(request.kinds)
  const findings = all.filter(({ kind }) => !wanted || wanted.has(kind)).toSorted(compareRecognizedObjects)
  return {
    findings: findings.map((finding, i) => ({ ...finding, id: `f${i + 1}` })),
    scale: toScanScale(scale, drawing, outline, request.units),
    warnings: [...(scale.metresPerUnit === null ? (['no_scale'] as const) : []), ...drawing.warnings],
  }
}

/** Sorts recognized objects by kind, then by confidence in descending order, then by y and x. */
export const compareRecognizedObjects = (a: RecognizedPlanObject, b: RecognizedPlanObject): number =>
  a.kind.localeCompare(b.kind, 'en') || b.confidence - a.confidence || a.point[1] - b.point[1] || a.point[0] - b.point[0]

function keepLayers(drawing: SourceDrawing, layers: readonly string[] | null): SourceDrawing {
  if (!layers) return drawing
  const wanted = new Set(layers.map((layer) => layer.toLowerCase()))
  const isWanted = ({ names }: { names: readonly string[] }) => names.some((name) => wanted.has(name.toLowerCase()))
  return {
    ...drawing,
    shapes: drawing.shapes.filter(isWanted),
    paths: drawing.paths.filter(isWanted),
    arcs: drawing.arcs.filter(isWanted),
    texts: drawing.texts.filter(isWanted),
  }
}

/** Returns the scale at which the outline found in the file has the width of the plan's outline. */
function scaleByOutline({ polygon }: RecognizedPlanObject, { outlineSize }: FloorPlanScanRequest): SourceScale {
  if (!polygon || !outlineSize) return { method: 'none', metresPerUnit: null, confidence: 0 }
  const { left, right, bottom, top } = computeBoundingBox(polygon)
  const [byWidth, byHeight] = [outlineSize.width / (right - left), outlineSize.height / (top - bottom)]
  const agrees = Math.abs(byWidth / byHeight - 1) < 0.02
  return { method: 'outline', metresPerUnit: byWidth / 10_000, confidence: agrees ? 0.8 : 0.4 }
}

/**
 * Converts the scale of a drawing to that of the plan. The lower left corner of the outline, or of all findings, becomes the origin of the
 * plan.
 */
function toScanScale(
  scale: SourceScale,
  drawing: SourceDrawing,
  outline: RecognizedPlanObject | undefined,
  units: PlanUnits,
): FloorPlanScanScale {
  const tenths = scale.metresPerUnit === null ? toTenthsOfMillimetres(1, units) : scale.metresPerUnit * 10_000
  const points: readonly Point[] = outline?.polygon ?? cornersOf(drawing)
  const { left, bottom, top } = computeBoundingBox(points)
  const up = drawing.yDown ? -tenths : tenths
  const sourceToPlan: AffineTransformation = [tenths, 0, 0, up, -left * tenths, -(drawing.yDown ? top : bottom) * up]
  return {
    method: scale.method,
    unitsPerSourceUnit: scale.metresPerUnit === null ? null : round(tenths / toTenthsOfMillimetres(1, units)),
    confidence: scale.confidence,
    sourceToPlan,
  }
}

const round = (value: number) => Number(value.toPrecision(12))

function cornersOf({ shapes, paths, texts, arcs }: SourceDrawing): Point[] {
  let [left, low, right, high] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y] of [...shapes, ...paths, ...arcs].flatMap(({ points }) => points.slice(0, 2)).concat(texts.map(({ at }) => at)))
    [left, low, right, high] = [Math.min(left, x), Math.min(low, y), Math.max(right, x), Math.max(high, y)]
  return [
    [left, low],
    [right, high],
  ]
}
