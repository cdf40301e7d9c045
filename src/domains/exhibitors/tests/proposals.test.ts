import { describe, expect, it } from 'vitest'
import { buildRectangle } from '../../../../test/support/companies.ts'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { toPolygonWithBoundingBox, measureShapeDistance } from '../floor/distance.ts'
import { TENTHS_OF_MM_PER_METRE } from '../floor/plan-shapes.ts'
import { assignRows } from '../proposals/linear-assignment.ts'
import type { BoothAssignmentApplicant, BoothAssignmentInputs, ProposalBooth, BoothAssignmentRules } from '../proposals/problem.ts'
import { solveAssignment } from '../proposals/solve.ts'
import type { BoothPreferences } from '../tables.ts'

/** A linear congruential generator: the same numbers in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const booth = (number: string, x: number, more: Partial<ProposalBooth> & { y?: number; w?: number; d?: number } = {}): ProposalBooth => {
  const { y = 0, w = 3, d = 3, ...rest } = more
  return {
    id: `id-${number}`,
    number,
    planId: 'hall',
    polygon: buildRectangle(x, y, w, d).map(([px, py]) => [px * TENTHS_OF_MM_PER_METRE, py * TENTHS_OF_MM_PER_METRE] as const),
    area: w * d,
    width: w,
    depth: d,
    sizeCode: w === 3 && d === 3 ? 's3' : null,
    zoneCode: null,
    type: 'inline',
    quality: 50,
    heldFor: null,
    ...rest,
  }
}

const applicant = (name: string, points: number, wanted: Partial<BoothPreferences> = {}, day = 10): BoothAssignmentApplicant => ({
  number: `A-${name}`,
  companyId: name,
  points,
  submittedAt: new Date(Date.UTC(2026, 8, day)),
  wanted: { sizes: ['s3'], boothNumbers: [], acceptOther: true, ...wanted },
  lastYear: new Set(),
})

const RULES: BoothAssignmentRules = {
  method: 'points',
  competitors: 'hard',
  competitorDistance: 6,
  allowMerge: true,
  weights: { size: 1, choice: 1, zone: 1, type: 1, lastYear: 1, near: 1, quality: 0, competitor: 1 },
  minScore: 0,
}

const problemOf = (
  booths: ProposalBooth[],
  applicants: BoothAssignmentApplicant[],
  rules: Partial<BoothAssignmentRules> = {},
  more: Partial<BoothAssignmentInputs> = {},
): BoothAssignmentInputs => ({
  booths,
  applicants,
  fixed: [],
  competitors: [],
  sizes: new Map([
    ['s3', { width: 3, depth: 3 }],
    ['s6', { width: 6, depth: 3 }],
  ]),
  typeOf: () => 'peninsula',
  rules: { ...RULES, ...rules },
  ...more,
})

const run = (problem: BoothAssignmentInputs) => {
  const solution = runTaskSynchronously(solveAssignment(problem))
  const places = Object.fromEntries(
    solution.placed.map(({ applicant: { companyId }, booths }) => [companyId, booths.map(({ number }) => number).join('+')]),
  )
  const scores = Object.fromEntries(solution.placed.map(({ applicant: { companyId }, score }) => [companyId, score]))
  return { ...solution, places, scores }
}

/** Vector 1 of the specification: four booths side by side, of which the first and last are corners. */
const ROW = [booth('101', 0, { type: 'corner' }), booth('103', 3), booth('105', 6), booth('107', 9, { type: 'corner' })]
const FOUR = [
  applicant('B', 60, { boothNumbers: ['101', '105'] }, 12),
  applicant('D', 20, { type: 'corner' }),
  applicant('A', 74, { boothNumbers: ['101', '103'] }),
  applicant('C', 60, { boothNumbers: ['105'] }, 11),
]

