import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { listApplicantScoreWeights, placeBalanced } from './balanced.ts'
import {
  type AssignmentSearchState,
  createAssignmentState,
  listNearbyCompetitors,
  UNASSIGNED_INDEX,
  computeNeighbourScoreParts,
} from './assignment-state.ts'
import { placeByPoints } from './by-points.ts'
import type { PlacedApplicant, BoothAssignmentInputs, ScoreContribution, UnplacedApplicant, AssignmentSolution } from './problem.ts'
import { findExclusionReason, listBoothScoreContributions, findPreferenceRank, sumScoreContributions } from './score.ts'

/** Proposes which application gets which booths (§ 4.3 of the specification). */
export function* solveAssignment(problem: BoothAssignmentInputs): CooperativeTask<AssignmentSolution> {
  const board = yield* createAssignmentState(problem)
  yield* problem.rules.method === 'points' ? placeByPoints(board) : placeBalanced(board)
  const factors = listApplicantScoreWeights(board)
  const placed: PlacedApplicant[] = []
  const unplaced: UnplacedApplicant[] = []
  let weightedScore = 0
  for (const [applicant, candidate] of board.placedAt.entries()) {
    if (candidate === UNASSIGNED_INDEX) unplaced.push(explainRefusal(board, applicant))
    else {
      const placement = describePlacement(board, applicant, candidate)
      placed.push(placement)
      weightedScore += factors[applicant]! * placement.score
    }
    yield
  }
  const score = toTenthsOfPoints(placed.reduce((sum, one) => sum + one.score, 0))
  return { placed, unplaced, competitorViolations: countViolations(board), score, weightedScore: toTenthsOfPoints(weightedScore) }
}

const toTenthsOfPoints = (score: number) => Math.round(score * 10) / 10

/**
 * Describes the score of an assignment with its reasons. Called when the proposal is finished, because neighbours that were placed later
 * also count.
 */
function describePlacement(board: AssignmentSearchState, applicant: number, candidate: number): PlacedApplicant {
  const { problem, applicants, candidates } = board
  const own = applicants[applicant]!
  const at = candidates[candidate]!
  const others = computeNeighbourScoreParts(board, applicant, candidate) ?? { near: 0, competitor: 0 }
  const reasons: ScoreContribution[] = [
    ...listBoothScoreContributions(problem, own, at),
    ...(['near', 'competitor'] as const).flatMap((part) => (others[part] === 0 ? [] : [{ part, points: others[part] }])),
  ]
  return {
    applicant: own,
    booths: at.booths,
    score: toTenthsOfPoints(sumScoreContributions(reasons)),
    rank: findPreferenceRank(own, at),
    reasons: reasons.map(({ part, points }) => ({ part, points: toTenthsOfPoints(points) })),
  }
}

const MAX_REFUSED = 3

/** Explains why an applicant got no booth, with the booths for which it has the highest scores. */
function explainRefusal(board: AssignmentSearchState, applicant: number): UnplacedApplicant {
  const { problem, applicants, candidates } = board
  const own = applicants[applicant]!
  const singles = candidates.flatMap(({ booths: [booth, ...rest] }, index) => (rest.length === 0 ? [{ booth: booth!, index }] : []))
  const refused = singles
    .map(({ booth, index }) => ({
      booth,
      index,
      score: sumScoreContributions(listBoothScoreContributions(problem, own, candidates[index]!)),
    }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, MAX_REFUSED)
    .map(({ booth, index }) => ({ booth: booth.number, why: explainCandidate(board, applicant, index).text }))
  return { applicant: own, reason: summarize(board, applicant), bestRefused: refused }
}

interface Why {
  cause: 'wish' | 'taken' | 'competitor' | 'score'
  text: string
}

function explainCandidate(board: AssignmentSearchState, applicant: number, candidate: number): Why {
  const { problem, applicants, candidates } = board
  const { competitors, competitorDistance, minScore } = problem.rules
  const refusal = findExclusionReason(problem, applicants[applicant]!, candidates[candidate]!)
  if (refusal !== null) return { cause: 'wish', text: refusal }
  const taken = candidates[candidate]!.parts.map((booth) => board.takenBy[booth]!).find((other) => other !== UNASSIGNED_INDEX)
  if (taken !== undefined) return { cause: 'taken', text: `Proposed for ${applicants[taken]!.number}` }
  if (competitors === 'hard' && listNearbyCompetitors(board, applicant, candidate).length > 0)
    return { cause: 'competitor', text: `Less than ${competitorDistance} m from a competitor` }
  return { cause: 'score', text: `Score below ${minScore}` }
}

function summarize(board: AssignmentSearchState, applicant: number): string {
  const causes = new Set(board.candidates.map((_, candidate) => explainCandidate(board, applicant, candidate).cause))
  if (causes.has('competitor')) return 'The suitable booths that are free are too close to a competitor'
  if (causes.has('score')) return 'The suitable booths that are free have a score below the minimum'
  return causes.has('taken') ? 'All suitable booths are proposed for other applications' : 'No booth meets the wishes of this application'
}

/** Counts the pairs of competitors that are too close, each once. */
function countViolations(board: AssignmentSearchState): number {
  const pairs = new Set<string>()
  for (const [applicant, candidate] of board.placedAt.entries()) {
    if (candidate === UNASSIGNED_INDEX) continue
    const { companyId } = board.applicants[applicant]!
    for (const rival of listNearbyCompetitors(board, applicant, candidate)) pairs.add([companyId, rival.companyId].toSorted().join(' '))
  }
  return pairs.size
}
