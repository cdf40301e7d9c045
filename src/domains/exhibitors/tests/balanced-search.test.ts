import { describe, expect, it } from 'vitest'
import { buildRectangle } from '../../../../test/support/companies.ts'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { TENTHS_OF_MM_PER_METRE } from '../floor/plan-shapes.ts'
import { listApplicantScoreWeights, placeBalanced } from '../proposals/balanced.ts'
import {
  type AssignmentSearchState,
  createAssignmentState,
  areCandidateBoothsFree,
  UNASSIGNED_INDEX,
  assignCandidateBooths,
  removeAssignment,
  scoreCandidate,
} from '../proposals/assignment-state.ts'
import type { BoothAssignmentInputs } from '../proposals/problem.ts'
import { solveAssignment } from '../proposals/solve.ts'

function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Creates a problem with two rows of booths: applicants with few wishes, neighbours they want and competitors they avoid, and many equal
 * scores.
 */
function createProblem(seed: number, competitors: 'hard' | 'soft'): BoothAssignmentInputs {
  const random = randomNumbers(seed)
  const pick = (count: number) => Math.floor(random() * count)
  const booths = Array.from({ length: 12 }, (_, i) => ({
    id: `id-${i}`,
    number: String(101 + i),
    planId: 'hall',
    polygon: buildRectangle(3 * (i % 6), 6 * Math.floor(i / 6), 3, 3).map(
      ([x, y]) => [x * TENTHS_OF_MM_PER_METRE, y * TENTHS_OF_MM_PER_METRE] as const,
    ),
    area: 9,
    width: 3,
    depth: 3,
    sizeCode: 's3',
    zoneCode: null,
    type: 'inline',
    quality: 10 * pick(4),
    heldFor: null,
  }))
  const applicants = Array.from({ length: 10 }, (_, i) => ({
    number: `A-${i}`,
    companyId: String(i),
    points: 10 * pick(4),
    submittedAt: new Date(Date.UTC(2026, 8, 1 + i)),
    wanted: {
      sizes: ['s3'],
      boothNumbers: Array.from({ length: pick(3) }, () => String(101 + pick(12))),
      near: random() < 0.3 ? [String(pick(10))] : [],
      acceptOther: true,
    },
    lastYear: new Set<string>(),
  }))
  return {
    booths,
    applicants,
    fixed: [],
    competitors: Array.from({ length: 6 }, () => [String(pick(10)), String(pick(10))] as const),
    sizes: new Map([['s3', { width: 3, depth: 3 }]]),
    typeOf: () => 'inline',
    rules: {
      method: 'balanced',
      competitors,
      competitorDistance: 6,
      allowMerge: true,
      weights: { size: 1, choice: 1, zone: 1, type: 1, lastYear: 1, near: 1, quality: 1, competitor: 1 },
      minScore: 0,
    },
  }
}

/** Returns the sum of weighted scores of all applicants; NaN if a rule excludes an assignment. Each assignment adds a small bonus. */
function sumOf(board: AssignmentSearchState): number {
  const factors = listApplicantScoreWeights(board)
  return [...board.placedAt].reduce(
    (sum, candidate, applicant) =>
      candidate === UNASSIGNED_INDEX ? sum : sum + factors[applicant]! * scoreCandidate(board, applicant, candidate) + 1e-6,
    0,
  )
}

/** Returns the sum after a change, or NaN if the change is not allowed. The change is reverted. */
function sumAfter(board: AssignmentSearchState, change: readonly (readonly [number, number])[]): number {
  const before = change.map(([applicant]) => [applicant, board.placedAt[applicant]!] as const)
  const move = (places: readonly (readonly [number, number])[]) => {
    for (const [applicant] of places) removeAssignment(board, applicant)
    return places.every(([applicant, candidate]) => {
      if (candidate !== UNASSIGNED_INDEX && !areCandidateBoothsFree(board, candidate)) return false
      assignCandidateBooths(board, applicant, candidate)
      return true
    })
  }
  const sum = move(change) ? sumOf(board) : NaN
  move(before)
  return sum
}

/** Lists every change of one assignment, and every exchange of two or three. */
function* listAllChanges({ placedAt, candidates }: AssignmentSearchState): Generator<(readonly [number, number])[]> {
  for (const [a, atA] of placedAt.entries()) {
    for (const candidate of candidates.keys()) yield [[a, candidate]]
    for (const [b, atB] of placedAt.entries()) {
      if (b === a) continue
      yield [
        [a, atB],
        [b, atA],
      ]
      for (const [c, atC] of placedAt.entries())
        if (c !== a && c !== b)
          yield [
            [a, atB],
            [b, atC],
            [c, atA],
          ]
    }
  }
}

describe('placeBalanced', () => {
  it.each(['hard', 'soft'] as const)(
    'finds booth proposals that no change of up to three booths improves, with %s rules for competitors',
    (competitors) => {
      for (let seed = 1; seed <= 30; seed++) {
        const board = runTaskSynchronously(createAssignmentState(createProblem(seed, competitors)))
        runTaskSynchronously(placeBalanced(board))
        const found = sumOf(board)
        expect(found).not.toBeNaN()
        expect([...listAllChanges(board)].find((change) => sumAfter(board, change) > found + 1e-6)).toBeUndefined()
        expect(sumOf(board)).toBeCloseTo(found, 9)
      }
    },
  )

  it('proposes the same booths for the same applications in any order', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const problem = createProblem(seed, 'hard')
      const placesOf = (one: BoothAssignmentInputs) =>
        runTaskSynchronously(solveAssignment(one)).placed.map(
          ({ applicant, booths }) => `${applicant.number} ${booths.map(({ number }) => number).join('+')}`,
        )
      expect(placesOf({ ...problem, applicants: problem.applicants.toReversed() })).toEqual(placesOf(problem))
    }
  })
})