describe('solveAssignment by points', () => {
  it('assigns the booths of test vector 1 of the specification: A 101, C 105, B 107, D 103, 1,400 points', () => {
    const found = run(problemOf(ROW, FOUR, {}, { competitors: [['A', 'B']] }))
    expect(found.places).toEqual({ A: '101', C: '105', B: '107', D: '103' })
    expect(found.scores).toEqual({ A: 550, C: 550, B: 150, D: 150 })
    expect(found).toMatchObject({ score: 1400, competitorViolations: 0, unplaced: [] })
    expect(found.placed.map(({ rank }) => rank)).toEqual([1, 1, null, null])
    expect(found.placed[0]!.reasons).toEqual([
      { part: 'size', points: 150 },
      { part: 'choice', points: 400 },
    ])
  })

  it('places competitors next to each other if the rule about competitors is off, and counts the pair as a violation', () => {
    const found = run(problemOf(ROW.slice(0, 2), [FOUR[2]!, FOUR[0]!], { competitors: 'off' }, { competitors: [['B', 'A']] }))
    expect(found.places).toEqual({ A: '101', B: '103' })
    expect(found.competitorViolations).toBe(1)
  })

  it('names the rule that excluded the best booths of an application without a booth', () => {
    const found = run(problemOf(ROW.slice(0, 2), [FOUR[2]!, FOUR[0]!, applicant('E', 1)], {}, { competitors: [['A', 'B']] }))
    expect(found.places).toEqual({ A: '101', E: '103' })
    expect(found.unplaced).toMatchObject([
      {
        reason: 'All suitable booths are proposed for other applications',
        bestRefused: [
          { booth: '101', why: 'Proposed for A-A' },
          { booth: '103', why: 'Proposed for A-E' },
        ],
      },
    ])
    const alone = run(problemOf(ROW.slice(0, 2), [FOUR[2]!, FOUR[0]!], {}, { competitors: [['A', 'B']] }))
    expect(alone.unplaced).toMatchObject([
      {
        reason: 'The suitable booths that are free are too close to a competitor',
        bestRefused: [{}, { booth: '103', why: 'Less than 6 m from a competitor' }],
      },
    ])
  })

  it('keeps the distance to booths that competitors already have, and to a company whose awayFrom names the applicant', () => {
    const fixed = [{ companyId: 'Z', planId: 'hall', polygon: booth('109', 12).polygon }]
    const away = run(problemOf(ROW, [applicant('A', 1, { boothNumbers: ['107'], awayFrom: ['Z'] })], {}, { fixed }))
    expect(away.places.A).not.toBe('107')
    const mutual = run(
      problemOf(ROW, [applicant('A', 9, { boothNumbers: ['101'], awayFrom: ['B'] }), applicant('B', 1, { boothNumbers: ['103'] })]),
    )
    expect(mutual.places).toEqual({ A: '101', B: '107' })
  })

  it('subtracts up to 200 points, by distance, for a competitor that may be near, and leaves out booths below the minimum score', () => {
    const pair = [applicant('A', 9, { boothNumbers: ['101'] }), applicant('B', 1, { boothNumbers: ['105'] })]
    const soft = run(problemOf(ROW, pair, { competitors: 'soft' }, { competitors: [['A', 'B']] }))
    // Booth 105 is 3 m away from booth 101, so both applicants lose half of the maximum penalty.
    expect(soft.scores).toEqual({ A: 450, B: 450 })
    expect(soft.competitorViolations).toBe(1)
    const strict = run(problemOf(ROW.slice(0, 2), pair, { competitors: 'soft', minScore: 1 }, { competitors: [['A', 'B']] }))
    expect(strict.places).toEqual({ A: '101' })
    expect(strict.unplaced[0]!.bestRefused[1]).toEqual({ booth: '103', why: 'Score below 1' })
  })

  it("adds points for zone, type, last year's booth, neighbours within 15 m, and half of the quality to a booth's score", () => {
    const booths = [booth('201', 0, { zoneCode: 'eu', type: 'corner', quality: 80 }), booth('203', 20), booth('205', 40)]
    const wish = applicant('A', 1, { zoneCodes: ['eu'], type: 'corner', near: ['N', 'M', 'O'] })
    const fixed = ['N', 'M', 'O'].map((companyId) => ({ companyId, planId: 'hall', polygon: booth('x', 18).polygon }))
    const found = run(
      problemOf(booths, [{ ...wish, lastYear: new Set(['id-201']) }], { weights: { ...RULES.weights, quality: 1 } }, { fixed }),
    )
    expect(found.placed[0]!.reasons).toEqual([
      { part: 'size', points: 150 },
      { part: 'zone', points: 100 },
      { part: 'type', points: 100 },
      { part: 'lastYear', points: 100 },
      { part: 'quality', points: 40 },
      { part: 'near', points: 100 },
    ])
  })

  it('prefers the booth that fewer later applicants list, then less surplus area, then the lower number', () => {
    const tie = (booths: ProposalBooth[], later: BoothAssignmentApplicant[] = []) =>
      run(problemOf(booths, [applicant('A', 9), ...later], { allowMerge: false })).places.A
    expect(tie([booth('101', 0), booth('103', 3)], [applicant('B', 1, { boothNumbers: ['101'] })])).toBe('103')
    expect(tie([booth('110', 0), booth('99', 3)])).toBe('99')
    const larger = [booth('101', 0, { w: 3.6, sizeCode: 'odd' }), booth('103', 5, { w: 3.3, sizeCode: 'odd' })]
    expect(tie(larger)).toBe('103')
  })

  it('proposes only booths that holds, area limits and the options zonesOnly and acceptOther of an application allow', () => {
    const booths = [
      booth('101', 0, { zoneCode: 'eu' }),
      booth('103', 3, { heldFor: 'H' }),
      booth('105', 6),
      booth('107', 9, { w: 6, sizeCode: 's6' }),
    ]
    const place = (wanted: Partial<BoothPreferences>, name = 'A') =>
      run(problemOf(booths, [applicant(name, 1, wanted)], { allowMerge: false })).places[name]
    expect(place({ zonesOnly: true, zoneCodes: ['eu'], boothNumbers: ['105'] })).toBe('101')
    expect(place({ zonesOnly: true, zoneCodes: ['us'] })).toBeUndefined()
    expect(place({ boothNumbers: ['103', '105'], acceptOther: false })).toBe('105')
    expect(place({ boothNumbers: ['103'] }, 'H')).toBe('103')
    expect(place({ sizes: ['s6'], acceptOther: false })).toBe('107')
    expect(place({ sizes: [], minArea: 10 })).toBe('107')
    expect(place({ sizes: [], minArea: 10, maxArea: 12 })).toBeUndefined()
  })

  it('merges two to six booths that form a rectangle of a requested size or area', () => {
    const block = [0, 3, 6].flatMap((x, i) => [booth(`${101 + 2 * i}`, x), booth(`${102 + 2 * i}`, x, { y: 3 })])
    const place = (wanted: Partial<BoothPreferences>, rules = {}) => run(problemOf(block, [applicant('A', 1, wanted)], rules))
    expect(place({ sizes: ['s6'] }).placed[0]).toMatchObject({ score: 150, booths: [{ number: '101' }, { number: '102' }] })
    expect(place({ sizes: ['s6'], boothNumbers: ['105'] }).places.A).toMatch('105')
    expect(place({ sizes: ['s6'] }, { allowMerge: false }).scores.A).toBe(50)
    expect(place({ sizes: [], minArea: 27, maxArea: 27 }).places.A).toBe('101+103+105')
    expect(place({ sizes: [], minArea: 54 }).places.A).toBe('101+102+103+104+105+106')
    expect(place({ sizes: ['s6'], type: 'peninsula' }).scores.A).toBe(250)
    // Two applications for six metres use four of the six booths, and none of them twice.
    const both = run(problemOf(block, [applicant('A', 2, { sizes: ['s6'] }), applicant('B', 1, { sizes: ['s6'] })]))
    expect(new Set(`${both.places.A}+${both.places.B}`.split('+')).size).toBe(4)
    const turned = block.map((one) => ({
      ...one,
      polygon: one.polygon.map(([x, y]) => [Math.round(x * 0.8 - y * 0.6), Math.round(x * 0.6 + y * 0.8)] as const),
    }))
    expect(run(problemOf(turned, [applicant('A', 1, { sizes: ['s6'] })])).scores.A).toBe(150)
  })

  it('gives no applicant a booth that scores lower than one left free or given to an applicant with fewer points', () => {
    const random = randomNumbers(7)
    for (let round = 0; round < 40; round++) {
      const { booths, applicants } = randomInstance(random, 6, 8)
      const problem = problemOf(
        booths,
        applicants,
        { allowMerge: false },
        {
          competitors: [
            ['0', '1'],
            ['2', '3'],
          ],
        },
      )
      const placed = run(problem).placed
      for (const [turn, { applicant: own, score }] of placed.entries()) {
        const higher = placed.slice(0, turn)
        const fixed = higher.map(({ applicant: { companyId }, booths: [at] }) => ({ companyId, planId: 'hall', polygon: at!.polygon }))
        const open = booths.filter((one) => !higher.some(({ booths: [at] }) => at!.id === one.id))
        const alternatives = open.map((one) => run({ ...problem, booths: [one], applicants: [own], fixed }).scores[own.companyId] ?? 0)
        expect(Math.max(...alternatives)).toBeLessThanOrEqual(score)
      }
    }
  })
})

