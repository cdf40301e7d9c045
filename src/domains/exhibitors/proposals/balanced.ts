import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import {
  computeMaxNeighbourScore,
  type AssignmentSearchState,
  areCandidateBoothsFree,
  UNASSIGNED_INDEX,
  assignCandidateBooths,
  removeAssignment,
  scoreCandidate,
} from './assignment-state.ts'
import {
  createBoothSwapGainTable,
  type BoothSwapGainTable,
  fillBoothExchangeGains,
  readApplicantBoothSwapGains,
  readLargestBoothSwapGain,
  updateBoothSwapGainTable,
} from './gain-rows.ts'
import { assignRows } from './linear-assignment.ts'

/** Small bonus for every applicant with a booth, so that booths with the score 0 are better than none. */
const PLACED = 1e-6
/** Minimum increase of the total score for a change to be made. Smaller increases are rounding errors. */
const MIN_GAIN = 1e-9
/** Tolerance for comparing gains of the total score, because the table of gains stores numbers in single precision. */
const ROUNDING = 0.01
const MAX_EVALUATIONS = 200_000
/** Maximum number of changes that are skipped without calculating their scores, because they cannot increase the total score. */
const MAX_SKIPPED = 1_000_000_000
/** Number of changes skipped in this way after which the calculation pauses, so that other requests are served. */
const SKIPPED_PER_STEP = 4096

/** Lists the weight of each applicant's score: 1 + the applicant's points / the most points of any applicant. */
export function listApplicantScoreWeights({ applicants }: Pick<AssignmentSearchState, 'applicants'>): number[] {
  const most = Math.max(0, ...applicants.map(({ points }) => points))
  return applicants.map(({ points }) => 1 + (most === 0 ? 0 : Math.max(0, points) / most))
}

/**
 * Maximizes the sum of weighted scores. Starts from the best assignment that ignores rules about pairs of companies. If such a rule or a
 * shared booth excludes a pair, the applicant with fewer points loses its booths. Then improves the result by changes of one, two or three
 * booths.
 */
export function* placeBalanced(board: AssignmentSearchState): CooperativeTask<void> {
  const factors = listApplicantScoreWeights(board)
  const values = yield* weighScores(board, factors)
  const assigned = yield* assignRows(values, board.candidates.length)
  const search = startSearch(board, factors)
  for (const [applicant, candidate] of assigned.entries()) {
    if (candidate === UNASSIGNED_INDEX || !areCandidateBoothsFree(board, candidate)) continue
    assignCandidateBooths(board, applicant, candidate)
    // Removes the assignment again if it lowers the score of this applicant, or of one assigned before, below the minimum.
    if (Number.isNaN(sumValues(search, [applicant, ...board.dependents[applicant]!]))) removeAssignment(board, applicant)
  }
  yield* improve(search)
}

/** Calculates the weighted score of every candidate (set of booths) before any applicant has a booth; NaN where a rule excludes it. */
function* weighScores(board: AssignmentSearchState, factors: readonly number[]): CooperativeTask<Float64Array[]> {
  const { minScore } = board.problem.rules
  const values: Float64Array[] = []
  for (const [applicant, own] of board.own.entries()) {
    const hasFixedOthers = [...board.near[applicant]!, ...board.rivals[applicant]!].some(({ fixed }) => fixed.length > 0)
    const factor = factors[applicant]!
    const weighted = new Float64Array(own.length)
    for (let candidate = 0; candidate < own.length; candidate++) {
      const score = hasFixedOthers ? scoreCandidate(board, applicant, candidate) : own[candidate]!
      weighted[candidate] = score >= minScore ? factor * score + PLACED : NaN
    }
    values.push(weighted)
    yield
  }
  return values
}

interface Search {
  board: AssignmentSearchState
  factors: readonly number[]
  /** For each applicant, the most that a change of its booth can add to the total score because of its distances to other companies. */
  slack: Float64Array
  evaluated: number
  skipped: number
  /** Number of changes made to the assignment of booths so far. */
  version: number
  gains: BoothSwapGainTable
}

