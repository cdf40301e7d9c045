import type { Point } from '../floor/plan-shapes.ts'
import { measurePointDistance } from './curves.ts'

/** A small regular shape that may be a pillar. */
export interface PillarCandidate {
  centre: Point
  size: number
  round: boolean
}

const MIN_MEMBERS = 4
/** Shapes whose sizes differ by at most this fraction (5 %) count as equal. */
const SIZE_TOLERANCE = 0.05
/** Maximum distance of a pillar from its position on the lattice, as a fraction of the spacing. */
const OFF_LATTICE = 0.1
const MAX_GROUP = 5000

/** Returns the indexes of shapes that lie on a lattice of at least four equal shapes, like pillars. The lattice may be rotated. */
export function findPillarLattice(candidates: readonly PillarCandidate[]): Set<number> {
  const found = new Set<number>()
  const left = candidates.map((_, i) => i).toSorted((a, b) => candidates[a]!.size - candidates[b]!.size)
  for (const round of [true, false]) {
    const same = left.filter((i) => candidates[i]!.round === round)
    for (let from = 0; from < same.length;) {
      let to = from
      while (to < same.length && candidates[same[to]!]!.size <= candidates[same[from]!]!.size * (1 + SIZE_TOLERANCE)) to++
      for (const i of membersOf(same.slice(from, to), candidates)) found.add(i)
      from = to
    }
  }
  return found
}

function membersOf(group: readonly number[], candidates: readonly PillarCandidate[]): number[] {
  if (group.length < MIN_MEMBERS || group.length > MAX_GROUP) return []
  const points = group.map((i) => candidates[i]!.centre)
  const origin = points[0]!
  const others = points.slice(1).toSorted((a, b) => measurePointDistance(origin, a) - measurePointDistance(origin, b))
  const u = minus(others[0]!, origin)
  // The second axis of the lattice leads to the nearest shape that is not in line with the first axis.
  const across = others.map((point) => minus(point, origin)).find((v) => Math.abs(cross(u, v)) > 0.3 * length(u) * length(v)) ?? [
    -u[1],
    u[0],
  ]
  const area = cross(u, across)
  if (length(u) === 0 || area === 0) return []
  const members = group.filter((i) => {
    const w = minus(candidates[i]!.centre, origin)
    return isWhole(cross(w, across) / area) && isWhole(cross(u, w) / area)
  })
  return members.length >= MIN_MEMBERS && members.length >= group.length * 0.6 ? members : []
}

const minus = ([ax, ay]: Point, [bx, by]: Point): Point => [ax - bx, ay - by]
const cross = ([ax, ay]: Point, [bx, by]: Point) => ax * by - ay * bx
const length = ([x, y]: Point) => Math.hypot(x, y)
const isWhole = (value: number) => Math.abs(value - Math.round(value)) <= OFF_LATTICE
