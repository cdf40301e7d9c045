import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import { type PolygonWithBoundingBox, toPolygonWithBoundingBox } from '../floor/distance.ts'
import { type Point, type Polygon, TENTHS_OF_MM_PER_METRE } from '../floor/plan-shapes.ts'
import type { BoundingBox } from '../floor/polygons.ts'
import { computePolygonArea, computeBoundingBox } from '../floor/polygons.ts'
import type { BoothAssignmentApplicant, BoothAssignmentInputs, ProposalBooth } from './problem.ts'

/** A set of booths that one applicant could get: a single booth, or several booths that form a rectangle together. */
export interface BoothCandidate {
  /** Indexes of the booths in this set. */
  parts: readonly number[]
  booths: readonly ProposalBooth[]
  planId: string
  shape: PolygonWithBoundingBox
  area: number
  areaM2: number
  width: number
  depth: number
  /** Size code of a single booth. Rectangles of several booths have none, and are compared with a booth size by width and depth. */
  sizeCode: string | null
  zoneCode: string | null
  type: string
  quality: number
}

const MAX_MERGED = 6
/** Tolerance for comparing booth sizes, which are stated in whole centimetres also for plans in feet. */
const SIZE_TOLERANCE_M = 0.02

/**
 * Lists the candidates: single booths in the given order, then the rectangles of two to six booths that at least one applicant could use.
 */
export function* listCandidates(problem: BoothAssignmentInputs): CooperativeTask<BoothCandidate[]> {
  const singles = problem.booths.map((booth, index): BoothCandidate => ({
    parts: [index],
    booths: [booth],
    planId: booth.planId,
    shape: toPolygonWithBoundingBox(booth.polygon),
    area: booth.area,
    areaM2: computePolygonArea(booth.polygon) / TENTHS_OF_MM_PER_METRE ** 2,
    width: booth.width,
    depth: booth.depth,
    sizeCode: booth.sizeCode,
    zoneCode: booth.zoneCode,
    type: booth.type,
    quality: booth.quality,
  }))
  if (!problem.rules.allowMerge) return singles
  const wishes = distinctWishes(problem)
  const merged: BoothCandidate[] = []
  for (const group of groupByDirection(problem.booths)) {
    for (const parts of yield* listRectangles(group)) {
      const candidate = mergeBooths(problem, singles, parts)
      if (wishes.some((wish) => canMergeBoothsForApplicant(problem, wish, candidate))) merged.push(candidate)
    }
  }
  // The booth type of a rectangle depends on the floor around it and is slow to derive, so it is derived only for used rectangles.
  return [...singles, ...merged.map((one) => ({ ...one, type: problem.typeOf(one.planId, one.shape.polygon) }))]
}

type Wish = BoothAssignmentApplicant['wanted']

/** Lists the different requests for booth sizes and areas, so that a rectangle is compared with equal requests only once. */
function distinctWishes({ applicants }: BoothAssignmentInputs): Wish[] {
  const wishes = new Map<string, Wish>()
  for (const { wanted } of applicants) {
    const { sizes, minArea, maxArea, acceptOther } = wanted
    wishes.set(JSON.stringify([sizes, minArea, maxArea, acceptOther]), wanted)
  }
  return [...wishes.values()]
}

/** Maximum area of merged booths relative to the requested minimum area. Larger rectangles would waste space. */
const MAX_SURPLUS = 1.25

/**
 * Whether booths may be merged for an application: they have the sides of a requested size, or together reach a minimum area without
 * exceeding the maximum, which is a quarter above the minimum if the application states none.
 */
export function canMergeBoothsForApplicant(
  problem: BoothAssignmentInputs,
  { sizes, minArea, maxArea, acceptOther }: Wish,
  candidate: BoothCandidate,
): boolean {
  if (sizes.some((code) => hasBoothSize(problem, candidate, code))) return true
  return acceptOther && minArea !== undefined && isAreaInRange(candidate.area, minArea, maxArea ?? minArea * MAX_SURPLUS)
}

