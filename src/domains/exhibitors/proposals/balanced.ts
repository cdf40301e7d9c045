import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { bestNear, type Board, isFree, NONE, place, remove, scoreOf } from './board.ts'
import { assignRows } from './linear-assignment.ts'

/** Makes a candidate with the score 0 better than none. */
const PLACED = 1e-6
/** Smaller gains are rounding errors. */
const MIN_GAIN = 1e-9
const MAX_EVALUATIONS = 200_000
/** Changes that cannot gain are skipped before they are evaluated; their number is limited too. */
const MAX_SKIPPED = 20_000_000

/** How much an applicant's score counts: 1 + points / most points. */
export function listFactors({ applicants }: Pick<Board, 'applicants'>): number[] {
  const most = Math.max(0, ...applicants.map(({ points }) => points))
  return applicants.map(({ points }) => 1 + (most === 0 ? 0 : Math.max(0, points) / most))
}

/**
 * Maximizes the sum of weighted scores: the best assignment without rules about pairs, without the lower of two applicants that such a
 * rule or a shared booth excludes, improved by changes of one, two or three places.
 */
export function* placeBalanced(board: Board): CooperativeTask<void> {
  const factors = listFactors(board)
  const values: Float64Array[] = []
  for (const [applicant, own] of board.own.entries()) {
    values.push(own.map((_, candidate) => factors[applicant]! * scoreOf(board, applicant, candidate) + PLACED))
    yield
  }
  const assigned = yield* assignRows(values, board.candidates.length)
  for (const [applicant, candidate] of assigned.entries())
    if (candidate !== NONE && isFree(board, candidate) && !Number.isNaN(scoreOf(board, applicant, candidate)))
      place(board, applicant, candidate)
  yield* improve({ board, factors, evaluated: 0, skipped: 0 })
}

interface Search {
  board: Board
  factors: readonly number[]
  evaluated: number
  skipped: number
}

/** New places of some applicants. */
type Change = readonly (readonly [applicant: number, candidate: number])[]

function* improve(search: Search): CooperativeTask<void> {
  for (let improved = true; improved;) {
    improved = false
    for (const list of [listPlacings, listSwaps, listCycles]) {
      for (const change of list(search)) {
        if (search.evaluated >= MAX_EVALUATIONS || search.skipped >= MAX_SKIPPED) return
        if (!canGain(search, change)) {
          search.skipped++
          continue
        }
        if (apply(search, change)) improved = true
        yield
      }
    }
  }
}

/** Each applicant to each free candidate: those without a place first, then moves. */
function* listPlacings({ board }: Search): Generator<Change> {
  for (const placed of [false, true]) {
    for (const [applicant, own] of board.own.entries()) {
      if ((board.placedAt[applicant] !== NONE) !== placed) continue
      for (let candidate = 0; candidate < own.length; candidate++) {
        if (Number.isNaN(own[candidate]!) || candidate === board.placedAt[applicant]) continue
        if (board.candidates[candidate]!.parts.every((booth) => isOpenTo(board, booth, applicant))) yield [[applicant, candidate]]
      }
    }
  }
}

const isOpenTo = ({ takenBy }: Board, booth: number, applicant: number) => takenBy[booth] === NONE || takenBy[booth] === applicant

const isAllowed = ({ own }: Board, applicant: number, candidate: number) => !Number.isNaN(own[applicant]![candidate]!)

/** Two applicants exchange their places; one of them may have none. */
function* listSwaps({ board }: Search): Generator<Change> {
  const { placedAt } = board
  for (let a = 0; a < placedAt.length; a++) {
    for (let b = a + 1; b < placedAt.length; b++) {
      const [atA, atB] = [placedAt[a]!, placedAt[b]!]
      if (atA === NONE ? atB === NONE : atB !== NONE && !isAllowed(board, a, atB)) continue
      if ((atB === NONE || isAllowed(board, a, atB)) && (atA === NONE || isAllowed(board, b, atA)))
        yield [
          [a, atB],
          [b, atA],
        ]
    }
  }
}

/** Three applicants exchange their places, in both directions. */
function* listCycles({ board }: Search): Generator<Change> {
  const { placedAt } = board
  for (let a = 0; a < placedAt.length; a++) {
    for (let b = a + 1; b < placedAt.length; b++) {
      for (let c = a + 1; c < placedAt.length; c++) {
        if (c === b) continue
        const [atA, atB, atC] = [placedAt[a]!, placedAt[b]!, placedAt[c]!]
        if (atA === NONE || atB === NONE || !isAllowed(board, a, atB)) continue
        if ((atC === NONE || isAllowed(board, b, atC)) && isAllowed(board, c, atA))
          yield [
            [a, atB],
            [b, atC],
            [c, atA],
          ]
      }
    }
  }
}

/**
 * Whether a change could gain. The gain is estimated without other companies, and as if all wishes for neighbours came true, so most
 * changes need no evaluation.
 */
function canGain({ board, factors }: Search, change: Change): boolean {
  let gain = 0
  for (const [applicant, candidate] of change) {
    if (board.problem.rules.competitors === 'soft' && board.rivals[applicant]!.length > 0) return true
    const value = (at: number) => (at === NONE ? 0 : factors[applicant]! * board.own[applicant]![at]! + PLACED)
    gain += value(candidate) - value(board.placedAt[applicant]!) + factors[applicant]! * bestNear(board, applicant)
    for (const other of board.dependents[applicant]!) gain += factors[other]! * bestNear(board, other)
  }
  return gain > MIN_GAIN
}

/** Makes a change if it is allowed and increases the sum; otherwise everything stays as it was. */
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

/** Returns false, with some places changed, if two of the new places overlap or another applicant has one of them. */
function rearrange(board: Board, change: Change): boolean {
  for (const [applicant] of change) remove(board, applicant)
  for (const [applicant, candidate] of change) {
    if (candidate === NONE) continue
    if (!isFree(board, candidate)) return false
    place(board, applicant, candidate)
  }
  return true
}

/** The sum of weighted scores; NaN if a rule refuses one of the places. */
function sumValues({ board, factors }: Search, applicants: Iterable<number>): number {
  let sum = 0
  for (const applicant of applicants) {
    const candidate = board.placedAt[applicant]!
    if (candidate !== NONE) sum += factors[applicant]! * scoreOf(board, applicant, candidate) + PLACED
  }
  return sum
}
