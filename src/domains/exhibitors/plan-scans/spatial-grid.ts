import type { Point } from '../floor/plan-shapes.ts'
import type { BoundingBox } from '../floor/polygons.ts'

const CELL_METRES = 5
/** Maximum number of grid cells per item. Larger items are kept in a separate list. */
const MAX_CELLS = 400

export interface SpatialGrid<T> {
  /** Returns the items whose box contains the point. */
  at: (point: Point) => T[]
  /** Returns the items whose box is within the distance of the point. */
  near: (point: Point, distance: number) => T[]
}

/** Builds an index that finds items by position without comparing all of them. */
export function createSpatialGrid<T>(items: readonly T[], boxOf: (item: T) => BoundingBox): SpatialGrid<T> {
  const cells = new Map<string, { item: T; box: BoundingBox }[]>()
  const large: { item: T; box: BoundingBox }[] = []
  const cellOf = (value: number) => Math.floor(value / CELL_METRES)
  for (const item of items) {
    const box = boxOf(item)
    const [left, right, low, high] = [cellOf(box.left), cellOf(box.right), cellOf(box.bottom), cellOf(box.top)]
    if ((right - left + 1) * (high - low + 1) > MAX_CELLS) {
      large.push({ item, box })
      continue
    }
    for (let x = left; x <= right; x++) {
      for (let y = low; y <= high; y++) {
        const members = cells.get(`${x} ${y}`)
        if (members) members.push({ item, box })
        else cells.set(`${x} ${y}`, [{ item, box }])
      }
    }
  }
  const near = ([px, py]: Point, distance: number): T[] => {
    const found = new Set<T>()
    const test = ({ item, box }: { item: T; box: BoundingBox }) => {
      if (px >= box.left - distance && px <= box.right + distance && py >= box.bottom - distance && py <= box.top + distance)
        found.add(item)
    }
    for (let x = cellOf(px - distance); x <= cellOf(px + distance); x++)
      for (let y = cellOf(py - distance); y <= cellOf(py + distance); y++) for (const member of cells.get(`${x} ${y}`) ?? []) test(member)
    for (const member of large) test(member)
    return [...found]
  }
  return { near, at: (point) => near(point, 0) }
}
