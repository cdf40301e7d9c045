import { runTaskSynchronously } from '../../src/kernel/cooperative.ts'
import { TENTHS_OF_MM_PER_METRE } from '../../src/domains/exhibitors/floor/plan-shapes.ts'
import type { BoothAssignmentApplicant, BoothAssignmentInputs, ProposalBooth } from '../../src/domains/exhibitors/proposals/problem.ts'
import { solveAssignment } from '../../src/domains/exhibitors/proposals/solve.ts'
import { serveRequests } from '../child.ts'
import { scaleRows } from '../size.ts'

/** Generates pseudo-random numbers between 0 and 1, the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Double rows of booths of 3 × 3 m, ten columns each, with aisles of 3 m. */
function createBooths(count: number, random: () => number): ProposalBooth[] {
  return Array.from({ length: count }, (_, i) => {
    const [block, place] = [Math.floor(i / 20), i % 20]
    const x = (block % 20) * 33 + (place % 10) * 3
    const y = Math.floor(block / 20) * 9 + Math.floor(place / 10) * 3
    const corners = [
      [x, y],
      [x + 3, y],
      [x + 3, y + 3],
      [x, y + 3],
    ] as const
    return {
      id: `booth-${i}`,
      number: String(1000 + i),
      planId: 'hall',
      polygon: corners.map(([px, py]) => [px * TENTHS_OF_MM_PER_METRE, py * TENTHS_OF_MM_PER_METRE] as const),
      area: 9,
      width: 3,
      depth: 3,
      sizeCode: 'small',
      zoneCode: ['north', 'south', 'east', 'west'][block % 4]!,
      type: place % 10 === 0 || place % 10 === 9 ? 'corner' : 'inline',
      quality: Math.floor(random() * 100),
      heldFor: null,
    }
  })
}

/** Applicants rank five booths; some want six metres, neighbours, or distance to competitors. */
function createProblem(method: 'points' | 'balanced', applicantCount: number, boothCount: number): BoothAssignmentInputs {
  const random = randomNumbers(24)
  const pick = (count: number) => Math.floor(random() * count)
  const booths = createBooths(boothCount, random)
  const applicants = Array.from({ length: applicantCount }, (_, i): BoothAssignmentApplicant => ({
    number: `A-${String(i).padStart(6, '0')}`,
    companyId: `company-${i}`,
    points: pick(100),
    submittedAt: new Date(Date.UTC(2026, 8, 1 + pick(30))),
    wanted: {
      sizes: i % 10 === 0 ? ['large'] : ['small'],
      boothNumbers: Array.from({ length: 5 }, () => booths[pick(boothCount)]!.number),
      zoneCodes: i % 3 === 0 ? ['north'] : [],
      near: i % 20 === 0 ? [`company-${pick(applicantCount)}`] : [],
      acceptOther: true,
    },
    lastYear: new Set(),
  }))
  return {
    booths,
    applicants,
    fixed: [],
    competitors: Array.from(
      { length: applicantCount },
      () => [`company-${pick(applicantCount)}`, `company-${pick(applicantCount)}`] as const,
    ),
    sizes: new Map([
      ['small', { width: 3, depth: 3 }],
      ['large', { width: 6, depth: 3 }],
    ]),
    typeOf: () => 'corner',
    rules: {
      method,
      competitors: 'hard',
      competitorDistance: 6,
      allowMerge: true,
      weights: { size: 1, choice: 1, zone: 1, type: 1, lastYear: 1, near: 1, quality: 1, competitor: 1 },
      minScore: 0,
    },
  }
}

const APPLICANTS = scaleRows(1500)
const BOOTHS = scaleRows(2000)

serveRequests({
  time: ({ method, share }: { method: 'points' | 'balanced'; share: number }) => {
    const problem = createProblem(method, Math.ceil(APPLICANTS * share), Math.ceil(BOOTHS * share))
    const start = performance.now()
    const { placed } = runTaskSynchronously(solveAssignment(problem))
    return Promise.resolve({ ms: performance.now() - start, placed: placed.length, applicants: problem.applicants.length })
  },
})
