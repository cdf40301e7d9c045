import { type Drawing, heatColour, MIN_TEXT_SIZE, type Shape } from '../../drawing/drawing.ts'
import type { Point, Polygon, Units } from '../floor/plan-shapes.ts'
import { type BoundingBox, boundingBox, centroid, smallestRectangle } from '../floor/polygons.ts'

export interface DrawnBooth {
  number: string
  polygon: Polygon
  /** Text below the booth number; null for a booth without a company. */
  label: string | null
  /** Participants see `free`, `reserved` and `taken`; organizers `available`, `held`, `taken` and `blocked`. */
  look: keyof typeof BOOTH_COLOURS
  /** A value from 0 to 1 that colours the booth instead of its look, for heat maps. */
  heat?: number
}

/** A floor plan with its layers, in tenths of millimetres. Layers that are left out are not drawn. */
export interface DrawnPlan {
  name: string
  units: Units
  outer: Polygon
  holes: readonly Polygon[]
  obstacles: readonly { polygon: Polygon }[]
  booths: readonly DrawnBooth[]
  pois: readonly { name: string; point: Point }[]
  route: readonly Point[]
  aisles?: readonly { polygon: Polygon }[]
  zones?: readonly { name: string; polygon: Polygon }[]
  /** What a scan has found, in coordinates of the plan. Findings below a confidence of 0.8 are dashed. */
  findings?: readonly DrawnFinding[]
  /** Booths of a layout that is not applied yet. */
  layout?: readonly { number: string; polygon: Polygon }[]
}

export interface DrawnFinding {
  label: string
  point: Point
  polygon?: Polygon
  confidence: number
}

const MARGIN = 16
const BOOTH_COLOURS = {
  free: '#ffffff',
  available: '#ffffff',
  reserved: '#e5e7eb',
  held: '#f7e2b4',
  taken: '#dbeafe',
  blocked: '#ffffff',
  chosen: '#fde68a',
  proposed: '#bbf7d0',
} as const
const COLOURS = {
  paper: '#ffffff',
  floor: '#f4f5f6',
  wall: '#4b5563',
  obstacle: '#9ca3af',
  aisle: '#e9ecef',
  zone: '#7c3aed',
  layout: '#eef2ff',
  ink: '#111827',
  poi: '#1d4ed8',
  route: '#be123c',
  found: '#1d4ed8',
  unsure: '#b45309',
} as const
const CERTAIN = 0.8

/** Draws a floor plan. `pixels` is the length of the drawing's longer side. */
export function drawPlan(plan: DrawnPlan, pixels: number): Drawing {
  const box = extentOf(plan)
  const scale = (pixels - 2 * MARGIN) / Math.max(box.right - box.left, box.top - box.bottom, 1)
  // Screen coordinates: y grows downwards.
  const at = ([x, y]: Point): Point => [MARGIN + (x - box.left) * scale, MARGIN + (box.top - y) * scale]
  const area = (polygon: Polygon, fill: string, edge: string, edgeWidth: number, dashed = false): Shape => ({
    kind: 'area',
    points: polygon.map(at),
    fill,
    edge,
    edgeWidth,
    dashed,
  })
  const shapes: Shape[] = [
    ...(plan.outer.length > 0 ? [area(plan.outer, COLOURS.floor, COLOURS.wall, 3)] : []),
    ...plan.holes.map((hole) => area(hole, COLOURS.paper, COLOURS.wall, 2)),
    ...(plan.aisles ?? []).map(({ polygon }) => area(polygon, COLOURS.aisle, COLOURS.aisle, 1)),
    ...(plan.zones ?? []).flatMap(({ name, polygon }): Shape[] => [
      area(polygon, 'none', COLOURS.zone, 1.5, true),
      { kind: 'text', at: below(at, polygon), text: name, size: 9, fill: COLOURS.zone },
    ]),
    ...plan.obstacles.map(({ polygon }) => area(polygon, COLOURS.obstacle, COLOURS.wall, 1)),
    ...plan.booths.flatMap((booth) => toBoothShapes(booth, at, scale)),
    ...(plan.layout ?? []).flatMap(({ number, polygon }): Shape[] => [
      area(polygon, COLOURS.layout, COLOURS.found, 1, true),
      { kind: 'text', at: at(centroid(polygon)), text: number, size: textSize(polygon, number, scale), fill: COLOURS.ink },
    ]),
    ...plan.pois.flatMap(({ name, point }): Shape[] => [
      { kind: 'dot', at: at(point), radius: 6, fill: COLOURS.poi },
      { kind: 'text', at: [at(point)[0], at(point)[1] - 12], text: name, size: 10, fill: COLOURS.poi },
    ]),
    ...(plan.findings ?? []).flatMap((finding) => toFindingShapes(finding, at)),
    ...(plan.route.length > 1 ? [{ kind: 'line' as const, points: plan.route.map(at), edge: COLOURS.route, edgeWidth: 3 }] : []),
  ]
  return {
    width: Math.ceil((box.right - box.left) * scale) + 2 * MARGIN,
    height: Math.ceil((box.top - box.bottom) * scale) + 2 * MARGIN,
    title: plan.name,
    description: plan.booths.flatMap(({ number, label }) => (label === null ? [] : [`${number}: ${label}`])).join('; '),
    shapes,
  }
}

