import { describe, expect, it } from 'vitest'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { assignReviewers, type Reviewer, type SubmissionNeedingReviewers } from '../assign-reviewers.ts'

const assign = (tasks: readonly SubmissionNeedingReviewers[], reviewers: readonly Reviewer[]) =>
  runTaskSynchronously(assignReviewers(tasks, reviewers))
const task = (id: string, more: Partial<SubmissionNeedingReviewers> = {}): SubmissionNeedingReviewers => ({
  id,
  wanted: 2,
  trackCode: 'a',
  excluded: new Set(),
  ...more,
})
const reviewer = (id: string, tracks: string[] = [], load = 0): Reviewer => ({ id, tracks: new Set(tracks), load })
const range = (count: number) => Array.from({ length: count }, (_, i) => i)

function countLoads(people: readonly Reviewer[], pairs: readonly { reviewerId: string }[]): number[] {
  return people.map(({ id, load }) => load + pairs.filter(({ reviewerId }) => reviewerId === id).length)
}

/** Generates small pseudo-random numbers that are the same in every run. */
function randomNumbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Finds the best value over all assignments: most reviews, then the most even loads, then most reviews in own tracks. */
function searchExhaustively(tasks: readonly SubmissionNeedingReviewers[], people: readonly Reviewer[]): [number, number, number] {
  let best: [number, number, number] = [Infinity, Infinity, Infinity]
  const loads = people.map(({ load }) => load)
  const visit = (at: number, missing: number, foreign: number): void => {
    if (at === tasks.length) {
      const value: [number, number, number] = [missing, loads.reduce((sum, load) => sum + load * load, 0), foreign]
      if (compare(value, best) < 0) best = value
      return
    }
    const { wanted, excluded, trackCode } = tasks[at]!
    for (let set = 0; set < 1 << people.length; set++) {
      const chosen = people.flatMap((_, i) => ((set >> i) & 1 ? [i] : []))
      if (chosen.length > wanted || chosen.some((i) => excluded.has(people[i]!.id))) continue
      for (const i of chosen) loads[i]!++
      visit(at + 1, missing + wanted - chosen.length, foreign + chosen.filter((i) => !people[i]!.tracks.has(trackCode)).length)
      for (const i of chosen) loads[i]!--
    }
  }
  visit(0, 0, 0)
  return best
}

const compare = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((value, i) => value !== b[i])
  return at < 0 ? 0 : a[at]! - b[at]!
}

describe('assignReviewers', () => {
  it('assigns 120 reviews of 60 submissions to 6 reviewers with a load of 20 each', () => {
    const people = range(6).map((i) => reviewer(`r${i}`, [i % 2 === 0 ? 'a' : 'b']))
    const tasks = range(60).map((i) =>
      task(`s${String(i).padStart(2, '0')}`, { trackCode: i % 2 === 0 ? 'a' : 'b', excluded: new Set([`r${i % 6}`]) }),
    )
    const { pairs, unassignable } = assign(tasks, people)
    expect(pairs).toHaveLength(120)
    expect(countLoads(people, pairs)).toEqual([20, 20, 20, 20, 20, 20])
    expect(unassignable).toEqual([])
    expect(pairs.filter(({ submissionId, reviewerId }) => tasks.find(({ id }) => id === submissionId)!.excluded.has(reviewerId))).toEqual(
      [],
    )
    expect(new Set(pairs.map(({ submissionId, reviewerId }) => `${submissionId} ${reviewerId}`)).size).toBe(120)
  })

  it('assigns reviewers loads that differ by at most one if the reviews cannot be shared equally', () => {
    const people = range(4).map((i) => reviewer(`r${i}`, i === 0 ? ['a'] : []))
    const loads = countLoads(
      people,
      assign(
        range(5).map((i) => task(`s${i}`)),
        people,
      ).pairs,
    )
    expect(loads.toSorted((a, b) => a - b)).toEqual([2, 2, 3, 3])
  })

  it('gives other reviewers more reviews if conflicts of interest prevent an even load, and counts existing reviews', () => {
    const people = [reviewer('free'), reviewer('busy', [], 3), reviewer('excluded')]
    const tasks = range(4).map((i) => task(`s${i}`, { wanted: 1, excluded: new Set(['excluded']) }))
    expect(countLoads(people, assign(tasks, people).pairs)).toEqual([3, 4, 0])
  })

  it('reports submissions without enough reviewers, and assigns the available reviewers to them', () => {
    const answer = assign(
      [task('s', { wanted: 3 }), task('t', { wanted: 1, excluded: new Set(['r0', 'r1']) })],
      [reviewer('r0'), reviewer('r1')],
    )
    expect(answer.unassignable).toEqual(['s', 't'])
    expect(answer.pairs).toHaveLength(2)
    expect(assign([task('s')], [])).toEqual({ pairs: [], unassignable: ['s'] })
  })

  it('returns the same assignment of reviewers for every order of the input', () => {
    const people = range(3).map((i) => reviewer(`r${i}`))
    const tasks = range(4).map((i) => task(`s${i}`, { wanted: 1 }))
    const sorted = ({ pairs }: ReturnType<typeof assign>) => pairs.map((pair) => Object.values(pair).join(' ')).toSorted()
    expect(sorted(assign(tasks.toReversed(), people.toReversed()))).toEqual(sorted(assign(tasks, people)))
  })

  it('assigns reviewers as well as an exhaustive search in 150 random cases', () => {
    const random = randomNumbers(24)
    for (const round of range(150)) {
      const people = range(2 + random(3)).map((i) =>
        reviewer(
          `r${i}`,
          ['a', 'b'].filter(() => random(2) === 0),
          random(3),
        ),
      )
      const tasks = range(1 + random(4)).map((i) =>
        task(`s${i}`, {
          wanted: 1 + random(2),
          trackCode: random(2) === 0 ? 'a' : 'b',
          excluded: new Set(people.filter(() => random(4) === 0).map(({ id }) => id)),
        }),
      )
      const { pairs } = assign(tasks, people)
      const foreign = pairs.filter(
        ({ submissionId, reviewerId }) =>
          !people.find(({ id }) => id === reviewerId)!.tracks.has(tasks.find(({ id }) => id === submissionId)!.trackCode),
      )
      const value = [
        tasks.reduce((sum, { wanted }) => sum + wanted, 0) - pairs.length,
        countLoads(people, pairs).reduce((sum, load) => sum + load * load, 0),
        foreign.length,
      ]
      expect(value, `round ${round}`).toEqual(searchExhaustively(tasks, people))
    }
  })
})
