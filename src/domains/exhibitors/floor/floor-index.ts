import { type Obstacle, type Outline, type Point, type Polygon, TENTHS_OF_MM_PER_METRE } from './plan-shapes.ts'
import { type BoundingBox, computeBoundingBox, boxesIntersect, edgesOf } from './polygons.ts'

/** Everything on a floor plan that visitors cannot walk through. */
export interface FloorShapes {
  outline: Outline
  obstacles: readonly Obstacle[]
  booths: readonly { polygon: Polygon }[]
}

/** The shapes in a spatial index, so that a query about one booth reads only the shapes near it. */
export interface SpatialShapeIndex<T> {
  find: (box: BoundingBox) => T[]
}

export interface FloorSpatialIndex {
  outline: Outline
  /** Shapes that block walking: holes, blocking obstacles and booths. */
  blockers: SpatialShapeIndex<Polygon>
  /** Walls of the hall: the edges of its outline. */
  walls: SpatialShapeIndex<[Point, Point]>
}

export const buildFloorSpatialIndex = ({ outline, obstacles, booths }: FloorShapes): FloorSpatialIndex => ({
  outline,
  blockers: buildSpatialShapeIndex(
    [
      ...outline.holes,
      ...obstacles.filter(({ blocksWalking }) => blocksWalking).map(({ polygon }) => polygon),
      ...booths.map(({ polygon }) => polygon),
    ],
    (polygon) => polygon,
  ),
  walls: buildSpatialShapeIndex([outline.outer, ...outline.holes].flatMap(edgesOf), (edge) => edge),
})

const MIN_TILE = 10 * TENTHS_OF_MM_PER_METRE
/** Maximum number of index tiles per side, for large plans such as those without a scale. */
const MAX_TILES_PER_SIDE = 100

/** Sorts shapes into square tiles by their bounding boxes. `find` returns those whose box touches the given box, in the given order. */
export function buildSpatialShapeIndex<T>(shapes: readonly T[], cornersOf: (shape: T) => readonly Point[]): SpatialShapeIndex<T> {
  const boxes = shapes.map((shape) => computeBoundingBox(cornersOf(shape)))
  let extent = MIN_TILE
  for (const { left, right, bottom, top } of boxes)
    extent = Math.max(extent, Math.abs(left), Math.abs(right), Math.abs(bottom), Math.abs(top))
  const tile = Math.max(MIN_TILE, Math.ceil((2 * extent) / MAX_TILES_PER_SIDE))
  const tiles = new Map<number, number[]>()
  const keysOf = ({ left, right, bottom, top }: BoundingBox) => {
    const keys: number[] = []
    const clamp = (value: number) => Math.max(-MAX_TILES_PER_SIDE, Math.min(MAX_TILES_PER_SIDE, Math.floor(value / tile)))
    for (let column = clamp(left); column <= clamp(right); column++)
      for (let row = clamp(bottom); row <= clamp(top); row++) keys.push(column * 1000 + row)
    return keys
  }
  for (const [i, box] of boxes.entries())
    for (const key of keysOf(box)) {
      const there = tiles.get(key)
      if (there) there.push(i)
      else tiles.set(key, [i])
    }
  return {
    find: (box) => {
      const found = new Set<number>()
      for (const key of keysOf(box)) for (const i of tiles.get(key) ?? []) if (boxesIntersect(box, boxes[i]!)) found.add(i)
      return [...found].toSorted((a, b) => a - b).map((i) => shapes[i]!)
    },
  }
}