function randomInstance(random: () => number, boothCount: number, applicantCount: number) {
  const booths = Array.from({ length: boothCount }, (_, i) => booth(String(101 + i), i * 3, { quality: Math.floor(random() * 100) }))
  const applicants = Array.from({ length: applicantCount }, (_, i) => {
    const boothNumbers = booths.map(({ number }) => number).filter(() => random() < 0.4)
    return applicant(String(i), Math.floor(random() * 50), { boothNumbers, acceptOther: random() < 0.7 }, 1 + i)
  })
  return { booths, applicants }
}

describe('solveAssignment balanced', () => {
  it('assigns the booths of test vector 2 of the specification with a higher total score than by points alone', () => {
    const two = [applicant('A', 74, { boothNumbers: ['101', '103'] }), applicant('B', 60, { boothNumbers: ['101'] })]
    const byPoints = run(problemOf(ROW.slice(0, 2), two))
    expect(byPoints).toMatchObject({ places: { A: '101', B: '103' }, score: 700, weightedScore: 1371.6 })
    const balanced = run(problemOf(ROW.slice(0, 2), two, { method: 'balanced' }))
    expect(balanced).toMatchObject({ places: { A: '103', B: '101' }, score: 1060, weightedScore: 2015.9 })
  })

  it('finds the best of all assignments in 200 random instances of 8 applicants and 8 booths', () => {
    const random = randomNumbers(24)
    for (let round = 0; round < 200; round++) {
      const { booths, applicants } = randomInstance(random, 8, 8)
      const problem = problemOf(booths, applicants, { method: 'balanced', allowMerge: false, weights: { ...RULES.weights, quality: 1 } })
      const most = Math.max(...applicants.map(({ points }) => points))
      const values = applicants.map((one) =>
        booths.map((at) => {
          const score = run({ ...problem, booths: [at], applicants: [one] }).placed[0]?.score
          return score === undefined ? null : (1 + one.points / most) * score
        }),
      )
      const found = run(problem)
      const exact = found.placed.reduce((sum, { applicant: one, score }) => sum + (1 + one.points / most) * score, 0)
      expect(exact).toBeCloseTo(bestSum(values), 6)
    }
  })

  it('proposes no booths that break a hard rule about competitors, and finds the best placement that remains', () => {
    const random = randomNumbers(3)
    for (let round = 0; round < 20; round++) {
      const { booths, applicants } = randomInstance(random, 5, 5)
      const found = run(
        problemOf(
          booths,
          applicants,
          { method: 'balanced' },
          {
            competitors: [
              ['0', '1'],
              ['1', '2'],
            ],
          },
        ),
      )
      expect(found.competitorViolations).toBe(0)
    }
    const pair = [applicant('A', 10, { boothNumbers: ['103'] }), applicant('B', 9, { boothNumbers: ['105'] })]
    // The wanted booths 103 and 105 are too close to each other, so the proposal must give another booth to A or to B.
    const found = run(problemOf([...ROW, booth('109', 12)], pair, { method: 'balanced' }, { competitors: [['A', 'B']] }))
    expect(found.placed).toHaveLength(2)
    expect(found.competitorViolations).toBe(0)
  })

  it('assigns a booth only once if applications for merged and single booths overlap', () => {
    const found = run(
      problemOf(ROW, [applicant('A', 5, { sizes: ['s6'], boothNumbers: ['101'] }), applicant('B', 9, { boothNumbers: ['101'] })], {
        method: 'balanced',
      }),
    )
    const numbers = Object.values(found.places).flatMap((place) => place.split('+'))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(found.placed).toHaveLength(2)
  })
})

