import { type Drawing, computeHeatMapColour, MIN_TEXT_SIZE, type DrawingShape } from '../../drawing/drawing.ts'
import { measureText, wrapText } from '../../fonts/text-width.ts'
import type { Point, Polygon, PlanUnits } from '../floor/plan-shapes.ts'
import { type BoundingBox, computeBoundingBox, computeCentroid, findSmallestRectangle } from '../floor/polygons.ts'
import { type BoothAppearance, HEAT_MAP_TEXT_COLOUR, type Palette, FIXED_COLOUR_PALETTE } from './palette.ts'

export interface DrawnBooth {
  number: string
  polygon: Polygon
  /** Text below the booth number, such as the company's name; null for a booth without a company. */
  label: string | null
  /** Status of the booth: participants see `free`, `reserved` and `taken`, organizers see `available`, `held`, `taken` and `blocked`. */
  look: BoothAppearance
  /** A value from 0 to 1 for a heat map. Its colour replaces the colour of the booth's status. */
  heat?: number
  /** Link target and text alternative of the booth, on pages where each booth of the drawn plan is a link. */
  link?: { href: string; label: string }
  /** Whether a ring is drawn around the booth. The booth keeps its colours. */
  isPicked?: boolean
}

/** A floor plan with its layers, in tenths of millimetres. Layers that are left out are not drawn. */
export interface DrawableFloorPlan {
  name: string
  units: PlanUnits
  outer: Polygon
  holes: readonly Polygon[]
  obstacles: readonly { polygon: Polygon }[]
  booths: readonly DrawnBooth[]
  pois: readonly { name: string; point: Point; kind?: string }[]
  route: readonly Point[]
  aisles?: readonly { polygon: Polygon }[]
  zones?: readonly { name: string; polygon: Polygon }[]
  /** Objects that a floor plan scan has recognized, in coordinates of the plan. Those with a confidence below 0.8 are drawn dashed. */
  findings?: readonly DrawnRecognizedObject[]
  /** Booths of a generated layout that is not applied to the plan yet. */
  layout?: readonly { number: string; polygon: Polygon }[]
}

export interface DrawnRecognizedObject {
  label: string
  /** A letter drawn at the recognized object instead of its label. A list next to the plan explains the letters. */
  mark?: string
  point: Point
  polygon?: Polygon
  confidence: number
}

const MARGIN = 16
const CERTAIN = 0.8
/** Height of a line of the company name, as a multiple of the text size of the booth number. */
const NAME_LINE = 0.6
const MAX_NAME_LINES = 3

/** The settings of a drawing: `at` maps plan coordinates to pixels, and `palette` has the colours. */
interface Pen {
  at: (point: Point) => Point
  scale: number
  palette: Palette
}

/** Draws a floor plan. `pixels` is the length of the drawing's longer side. */
export function drawFloorPlan(plan: DrawableFloorPlan, pixels: number, palette: Palette = FIXED_COLOUR_PALETTE): Drawing {
  const box = extentOf(plan)
  const scale = (pixels - 2 * MARGIN) / Math.max(box.right - box.left, box.top - box.bottom, 1)
  // The y axis of the screen points downwards, that of the plan upwards.
  const at = ([x, y]: Point): Point => [MARGIN + (x - box.left) * scale, MARGIN + (box.top - y) * scale]
  const pen = { at, scale, palette }
  const area = (polygon: Polygon, fill: string, edge: string, edgeWidth: number, dashed = false): DrawingShape => ({
    kind: 'area',
    points: polygon.map(at),
    fill,
    edge,
    edgeWidth,
    dashed,
  })
  const shapes: DrawingShape[] = [
    ...(plan.outer.length > 0 ? [area(plan.outer, palette.floor, palette.wall, 3)] : []),
    ...plan.holes.map((hole) => area(hole, palette.paper, palette.wall, 2)),
    ...(plan.aisles ?? []).map(({ polygon }) => area(polygon, palette.aisle, palette.aisle, 1)),
    ...(plan.zones ?? []).flatMap(({ name, polygon }): DrawingShape[] => [
      area(polygon, 'none', palette.zone, 1.5, true),
      { kind: 'text', at: below(at, polygon), text: name, size: 9, fill: palette.zone },
    ]),
    ...plan.obstacles.map(({ polygon }) => area(polygon, palette.obstacle, palette.wall, 1)),
    ...plan.booths.flatMap((booth) => toBoothShapes(booth, pen)),
    ...(plan.layout ?? []).flatMap(({ number, polygon }): DrawingShape[] => [
      area(polygon, palette.layout, palette.found, 1, true),
      { kind: 'text', at: at(computeCentroid(polygon)), text: number, size: textSize(polygon, number, scale), fill: palette.ink },
    ]),
    ...plan.pois.flatMap((poi) => toPoiShapes(poi, pen, (box.right - box.left) * scale + 2 * MARGIN)),
    ...(plan.findings ?? []).flatMap((finding) => toFindingShapes(finding, pen)),
    ...(plan.route.length > 1 ? [{ kind: 'line' as const, points: plan.route.map(at), edge: palette.route, edgeWidth: 3 }] : []),
  ]
  return {
    width: Math.ceil((box.right - box.left) * scale) + 2 * MARGIN,
    height: Math.ceil((box.top - box.bottom) * scale) + 2 * MARGIN,
    title: plan.name,
    description: plan.booths.flatMap(({ number, label }) => (label === null ? [] : [`${number}: ${label}`])).join('; '),
    shapes,
  }
}