function startSearch(board: AssignmentSearchState, factors: readonly number[]): Search {
  const slack = Float64Array.from(board.applicants, (_, applicant) => {
    if (board.problem.rules.competitors === 'soft' && board.rivals[applicant]!.length > 0) return Infinity
    return [applicant, ...board.dependents[applicant]!].reduce((sum, one) => sum + factors[one]! * computeMaxNeighbourScore(board, one), 0)
  })
  const weights = { board, factors, slack }
  const gains = createBoothSwapGainTable(board, (applicant, candidate) => gainOf(weights, applicant, candidate))
  return { ...weights, gains, evaluated: 0, skipped: 0, version: 0 }
}

/** A possible change of the assignment: one to three applicants, each with its new candidate (set of booths). */
type Change = readonly (readonly [applicant: number, candidate: number])[]

/**
 * Generates the changes that may increase the total score. Yields null from time to time between them, so that other requests are served.
 */
type Changes = Generator<Change | null>

function* improve(search: Search): CooperativeTask<void> {
  for (let improved = true; improved;) {
    improved = false
    for (const list of [listPlacings, listSwaps, listCycles]) {
      for (const change of list(search)) {
        if (search.evaluated >= MAX_EVALUATIONS || search.skipped >= MAX_SKIPPED) return
        if (change !== null && apply(search, change)) {
          improved = true
          search.version++
          updateBoothSwapGainTable(
            search.gains,
            change.map(([applicant]) => applicant),
          )
        }
        yield
      }
    }
  }
}

/**
 * Returns an upper bound for the gain of the total score if an applicant gets another candidate (set of booths). The bound is the change of
 * the applicant's own score without other companies, plus `slack`: the most that distances to other companies can add. NaN if the applicant
 * may not get the candidate. Most changes are skipped without evaluation, because the sum of their bounds is not above zero.
 */
function gainOf({ board, factors, slack }: Pick<Search, 'board' | 'factors' | 'slack'>, applicant: number, candidate: number): number {
  const own = board.own[applicant]!
  const present = board.placedAt[applicant]!
  const factor = factors[applicant]!
  const before = present === UNASSIGNED_INDEX ? 0 : factor * own[present]! + PLACED
  return (candidate === UNASSIGNED_INDEX ? 0 : factor * own[candidate]! + PLACED) - before + slack[applicant]!
}

/** Counts a change that cannot increase the total score. Returns whether it is time to let other requests run. */
const skip = (search: Search) => ++search.skipped % SKIPPED_PER_STEP === 0

/** Lists the changes that give an applicant a free candidate (set of booths): first to applicants without one, then to the others. */
function* listPlacings(search: Search): Changes {
  const { board } = search
  for (const placed of [false, true]) {
    for (let applicant = 0; applicant < board.own.length; applicant++) {
      if ((board.placedAt[applicant] !== UNASSIGNED_INDEX) !== placed) continue
      for (let candidate = 0; candidate < board.candidates.length; candidate++) {
        if (!(gainOf(search, applicant, candidate) > MIN_GAIN) || candidate === board.placedAt[applicant]) {
          if (skip(search)) yield null
        } else if (isOpenTo(board, candidate, applicant)) yield [[applicant, candidate]]
      }
    }
  }
}

function isOpenTo({ candidates, takenBy }: AssignmentSearchState, candidate: number, applicant: number): boolean {
  for (const booth of candidates[candidate]!.parts) if (takenBy[booth] !== UNASSIGNED_INDEX && takenBy[booth] !== applicant) return false
  return true
}