export const isAreaInRange = (area: number, min: number | undefined, max: number | undefined) =>
  (min === undefined || area >= min - 1e-6) && (max === undefined || area <= max + 1e-6)

/** Whether a candidate (set of booths) has a booth size: by the size code, or for several booths by width and depth. */
export function hasBoothSize(
  { sizes }: Pick<BoothAssignmentInputs, 'sizes'>,
  { sizeCode, width, depth }: BoothCandidate,
  code: string,
): boolean {
  if (sizeCode !== null) return sizeCode === code
  const size = sizes.get(code)
  if (!size) return false
  const same = (a: number, b: number) => Math.abs(a - b) <= SIZE_TOLERANCE_M
  return (same(width, size.width) && same(depth, size.depth)) || (same(width, size.depth) && same(depth, size.width))
}

function mergeBooths({ booths }: BoothAssignmentInputs, singles: readonly BoothCandidate[], { parts, polygon }: Rectangle): BoothCandidate {
  const own = parts.map((index) => booths[index]!).toSorted((a, b) => compareBoothNumbers(a.number, b.number))
  const [first] = own as [ProposalBooth]
  const sides = [distance(polygon[0]!, polygon[1]!), distance(polygon[1]!, polygon[2]!)].map((side) => side / TENTHS_OF_MM_PER_METRE)
  const sum = (value: (candidate: BoothCandidate) => number) => parts.reduce((total, index) => total + value(singles[index]!), 0)
  return {
    parts,
    booths: own,
    planId: first.planId,
    shape: toPolygonWithBoundingBox(polygon),
    area: sum(({ area }) => area),
    areaM2: sum(({ areaM2 }) => areaM2),
    width: sides[0]!,
    depth: sides[1]!,
    sizeCode: null,
    zoneCode: own.every(({ zoneCode }) => zoneCode === first.zoneCode) ? first.zoneCode : null,
    type: first.type,
    quality: sum(({ quality, areaM2 }) => quality * areaM2) / sum(({ areaM2 }) => areaM2),
  }
}

const distance = ([ax, ay]: Point, [bx, by]: Point) => Math.hypot(bx - ax, by - ay)

/** A booth in coordinates that are rotated so that its sides are parallel to the axes. */
interface Turned {
  index: number
  box: BoundingBox
}

interface Group {
  booths: Turned[]
  turnBack: (point: Point) => Point
}

interface Rectangle {
  parts: number[]
  polygon: Polygon
}

/** Booth directions are rounded to steps of five hundredths of a degree. */
const ANGLE_STEP = Math.PI / 3600
/** Booths with a gap of at most two millimetres touch. */
const TOUCHING = 20

/** Groups the rectangular booths that are not held for a company: by plan, and by the direction of their sides. */
function groupByDirection(booths: readonly ProposalBooth[]): Group[] {
  const groups = new Map<string, Group>()
  for (const [index, { planId, polygon, heldFor }] of booths.entries()) {
    if (heldFor !== null || polygon.length !== 4) continue
    const [[ax, ay], [bx, by]] = polygon as [Point, Point, Point, Point]
    const quarter = Math.PI / 2
    const step = Math.round((((Math.atan2(by - ay, bx - ax) % quarter) + quarter) % quarter) / ANGLE_STEP)
    const angle = (step % Math.round(quarter / ANGLE_STEP)) * ANGLE_STEP
    const turned = polygon.map((point) => turn(point, -angle))
    const box = computeBoundingBox(turned)
    // A polygon with four corners that is no rectangle is left out.
    if (
      Math.abs(computePolygonArea(polygon) - (box.right - box.left) * (box.top - box.bottom)) >
      TOUCHING * (box.right - box.left + box.top - box.bottom)
    )
      continue
    const key = `${planId} ${angle}`
    const group = groups.get(key) ?? { booths: [], turnBack: (point: Point) => turn(point, angle) }
    group.booths.push({ index, box })
    groups.set(key, group)
  }
  return [...groups.values()]
}

