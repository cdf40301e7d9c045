import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import {
  computeMaxNeighbourScore,
  type AssignmentSearchState,
  areCandidateBoothsFree,
  UNASSIGNED_INDEX,
  assignCandidateBooths,
  scoreCandidate,
} from './assignment-state.ts'
import { computeSurplusArea } from './score.ts'

/** Scores that differ by less than this count as equal, because sums of decimals are inexact. */
const EQUAL = 1e-9

/**
 * Assigns booths to the applicants in the order of their priority points: each gets the best candidate (set of booths) that is still free.
 */
export function* placeByPoints(board: AssignmentSearchState): CooperativeTask<void> {
  const waiting = countListings(board)
  for (const [applicant, { ranks }] of board.applicants.entries()) {
    for (const number of ranks.keys()) waiting.set(number, waiting.get(number)! - 1)
    assignCandidateBooths(board, applicant, findBest(board, applicant, waiting))
    yield
  }
}

/** Counts for each booth the applicants that list it and have not been assigned booths yet. */
function countListings({ applicants }: AssignmentSearchState): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { ranks } of applicants) for (const number of ranks.keys()) counts.set(number, (counts.get(number) ?? 0) + 1)
  return counts
}

function findBest(board: AssignmentSearchState, applicant: number, waiting: ReadonlyMap<string, number>): number {
  const own = board.own[applicant]!
  const slack = computeMaxNeighbourScore(board, applicant)
  let [best, bestScore] = [UNASSIGNED_INDEX, -Infinity]
  for (let candidate = 0; candidate < own.length; candidate++) {
    // Written as a negated comparison, so that it also skips NaN, the score of an excluded candidate.
    if (!(own[candidate]! + slack >= bestScore - EQUAL) || !areCandidateBoothsFree(board, candidate)) continue
    const score = scoreCandidate(board, applicant, candidate)
    if (Number.isNaN(score) || score < bestScore - EQUAL) continue
    if (score > bestScore + EQUAL || isPreferred(board, applicant, waiting, candidate, best)) [best, bestScore] = [candidate, score]
  }
  return best
}

/**
 * Whether a candidate (set of booths) is preferred to another with the same score: fewer later applicants list it, otherwise it exceeds the
 * wanted size by less, otherwise its number is lower.
 */
function isPreferred(
  board: AssignmentSearchState,
  applicant: number,
  waiting: ReadonlyMap<string, number>,
  candidate: number,
  best: number,
): boolean {
  const [one, other] = [board.candidates[candidate]!, board.candidates[best]!]
  const wishes = ({ booths }: typeof one) => booths.reduce((sum, { number }) => sum + (waiting.get(number.toLowerCase()) ?? 0), 0)
  const byWishes = wishes(one) - wishes(other)
  if (byWishes !== 0) return byWishes < 0
  const surplus = (candidateOf: typeof one) => computeSurplusArea(board.problem, board.applicants[applicant]!, candidateOf)
  const bySurplus = surplus(one) - surplus(other)
  if (Math.abs(bySurplus) > EQUAL) return bySurplus < 0
  return compareBoothNumbers(one.booths[0]!.number, other.booths[0]!.number) < 0
}
