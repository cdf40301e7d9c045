import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { measureBoxDistance, type PolygonWithBoundingBox, measureShapeDistance, toPolygonWithBoundingBox } from '../floor/distance.ts'
import { TENTHS_OF_MM_PER_METRE } from '../floor/plan-shapes.ts'
import { compareByPriorityPoints } from '../points/calculate.ts'
import { type BoothCandidate, listCandidates } from './candidates.ts'
import type { BoothAssignmentInputs, ProposalBooth } from './problem.ts'
import {
  findExclusionReason,
  listBoothScoreContributions,
  type RankedApplicant,
  sumScoreContributions,
  toRankedApplicant,
} from './score.ts'

/**
 * Another company whose booth influences the score of an applicant: the booths that it already has, and its applications in this proposal.
 */
interface Other {
  companyId: string
  applicants: readonly number[]
  fixed: readonly Place[]
}

interface Place {
  planId: string
  shape: PolygonWithBoundingBox
}

/** State of the search for a proposal: which applicant has which candidate (a set of booths). Applicants are sorted by priority points. */
export interface AssignmentSearchState {
  problem: BoothAssignmentInputs
  applicants: readonly RankedApplicant[]
  candidates: readonly BoothCandidate[]
  /**
   * For each applicant, the score of each candidate (set of booths), without parts that depend on other companies; NaN where a hard rule
   * excludes it.
   */
  own: readonly Float64Array[]
  near: readonly (readonly Other[])[]
  rivals: readonly (readonly Other[])[]
  /** For each applicant, the applicants whose score depends on where its booth is. */
  dependents: readonly (readonly number[])[]
  /** For each booth, the index of the applicant that has the booth, or UNASSIGNED_INDEX. */
  takenBy: Int32Array
  /** For each applicant, the index of the candidate (set of booths) that the applicant has, or UNASSIGNED_INDEX. */
  placedAt: Int32Array
}

export const UNASSIGNED_INDEX = -1

export function* createAssignmentState(problem: BoothAssignmentInputs): CooperativeTask<AssignmentSearchState> {
  const applicants = problem.applicants.toSorted(compareByPriorityPoints).map(toRankedApplicant)
  const candidates = yield* listCandidates(problem)
  const own = yield* scoreCandidates(problem, applicants, candidates)
  const { near, rivals, dependents } = relate(problem, applicants)
  return {
    problem,
    applicants,
    candidates,
    own,
    near,
    rivals,
    dependents,
    takenBy: new Int32Array(problem.booths.length).fill(UNASSIGNED_INDEX),
    placedAt: new Int32Array(applicants.length).fill(UNASSIGNED_INDEX),
  }
}

/**
 * Scores all candidates (sets of booths) for all applicants. Applicants who ask for the same sizes, zones and types share their scores,
 * except for candidates with booths that an applicant lists, had before, or that are held.
 */
function* scoreCandidates(
  problem: BoothAssignmentInputs,
  applicants: readonly RankedApplicant[],
  candidates: readonly BoothCandidate[],
): CooperativeTask<Float64Array[]> {
  const score = (applicant: RankedApplicant, candidate: BoothCandidate) =>
    findExclusionReason(problem, applicant, candidate) === null
      ? sumScoreContributions(listBoothScoreContributions(problem, applicant, candidate))
      : NaN
  const withBooth = (key: (booth: ProposalBooth) => string) => {
    const found = new Map<string, number[]>()
    for (const [index, { booths }] of candidates.entries())
      for (const booth of booths) found.set(key(booth), [...(found.get(key(booth)) ?? []), index])
    return found
  }
  const [byNumber, byId] = [withBooth(({ number }) => number.toLowerCase()), withBooth(({ id }) => id)]
  const held = candidates.flatMap(({ booths }, index) => (booths.some(({ heldFor }) => heldFor !== null) ? [index] : []))
  const common = new Map<string, Float64Array>()
  const rows: Float64Array[] = []
  for (const applicant of applicants) {
    const wanted = { ...applicant.wanted, boothNumbers: [], near: [], awayFrom: [] }
    const key = JSON.stringify(wanted)
    const shared =
      common.get(key) ?? Float64Array.from(candidates, (one) => score({ ...applicant, wanted, ranks: new Map(), lastYear: new Set() }, one))
    common.set(key, shared)
    const own = !wanted.acceptOther && applicant.ranks.size > 0 ? new Float64Array(candidates.length).fill(NaN) : shared.slice()
    const special = [
      ...[...applicant.ranks.keys()].map((number) => byNumber.get(number)),
      ...[...applicant.lastYear].map((id) => byId.get(id)),
      held,
    ]
    for (const index of special.flatMap((indexes) => indexes ?? [])) own[index] = score(applicant, candidates[index]!)
    rows.push(own)
    yield
  }
  return rows
}