function turn([x, y]: Point, angle: number): Point {
  if (angle === 0) return [x, y]
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return [x * cos - y * sin, x * sin + y * cos]
}

/**
 * Lists the rectangles that two to six booths fill. Each has one booth in its lower left corner, booths along its lower edge up to the
 * right corner, and booths along its left edge up to the upper corner.
 */
function* listRectangles({ booths, turnBack }: Group): CooperativeTask<Rectangle[]> {
  const near = (a: number, b: number) => Math.abs(a - b) <= TOUCHING
  const found = indexBoxes(booths)
  const chain = (from: Turned, next: (last: Turned, other: Turned) => boolean): Turned[] => {
    const members = [from]
    while (members.length < MAX_MERGED) {
      const last = members.at(-1)!
      const after = found(last.box).find((other) => next(last, other))
      if (!after) break
      members.push(after)
    }
    return members
  }
  const rectangles: Rectangle[] = []
  for (const corner of booths) {
    const { left, bottom } = corner.box
    const row = chain(corner, (last, { box }) => near(box.left, last.box.right) && near(box.bottom, bottom))
    const column = chain(corner, (last, { box }) => near(box.bottom, last.box.top) && near(box.left, left))
    for (const { box: lower } of row) {
      for (const { box: upper } of column) {
        const frame = { left, bottom, right: lower.right, top: upper.top }
        const parts = listFilling(frame, found(frame))
        if (parts !== null) rectangles.push({ parts, polygon: cornersOf(frame).map(turnBack) })
      }
    }
    yield
  }
  return rectangles
}

const cornersOf = ({ left, bottom, right, top }: BoundingBox): Point[] => [
  [left, bottom],
  [right, bottom],
  [right, top],
  [left, top],
]

/** Lists the booths that fill a rectangle completely; null unless there are two to six. */
function listFilling(frame: BoundingBox, near: readonly Turned[]): number[] | null {
  const inside = near.filter(
    ({ box }) =>
      box.left >= frame.left - TOUCHING &&
      box.right <= frame.right + TOUCHING &&
      box.bottom >= frame.bottom - TOUCHING &&
      box.top <= frame.top + TOUCHING,
  )
  if (inside.length < 2 || inside.length > MAX_MERGED) return null
  const areaOfBox = (box: BoundingBox) => (box.right - box.left) * (box.top - box.bottom)
  const gap = areaOfBox(frame) - inside.reduce((sum, { box }) => sum + areaOfBox(box), 0)
  const border = frame.right - frame.left + frame.top - frame.bottom
  return Math.abs(gap) <= TOUCHING * border ? inside.map(({ index }) => index) : null
}

/** Size of a cell in the spatial index: ten metres, so that most booths are in one or two cells. */
const CELL = 10 * TENTHS_OF_MM_PER_METRE

/** Builds an index that finds the booths that touch a box, in their given order. */
function indexBoxes(booths: readonly Turned[]): (box: BoundingBox) => Turned[] {
  const cells = new Map<string, Turned[]>()
  const keysOf = ({ left, right, bottom, top }: BoundingBox, margin: number) => {
    const keys: string[] = []
    for (let x = Math.floor((left - margin) / CELL); x <= Math.floor((right + margin) / CELL); x++)
      for (let y = Math.floor((bottom - margin) / CELL); y <= Math.floor((top + margin) / CELL); y++) keys.push(`${x} ${y}`)
    return keys
  }
  for (const booth of booths) for (const key of keysOf(booth.box, 0)) cells.set(key, [...(cells.get(key) ?? []), booth])
  return (box) => [...new Set(keysOf(box, TOUCHING).flatMap((key) => cells.get(key) ?? []))].toSorted((a, b) => a.index - b.index)
}
