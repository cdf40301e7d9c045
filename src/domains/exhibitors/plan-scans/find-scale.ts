import { measureDistanceToSegment } from './hall-drawing.ts'
import type { Point } from '../floor/plan-shapes.ts'
import { measurePointDistance } from './curves.ts'
import { UNKNOWN_SCALE, type SourceDrawing, type SourceScale } from './source-drawing.ts'

const LENGTH_LABEL = /^(\d{1,4}(?:[.,]\d{1,3})?)\s*(m|meter|metres?|mètres?|metros?|metri|ft|feet|')$/i
const RATIO_LABEL = /(?:^|\D)1\s*:\s*(\d{2,4})(?!\d)/
const METRES_PER_FOOT = 0.3048
/** Maximum distance between a line and the text that states its length, as a multiple of the text height. */
const NEAR_HEIGHTS = 3
const MAX_BAR_LABELS = 200

/**
 * Finds the scale of a drawing: by its units, else by a scale bar or a dimension (a line with a length written at it), else by a text such
 * as 1:200 if the size on paper is known.
 */
export function findScale(drawing: SourceDrawing): SourceScale {
  if (drawing.scale.metresPerUnit !== null) return drawing.scale
  return findScaleBar(drawing) ?? findRatio(drawing) ?? UNKNOWN_SCALE
}

function findRatio({ texts, paperMetresPerUnit }: SourceDrawing): SourceScale | null {
  if (paperMetresPerUnit === null) return null
  const ratios = new Set(texts.flatMap(({ text }) => RATIO_LABEL.exec(text)?.[1] ?? []).map(Number))
  const [ratio] = ratios
  // A sheet with several scales also contains detail drawings, so the scale of the plan is unknown.
  return ratio === undefined || ratios.size > 1 ? null : { method: 'scaleBar', metresPerUnit: paperMetresPerUnit * ratio, confidence: 0.8 }
}

function findScaleBar({ texts, paths, shapes }: SourceDrawing): SourceScale | null {
  const labels = texts.flatMap(({ text, at, height }) => {
    const match = LENGTH_LABEL.exec(text.trim())
    const value = match ? Number(match[1]!.replace(',', '.')) : 0
    const metres = match && /^(ft|feet|')$/i.test(match[2]!) ? value * METRES_PER_FOOT : value
    return metres > 0 ? [{ metres, at, height }] : []
  })
  if (labels.length === 0 || labels.length > MAX_BAR_LABELS) return null
  const lines = [...paths.flatMap(({ points }) => toLines(points)), ...shapes.flatMap(({ points }) => toLines([...points, points[0]!]))]
  const scales = labels.flatMap(({ metres, at, height }) => {
    const near = lines.filter(
      ([a, b]) => measurePointDistance(a, b) > height && measureDistanceToSegment(at, a, b) <= height * NEAR_HEIGHTS,
    )
    const longest = Math.max(...near.map(([a, b]) => measurePointDistance(a, b)), 0)
    return longest > 0 ? [metres / longest] : []
  })
  if (scales.length === 0) return null
  const sorted = scales.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)]!
  const agreeing = sorted.filter((scale) => Math.abs(scale / median - 1) < 0.03).length
  return { method: 'scaleBar', metresPerUnit: median, confidence: agreeing > 1 ? 0.9 : sorted.length === 1 ? 0.7 : 0.4 }
}

const toLines = (points: readonly Point[]): [Point, Point][] => points.slice(1).map((point, i) => [points[i]!, point])