/** The area to draw. A plan whose outline is not known yet shows what was found of it. */
function extentOf({ outer, booths, layout = [], findings = [], pois }: DrawnPlan): BoundingBox {
  const found = findings.flatMap(({ point, polygon }) => [point, ...(polygon ?? [])])
  if (outer.length > 0) return boundingBox([...outer, ...found])
  return boundingBox([...[...booths, ...layout].flatMap(({ polygon }) => polygon), ...pois.map(({ point }) => point), ...found])
}

const below = (at: (point: Point) => Point, polygon: Polygon): Point => {
  const { left, right, top } = boundingBox(polygon)
  const [x, y] = at([(left + right) / 2, top])
  return [x, y + 8]
}

function toFindingShapes({ label, point, polygon, confidence }: DrawnFinding, at: (point: Point) => Point): Shape[] {
  const dashed = confidence < CERTAIN
  const edge = dashed ? COLOURS.unsure : COLOURS.found
  const [x, y] = at(point)
  return [
    ...(polygon ? [{ kind: 'area' as const, points: polygon.map(at), fill: 'none', edge, edgeWidth: 1.5, dashed: true }] : []),
    { kind: 'dot', at: [x, y], radius: 5, fill: COLOURS.paper, edge, dashed },
    { kind: 'text', at: [x, y + 12], text: label, size: 9, fill: edge },
  ]
}

function textSize(polygon: Polygon, text: string, scale: number): number {
  const { width, depth } = smallestRectangle(polygon)
  return Math.min((depth * scale) / 3, (width * scale) / Math.max(3, text.length) / 0.8, 18)
}

function toBoothShapes({ number, polygon, label, look, heat }: DrawnBooth, at: (point: Point) => Point, scale: number): Shape[] {
  const chosen = look === 'chosen'
  const fits = textSize(polygon, number, scale)
  const size = chosen ? Math.max(fits, MIN_TEXT_SIZE) : fits
  const [x, y] = at(centroid(polygon))
  const shapes: Shape[] = [
    {
      kind: 'area',
      points: polygon.map(at),
      fill: heat === undefined ? BOOTH_COLOURS[look] : heatColour(heat),
      edge: chosen ? COLOURS.ink : COLOURS.wall,
      edgeWidth: chosen ? 2.5 : 1,
      ...(heat === undefined && look === 'held' ? { pattern: 'hatch' } : {}),
      ...(heat === undefined && look === 'blocked' ? { pattern: 'cross' } : {}),
    },
  ]
  if (look !== 'free' && size >= MIN_TEXT_SIZE) shapes.push({ kind: 'text', at: [x, y], text: number, size, fill: COLOURS.ink })
  if (label !== null) shapes.push({ kind: 'text', at: [x, y + size], text: label, size: size / 2, fill: COLOURS.ink })
  return shapes
}