/**
 * Finds the companies that each applicant wants to be near, and those that it must not be near. If a company names another one to keep away
 * from, the rule applies to both.
 */
function relate(
  problem: BoothAssignmentInputs,
  applicants: readonly RankedApplicant[],
): Pick<AssignmentSearchState, 'near' | 'rivals' | 'dependents'> {
  const indexes = new Map<string, number[]>()
  for (const [i, { companyId }] of applicants.entries()) indexes.set(companyId, [...(indexes.get(companyId) ?? []), i])
  const places = new Map<string, Place[]>()
  for (const { companyId, planId, polygon } of problem.fixed)
    places.set(companyId, [...(places.get(companyId) ?? []), { planId, shape: toPolygonWithBoundingBox(polygon) }])
  const rivalsOf = new Map<string, Set<string>>()
  const addRivals = (a: string, b: string) => {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const)
      rivalsOf.set(one, (rivalsOf.get(one) ?? new Set()).add(other))
  }
  for (const [a, b] of problem.competitors) addRivals(a, b)
  for (const { companyId, wanted } of applicants) for (const other of wanted.awayFrom ?? []) addRivals(companyId, other)
  const toOthers = (companyId: string, others: Iterable<string>): Other[] =>
    [...new Set(others)].flatMap((other) => {
      const [own, fixed] = [indexes.get(other) ?? [], places.get(other) ?? []]
      return other === companyId || (own.length === 0 && fixed.length === 0) ? [] : [{ companyId: other, applicants: own, fixed }]
    })
  const near = applicants.map(({ companyId, wanted }) => toOthers(companyId, wanted.near ?? []))
  const rivals = applicants.map(({ companyId }) => toOthers(companyId, rivalsOf.get(companyId) ?? []))
  const dependents = applicants.map((): number[] => [])
  for (const [i] of applicants.entries())
    for (const other of new Set([...near[i]!, ...rivals[i]!].flatMap((one) => one.applicants))) dependents[other]!.push(i)
  return { near, rivals, dependents }
}

const NEAR_DISTANCE_M = 15
const PER_NEIGHBOUR = 50
const MAX_NEAR = 100
const COMPETITOR_PENALTY = 200

/** Returns the most points that booths near wanted neighbours can add to the score of an applicant. */
export const computeMaxNeighbourScore = ({ near, problem }: AssignmentSearchState, applicant: number) =>
  near[applicant]!.length === 0 ? 0 : Math.max(0, MAX_NEAR * problem.rules.weights.near)

/** Returns the distance in metres from a booth to the nearest booth of another company; Infinity beyond `limit` or on another plan. */
function distanceTo(board: AssignmentSearchState, place: Place, { applicants, fixed }: Other, limit: number): number {
  let nearest = Infinity
  for (const other of fixed) nearest = Math.min(nearest, distanceWithin(place, other, limit))
  for (const other of applicants)
    if (board.placedAt[other] !== UNASSIGNED_INDEX)
      nearest = Math.min(nearest, distanceWithin(place, board.candidates[board.placedAt[other]!]!, limit))
  return nearest
}