/** Returns the area to draw. A plan without an outline is drawn to the extent of its booths, points of interest and recognized objects. */
function extentOf({ outer, booths, layout = [], findings = [], pois }: DrawableFloorPlan): BoundingBox {
  const found = findings.flatMap(({ point, polygon }) => [point, ...(polygon ?? [])])
  if (outer.length > 0) return computeBoundingBox([...outer, ...found])
  return computeBoundingBox([...[...booths, ...layout].flatMap(({ polygon }) => polygon), ...pois.map(({ point }) => point), ...found])
}

const below = (at: (point: Point) => Point, polygon: Polygon): Point => {
  const { left, right, top } = computeBoundingBox(polygon)
  const [x, y] = at([(left + right) / 2, top])
  return [x, y + 8]
}

function toPoiShapes({ name, point, kind }: DrawableFloorPlan['pois'][number], { at, palette }: Pen, width: number): DrawingShape[] {
  const [x, y] = at(point)
  // The name of a point of interest near the upper wall is drawn below the point.
  const above = y > MARGIN + 24
  // The name of a point of interest near a side wall moves inwards, so that it does not cross the wall.
  const half = Math.min(measureText(name, 10) / 2 + MARGIN + 3, width / 2)
  const middle = Math.max(half, Math.min(width - half, x))
  const fill = kind === 'fireExit' ? palette.exit : palette.poi
  return [
    { kind: 'dot', at: [x, y], radius: 6, fill },
    { kind: 'text', at: [middle, above ? y - 12 : y + 13], text: name, size: 10, fill },
  ]
}

function toFindingShapes({ label, mark, point, polygon, confidence }: DrawnRecognizedObject, { at, palette }: Pen): DrawingShape[] {
  const dashed = confidence < CERTAIN
  const edge = dashed ? palette.unsure : palette.found
  const [x, y] = at(point)
  return [
    ...(polygon ? [{ kind: 'area' as const, points: polygon.map(at), fill: 'none', edge, edgeWidth: 1.5, dashed: true }] : []),
    { kind: 'dot', at: [x, y], radius: mark === undefined ? 5 : 11, fill: palette.paper, edge, dashed },
    { kind: 'text', at: mark === undefined ? [x, y + 12] : [x, y], text: mark ?? label, size: mark === undefined ? 9 : 12, fill: edge },
  ]
}

function textSize(polygon: Polygon, text: string, scale: number): number {
  const { width, depth } = findSmallestRectangle(polygon)
  return Math.min((depth * scale) / 3, (width * scale) / Math.max(3, text.length) / 0.8, 18)
}

/** The lines of a company name that fit into a booth below its number, half as high as the number; none if they would be too small. */
function fitName(name: string, polygon: Polygon, scale: number, size: number): string[] {
  if (size / 2 < MIN_TEXT_SIZE) return []
  const { width, depth } = findSmallestRectangle(polygon)
  const lines = Math.min(MAX_NAME_LINES, Math.floor((depth * scale - size * 1.3) / (size * NAME_LINE)))
  return lines < 1 ? [] : wrapText(name, { width: width * scale - 4, size: size / 2, lines })
}

function toBoothShapes(booth: DrawnBooth, pen: Pen): DrawingShape[] {
  const { number, polygon, label, look, heat, link, isPicked = false } = booth
  const { at, scale, palette } = pen
  const chosen = look === 'chosen'
  const fits = textSize(polygon, number, scale)
  const size = chosen ? Math.max(fits, MIN_TEXT_SIZE) : fits
  const [x, y] = at(computeCentroid(polygon))
  const ink = heat === undefined ? palette.ink : HEAT_MAP_TEXT_COLOUR
  const points = polygon.map(at)
  const shapes: DrawingShape[] = [
    {
      kind: 'area',
      points,
      fill: heat === undefined ? palette.booths[look] : computeHeatMapColour(heat),
      edge: chosen ? palette.chosen : palette.booth,
      edgeWidth: chosen ? 2.5 : 1,
      ...(heat === undefined && look === 'held' ? { pattern: 'hatch' } : {}),
      ...(heat === undefined && look === 'blocked' ? { pattern: 'cross' } : {}),
    },
  ]
  if (isPicked) shapes.push({ kind: 'area', points, fill: 'none', edge: palette.chosen, edgeWidth: 4 })
  const name = label === null ? [] : fitName(label, polygon, scale, size)
  // The booth number and the lines of the company name are centred in the booth as one block.
  const top = y - (name.length * size) / 4
  if (look !== 'free' && size >= MIN_TEXT_SIZE) shapes.push({ kind: 'text', at: [x, top], text: number, size, fill: ink })
  for (const [line, text] of name.entries())
    shapes.push({ kind: 'text', at: [x, top + size * (0.85 + line * NAME_LINE)], text, size: size / 2, fill: ink })
  return link ? [{ kind: 'link', ...link, isCurrent: isPicked, shapes }] : shapes
}