/** Lists the changes in which two applicants exchange their booths; one of the two may have none. */
function* listSwaps(search: Search): Changes {
  const { placedAt } = search.board
  for (let a = 0; a < placedAt.length; a++) {
    for (let b = a + 1; b < placedAt.length; b++) {
      const [atA, atB] = [placedAt[a]!, placedAt[b]!]
      if ((atA === UNASSIGNED_INDEX && atB === UNASSIGNED_INDEX) || !(gainOf(search, a, atB) + gainOf(search, b, atA) > MIN_GAIN)) {
        if (skip(search)) yield null
      } else
        yield [
          [a, atB],
          [b, atA],
        ]
    }
  }
}

/**
 * Lists the changes in which three applicants exchange their candidates, in both directions; one of them may have none. For most pairs no
 * third applicant can gain enough, so its loop is skipped.
 */
function* listCycles(search: Search): Changes {
  const { gains, board } = search
  const { placedAt } = board
  const column = new Float64Array(placedAt.length)
  for (let a = 0; a < placedAt.length; a++) {
    let most = fillBoothExchangeGains(gains, a, column)
    let version = search.version
    for (let b = a + 1; b < placedAt.length; b++) {
      if (placedAt[a] === UNASSIGNED_INDEX && placedAt[b] === UNASSIGNED_INDEX) continue
      let first = gainOf(search, a, placedAt[b]!)
      if (!(first + readLargestBoothSwapGain(gains, b) + most > -ROUNDING)) {
        if (skip(search)) yield null
        continue
      }
      let row = readApplicantBoothSwapGains(gains, b)
      for (let c = a + 1; c < placedAt.length; c++) {
        if (!(first + row[c]! + column[c]! > -ROUNDING) || !canCycle(search, a, b, c)) {
          if (skip(search)) yield null
          continue
        }
        yield [
          [a, placedAt[b]!],
          [b, placedAt[c]!],
          [c, placedAt[a]!],
        ]
        if (version === search.version) continue
        version = search.version
        most = fillBoothExchangeGains(gains, a, column)
        row = readApplicantBoothSwapGains(gains, b)
        first = gainOf(search, a, placedAt[b]!)
      }
    }
  }
}

function canCycle(search: Search, a: number, b: number, c: number): boolean {
  const { placedAt } = search.board
  const placed =
    Number(placedAt[a] !== UNASSIGNED_INDEX) + Number(placedAt[b] !== UNASSIGNED_INDEX) + Number(placedAt[c] !== UNASSIGNED_INDEX)
  if (c === b || placed < 2) return false
  return gainOf(search, a, placedAt[b]!) + gainOf(search, b, placedAt[c]!) + gainOf(search, c, placedAt[a]!) > MIN_GAIN
}

/** Makes a change if the rules allow it and it increases the total score; otherwise restores the previous state. */
function apply(search: Search, change: Change): boolean {
  const { board } = search
  search.evaluated++
  const affected = new Set(change.flatMap(([applicant]) => [applicant, ...board.dependents[applicant]!]))
  const before = sumValues(search, affected)
  const back = change.map(([applicant]) => [applicant, board.placedAt[applicant]!] as const)
  if (rearrange(board, change) && sumValues(search, affected) > before + MIN_GAIN) return true
  rearrange(board, back)
  return false
}

/**
 * Gives applicants their new candidates. Returns false, with some of them changed, if two of the new candidates overlap or another
 * applicant has one of them.
 */
function rearrange(board: AssignmentSearchState, change: Change): boolean {
  for (const [applicant] of change) removeAssignment(board, applicant)
  for (const [applicant, candidate] of change) {
    if (candidate === UNASSIGNED_INDEX) continue
    if (!areCandidateBoothsFree(board, candidate)) return false
    assignCandidateBooths(board, applicant, candidate)
  }
  return true
}

/** Returns the total of the weighted scores; NaN if a rule excludes one of the assignments. */
function sumValues({ board, factors }: Search, applicants: Iterable<number>): number {
  let sum = 0
  for (const applicant of applicants) {
    const candidate = board.placedAt[applicant]!
    if (candidate !== UNASSIGNED_INDEX) sum += factors[applicant]! * scoreCandidate(board, applicant, candidate) + PLACED
  }
  return sum
}
