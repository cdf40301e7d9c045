import { z } from 'zod'
import { toOneLine, code, flag, list, name, object, oneOf, text } from '../../../kernel/args.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { toPointInTenthsOfMm, toStoredPolygon } from '../floor/floor-plans.ts'
import {
  type Aisle,
  AISLE_KINDS,
  type Obstacle,
  OBSTACLE_KINDS,
  type Outline,
  type PointOfInterest,
  POI_KINDS,
  type Point,
  type Polygon,
  toTenthsOfMillimetres,
  type PlanUnits,
  type Zone,
  ZONE_KINDS,
} from '../floor/plan-shapes.ts'

/** Maximum coordinate in metres or feet. Halls are smaller, and sums of products of larger numbers would lose digits. */
const MAX_COORDINATE = 5000
const MAX_SHAPES = 1000

export const lengthSchema = (min: number) => z.number().min(min, `at least ${min}`).max(MAX_COORDINATE, `at most ${MAX_COORDINATE}`)
export const pointSchema = () => z.array(lengthSchema(-MAX_COORDINATE)).length(2, 'a point is [x, y]')
const polygon = () => list(pointSchema(), 501)
const shapeId = () => text(40).optional()

export const outlineSchema = () =>
  toOneLine(object({ outer: polygon(), holes: list(polygon(), 100).optional() }), 'outer [[x,y],...], holes')
export const obstaclesSchema = () =>
  toOneLine(
    list(object({ id: shapeId(), kind: oneOf(OBSTACLE_KINDS), polygon: polygon(), blocksWalking: flag().optional() }), MAX_SHAPES),
    `id, kind ${OBSTACLE_KINDS.join('|')}, polygon`,
  )
export const aislesSchema = () =>
  toOneLine(
    list(object({ id: shapeId(), kind: oneOf(AISLE_KINDS).optional(), polygon: polygon() }), MAX_SHAPES),
    `id, kind ${AISLE_KINDS.join('|')}, polygon`,
  )
export const zonesSchema = () =>
  toOneLine(
    list(object({ code: code(), name: name(80).optional(), kind: oneOf(ZONE_KINDS), polygon: polygon() }), MAX_SHAPES),
    `code, name, kind ${ZONE_KINDS.join('|')}, polygon`,
  )
export const pointsOfInterestSchema = () =>
  toOneLine(
    list(
      object({
        id: shapeId(),
        kind: oneOf(POI_KINDS),
        name: name(80).optional(),
        point: pointSchema(),
        polygon: polygon().optional(),
        doorWidth: lengthSchema(0).optional(),
      }),
      MAX_SHAPES,
    ),
    'id, kind (entrance, fireExit...), name, point',
  )

export interface FloorPlanShapeInputs {
  outline?: z.output<ReturnType<typeof outlineSchema>> | undefined
  obstacles?: z.output<ReturnType<typeof obstaclesSchema>> | undefined
  aisles?: z.output<ReturnType<typeof aislesSchema>> | undefined
  zones?: z.output<ReturnType<typeof zonesSchema>> | undefined
  pois?: z.output<ReturnType<typeof pointsOfInterestSchema>> | undefined
}

export interface StoredPlanShapes {
  outline?: Outline
  obstacles?: Obstacle[]
  aisles?: Aisle[]
  zones?: Zone[]
  pois?: PointOfInterest[]
}

const WALKABLE: readonly Obstacle['kind'][] = ['noBuild', 'hanging']

const POI_NAMES: Partial<Record<PointOfInterest['kind'], string>> = {
  fireExit: 'Fire exit',
  firstAid: 'First aid',
  loadingDock: 'Loading dock',
}
export const getPoiName = (kind: PointOfInterest['kind']) => POI_NAMES[kind] ?? `${kind[0]!.toUpperCase()}${kind.slice(1)}`

/**
 * Converts shapes from the plan's units to stored ones, and adds their problems to `problems`. Shapes without an id get one from their
 * kind, such as pillar-3. `taken` are ids that are in use and must not be assigned again.
 */
export function toStoredPlanShapes(
  given: FloorPlanShapeInputs,
  units: PlanUnits,
  taken: Iterable<string>,
  problems: FieldError[],
): StoredPlanShapes {
  const stored = (points: readonly (readonly number[])[], path: string) =>
    toStoredPolygon(points as unknown as Polygon, units, path, problems)
  const named: readonly { id?: string | undefined }[] = [...(given.obstacles ?? []), ...(given.aisles ?? []), ...(given.pois ?? [])]
  const nextId = createShapeIdGenerator([...taken, ...named.map(({ id }) => id)])
  const shapes: StoredPlanShapes = {}
  if (given.outline) {
    const { outer, holes = [] } = given.outline
    shapes.outline = { outer: stored(outer, 'outline/outer'), holes: holes.map((hole, i) => stored(hole, `outline/holes/${i}`)) }
  }
  if (given.obstacles)
    shapes.obstacles = given.obstacles.map(({ id, kind, polygon: points, blocksWalking = !WALKABLE.includes(kind) }, i) => ({
      id: id ?? nextId(kind),
      kind,
      polygon: stored(points, `obstacles/${id ?? i}`),
      blocksWalking,
    }))
  if (given.aisles)
    shapes.aisles = given.aisles.map(({ id, kind = 'standard', polygon: points }, i) => ({
      id: id ?? nextId('aisle'),
      kind,
      polygon: stored(points, `aisles/${id ?? i}`),
    }))
  if (given.zones)
    shapes.zones = given.zones.map((zone) => ({
      ...zone,
      name: zone.name ?? zone.code,
      polygon: stored(zone.polygon, `zones/${zone.code}`),
    }))
  if (given.pois)
    shapes.pois = given.pois.map(({ id, kind, name: label, point: at, polygon: points, doorWidth }, i) => ({
      id: id ?? nextId(kind),
      kind,
      name: label ?? getPoiName(kind),
      point: toPointInTenthsOfMm(at as unknown as Point, units),
      ...(points ? { polygon: stored(points, `pois/${id ?? i}`) } : {}),
      ...(doorWidth === undefined ? {} : { doorWidth: toTenthsOfMillimetres(doorWidth, units) }),
    }))
  for (const [listName, items] of Object.entries({ ...shapes, outline: undefined }))
    for (const id of findRepeated((items ?? []) as readonly AnyShape[]))
      problems.push({ path: `${listName}/${id}`, message: 'is given twice' })
  return shapes
}

type AnyShape = { id: string } | { code: string }

/** Returns the id or code that identifies a shape in its list. */
export const getShapeIdOrCode = (shape: AnyShape) => ('id' in shape ? shape.id : shape.code)

function findRepeated(shapes: readonly AnyShape[]): Set<string> {
  const keys = shapes.map(getShapeIdOrCode)
  return new Set(keys.filter((key, i) => keys.indexOf(key) < i))
}

/** Creates a function that returns unused ids such as pillar-1, pillar-2. */
export function createShapeIdGenerator(taken: Iterable<string | undefined>): (kind: string) => string {
  const used = new Set(taken)
  const counts = new Map<string, number>()
  return (kind) => {
    for (let n = (counts.get(kind) ?? 0) + 1; ; n++) {
      counts.set(kind, n)
      const id = `${kind}-${n}`
      if (used.has(id)) continue
      used.add(id)
      return id
    }
  }
}
