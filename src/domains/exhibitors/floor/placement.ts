import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { buildSpatialShapeIndex } from './floor-index.ts'
import { type Obstacle, type Outline, type PointOfInterest, type Polygon, TENTHS_OF_MM_PER_METRE } from './plan-shapes.ts'
import { computePolygonArea, computeBoundingBox, computeOverlapArea } from './polygons.ts'

/** Maximum area that booths may overlap: 0.01 m², because drawings are not exact. */
const MAX_OVERLAP_AREA = 0.01 * TENTHS_OF_MM_PER_METRE * TENTHS_OF_MM_PER_METRE

interface PlacedBooth {
  number: string
  polygon: Polygon
}

interface PlacementPlan {
  outline: Outline
  obstacles: readonly Obstacle[]
  pois: readonly PointOfInterest[]
}

/** Why the position of a booth is not allowed. `reason` completes the sentence "Booth 101 …". */
export interface PlacementProblem {
  number: string
  kind: 'outside' | 'obstacle' | 'fireExit' | 'overlap'
  /** What the booth collides with: the id of an obstacle or fire exit, or the number of another booth. */
  with?: string
  reason: string
}

/**
 * Finds the booths of a plan whose position is not allowed. Rule X2 of the specification: a booth lies inside the hall and overlaps no
 * other booth, blocking obstacle or fire exit area by more than 0.01 m². Reports each booth once. With `only`, other booths are not checked
 * themselves; each of the checked booths is compared with all.
 */
export function* findPlacementProblems<B extends PlacedBooth>(
  plan: PlacementPlan,
  booths: readonly B[],
  only?: ReadonlySet<B>,
): CooperativeTask<PlacementProblem[]> {
  const fixed = buildSpatialShapeIndex(listFixed(plan), ({ polygon }) => polygon)
  const others = buildSpatialShapeIndex(
    booths.map((booth, position) => ({ booth, position })),
    ({ booth }) => booth.polygon,
  )
  const places = new Map(booths.map((booth, position) => [booth, position]))
  const problems: PlacementProblem[] = []
  let checked = 0
  for (const booth of only ?? booths) {
    const { number, polygon } = booth
    const box = computeBoundingBox(polygon)
    const outside = computePolygonArea(polygon) - computeOverlapArea(polygon, plan.outline.outer) > MAX_OVERLAP_AREA ? OUTSIDE : null
    // If two booths overlap, the one that is later in the list is reported, unless only the other one is checked.
    const isCompared = (other: B, position: number) => other !== booth && (position < places.get(booth)! || (only && !only.has(other)))
    const problem =
      outside ??
      fixed.find(box).find((one) => overlaps(polygon, one.polygon))?.problem ??
      toOverlap(others.find(box).find((one) => isCompared(one.booth, one.position) && overlaps(polygon, one.booth.polygon))?.booth)
    if (problem) problems.push({ number, ...problem })
    if (++checked % 50 === 0) yield
  }
  return problems
}

type Problem = Omit<PlacementProblem, 'number'>

const OUTSIDE: Problem = { kind: 'outside', reason: 'lies outside the hall' }

const overlaps = (booth: Polygon, other: Polygon) => computeOverlapArea(booth, other) > MAX_OVERLAP_AREA

const toOverlap = (other: PlacedBooth | undefined): Problem | null =>
  other ? { kind: 'overlap', with: other.number, reason: `overlaps booth ${other.number}` } : null

/** The shapes that no booth may overlap, in the order in which they are reported. */
const listFixed = ({ outline, obstacles, pois }: PlacementPlan): { polygon: Polygon; problem: Problem }[] => [
  ...outline.holes.map((polygon) => ({ polygon, problem: OUTSIDE })),
  ...obstacles
    .filter(({ blocksWalking }) => blocksWalking)
    .map(({ id, kind, polygon }) => ({
      polygon,
      problem: { kind: 'obstacle' as const, with: id, reason: `stands on the ${kind} ${id}` },
    })),
  ...pois.flatMap(({ id, kind, polygon }) =>
    kind === 'fireExit' && polygon
      ? [{ polygon, problem: { kind: 'fireExit' as const, with: id, reason: `blocks the emergency exit ${id}` } }]
      : [],
  ),
]

const MAX_NAMED = 100

/** Names booths with their placement problems, such as "booths 115, 116 lie outside the hall; booth 203 overlaps booth 201". */
export function describePlacementProblems(problems: readonly PlacementProblem[]): string {
  const numbers = new Map<string, string[]>()
  for (const { number, reason } of problems.slice(0, MAX_NAMED)) numbers.set(reason, [...(numbers.get(reason) ?? []), number])
  const parts = [...numbers].map(([reason, those]) =>
    those.length === 1 ? `booth ${those[0]} ${reason}` : `booths ${those.join(', ')} ${toPlural(reason)}`,
  )
  return problems.length > MAX_NAMED ? `${parts.join('; ')}; and ${problems.length - MAX_NAMED} more` : parts.join('; ')
}

const toPlural = (reason: string) => reason.replace(/^(lie|stand|block|overlap)s\b/, '$1')
