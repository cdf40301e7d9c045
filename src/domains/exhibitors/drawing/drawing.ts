import type { Point, Polygon, Units } from '../floor/plan-shapes.ts'
import { boundingBox, centroid, smallestRectangle } from '../floor/polygons.ts'

/** A drawing of a floor plan in pixels from the upper left corner. Pages show its SVG, assistants get that SVG rendered as PNG. */
export interface Drawing {
  width: number
  height: number
  /** Text alternative for the picture. */
  title: string
  description: string
  shapes: readonly Shape[]
}

export type Shape =
  | { kind: 'area'; points: readonly Point[]; fill: string; edge: string; edgeWidth: number }
  | { kind: 'line'; points: readonly Point[]; edge: string; edgeWidth: number }
  | { kind: 'dot'; at: Point; radius: number; fill: string }
  | { kind: 'text'; at: Point; text: string; size: number; fill: string }

export interface DrawnBooth {
  number: string
  polygon: Polygon
  /** Text below the booth number; null for a booth without a company. */
  label: string | null
  look: 'free' | 'reserved' | 'taken' | 'chosen'
}

export interface DrawnPlan {
  name: string
  units: Units
  outer: Polygon
  holes: readonly Polygon[]
  obstacles: readonly { polygon: Polygon }[]
  booths: readonly DrawnBooth[]
  pois: readonly { name: string; point: Point }[]
  route: readonly Point[]
}

const MARGIN = 16
const COLOURS = {
  paper: '#ffffff',
  floor: '#f4f5f6',
  wall: '#4b5563',
  obstacle: '#9ca3af',
  ink: '#111827',
  poi: '#1d4ed8',
  route: '#be123c',
  free: '#ffffff',
  reserved: '#e5e7eb',
  taken: '#dbeafe',
  chosen: '#fde68a',
} as const

/** Draws a floor plan. `pixels` is the length of the drawing's longer side. */
export function drawPlan(plan: DrawnPlan, pixels: number): Drawing {
  const box = boundingBox(plan.outer)
  const scale = (pixels - 2 * MARGIN) / Math.max(box.right - box.left, box.top - box.bottom)
  // Screen coordinates: y grows downwards.
  const at = ([x, y]: Point): Point => [MARGIN + (x - box.left) * scale, MARGIN + (box.top - y) * scale]
  const area = (polygon: Polygon, fill: string, edge: string, edgeWidth: number): Shape => ({
    kind: 'area',
    points: polygon.map(at),
    fill,
    edge,
    edgeWidth,
  })
  const shapes: Shape[] = [
    area(plan.outer, COLOURS.floor, COLOURS.wall, 3),
    ...plan.holes.map((hole) => area(hole, COLOURS.paper, COLOURS.wall, 2)),
    ...plan.obstacles.map(({ polygon }) => area(polygon, COLOURS.obstacle, COLOURS.wall, 1)),
    ...plan.booths.flatMap((booth) => toBoothShapes(booth, at, scale)),
    ...plan.pois.flatMap(({ name, point }): Shape[] => [
      { kind: 'dot', at: at(point), radius: 6, fill: COLOURS.poi },
      { kind: 'text', at: [at(point)[0], at(point)[1] - 12], text: name, size: 10, fill: COLOURS.poi },
    ]),
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

/** Minimum legible text size. Chosen booths are always labelled. */
export const MIN_TEXT_SIZE = 7

function toBoothShapes({ number, polygon, label, look }: DrawnBooth, at: (point: Point) => Point, scale: number): Shape[] {
  const chosen = look === 'chosen'
  const { width, depth } = smallestRectangle(polygon)
  const fits = Math.min((depth * scale) / 3, (width * scale) / Math.max(3, number.length) / 0.8, 18)
  const size = chosen ? Math.max(fits, MIN_TEXT_SIZE) : fits
  const [x, y] = at(centroid(polygon))
  const shapes: Shape[] = [
    { kind: 'area', points: polygon.map(at), fill: COLOURS[look], edge: chosen ? COLOURS.ink : COLOURS.wall, edgeWidth: chosen ? 2.5 : 1 },
  ]
  if (look !== 'free' && size >= MIN_TEXT_SIZE) shapes.push({ kind: 'text', at: [x, y], text: number, size, fill: COLOURS.ink })
  if (label !== null) shapes.push({ kind: 'text', at: [x, y + size], text: label, size: size / 2, fill: COLOURS.ink })
  return shapes
}