/** The largest sum of values over all ways to give each column to at most one row. */
function bestSum(values: readonly (readonly (number | null)[])[]): number {
  let best = new Map([[0, 0]])
  for (const row of values) {
    const next = new Map(best)
    for (const [used, sum] of best)
      for (const [column, value] of row.entries()) {
        if (value === null || used & (1 << column)) continue
        const after = used | (1 << column)
        next.set(after, Math.max(next.get(after) ?? -Infinity, sum + value))
      }
    best = next
  }
  return Math.max(...best.values())
}

describe('assignRows', () => {
  it('leaves a row of the assignment matrix unassigned if that increases the total value', () => {
    const rows = [Float64Array.of(5, 4), Float64Array.of(6, NaN), Float64Array.of(-1, -1)]
    expect([...runTaskSynchronously(assignRows(rows, 2))]).toEqual([1, 0, -1])
    expect([...runTaskSynchronously(assignRows([], 0))]).toEqual([])
  })
})

describe('measureShapeDistance', () => {
  it('measures the distance of booths from edge to edge, also of turned booths', () => {
    const at = (x: number, y: number) => toPolygonWithBoundingBox(buildRectangle(x, y, 3, 3))
    expect(measureShapeDistance(at(0, 0), at(9, 0))).toBe(6)
    expect(measureShapeDistance(at(0, 0), at(3, 0))).toBe(0)
    expect(measureShapeDistance(at(0, 0), at(6, 7))).toBe(5)
    const diamond = toPolygonWithBoundingBox([
      [5, 1],
      [6, 0],
      [7, 1],
      [6, 2],
    ])
    expect(measureShapeDistance(at(0, 0), diamond)).toBe(2)
    expect(measureShapeDistance(at(4, 0), diamond)).toBe(0)
  })
})