/** Returns the distance between two booths in metres; Infinity if it exceeds the limit or they are on different plans. */
function distanceWithin(one: Place, other: Place, limit: number): number {
  if (one.planId !== other.planId || measureBoxDistance(one.shape.box, other.shape.box) > limit * TENTHS_OF_MM_PER_METRE) return Infinity
  const distance = measureShapeDistance(one.shape, other.shape) / TENTHS_OF_MM_PER_METRE
  return distance <= limit ? distance : Infinity
}

/** Lists the competitors that would be too close to an applicant if it got this candidate (set of booths). */
export function listNearbyCompetitors(
  board: AssignmentSearchState,
  applicant: number,
  candidate: number,
): { companyId: string; distance: number }[] {
  const limit = board.problem.rules.competitorDistance
  return board.rivals[applicant]!.flatMap((other) => {
    const distance = distanceTo(board, board.candidates[candidate]!, other, limit)
    return distance < limit ? [{ companyId: other.companyId, distance }] : []
  })
}

/**
 * Returns the parts of a score that depend on the booths of other companies; null if a competitor is too close and the rule forbids that.
 */
export function computeNeighbourScoreParts(
  board: AssignmentSearchState,
  applicant: number,
  candidate: number,
): { near: number; competitor: number } | null {
  const { weights, competitors, competitorDistance } = board.problem.rules
  let close = 0
  for (const other of board.near[applicant]!)
    if (distanceTo(board, board.candidates[candidate]!, other, NEAR_DISTANCE_M) < Infinity) close++
  const near = weights.near * Math.min(MAX_NEAR, PER_NEIGHBOUR * close)
  if (competitors === 'off' || board.rivals[applicant]!.length === 0) return { near, competitor: 0 }
  const rivals = listNearbyCompetitors(board, applicant, candidate)
  if (competitors === 'hard') return rivals.length === 0 ? { near, competitor: 0 } : null
  const penalty = rivals.reduce((sum, { distance }) => sum + COMPETITOR_PENALTY * (1 - distance / competitorDistance), 0)
  return { near, competitor: penalty === 0 ? 0 : -weights.competitor * penalty }
}

/**
 * Returns the whole score of a candidate, given the current candidates of other applicants; NaN where a hard rule or the minimum score
 * excludes it.
 */
export function scoreCandidate(board: AssignmentSearchState, applicant: number, candidate: number): number {
  const own = board.own[applicant]![candidate]!
  if (Number.isNaN(own)) return NaN
  let score = own
  if (board.near[applicant]!.length > 0 || board.rivals[applicant]!.length > 0) {
    const others = computeNeighbourScoreParts(board, applicant, candidate)
    if (others === null) return NaN
    score += others.near + others.competitor
  }
  return score >= board.problem.rules.minScore ? score : NaN
}

export const areCandidateBoothsFree = ({ candidates, takenBy }: AssignmentSearchState, candidate: number) =>
  candidates[candidate]!.parts.every((booth) => takenBy[booth] === UNASSIGNED_INDEX)

export function assignCandidateBooths(board: AssignmentSearchState, applicant: number, candidate: number): void {
  removeAssignment(board, applicant)
  if (candidate === UNASSIGNED_INDEX) return
  board.placedAt[applicant] = candidate
  for (const booth of board.candidates[candidate]!.parts) board.takenBy[booth] = applicant
}

export function removeAssignment(board: AssignmentSearchState, applicant: number): void {
  const candidate = board.placedAt[applicant]!
  if (candidate === UNASSIGNED_INDEX) return
  for (const booth of board.candidates[candidate]!.parts) board.takenBy[booth] = UNASSIGNED_INDEX
  board.placedAt[applicant] = UNASSIGNED_INDEX
}
