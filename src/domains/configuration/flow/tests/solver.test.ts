import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventConfig } from '../../schema/event-config.ts'
import { type Person, planPeople, type PlanOptions } from '../solver.ts'
import { NOW, ZONE } from './fixtures.ts'
import { bruteForce, outcomesOf, randomConfig } from './random-flows.ts'
import { inSoak, seed, times } from '../../../../../test/support/soak.ts'

const FLOWS = inSoak(times(500), 200)

type Flaw = (people: readonly Person[]) => readonly Person[]

/** What the planned people see; every one of them must have come through legally. */
function planned(config: EventConfig, options: Partial<PlanOptions>, flaw: Flaw = (people) => people): Set<string> {
  const { people } = planPeople(config, config.flows[0]!, { maxPeople: 500, seed: seed(1), now: NOW, timezone: ZONE, ...options })
  return new Set(
    flaw(people).flatMap(({ answers, tags }) => {
      const outcomes = outcomesOf(config, { ...answers }, tags)
      if (!outcomes) throw new Error('a planned person does not come through')
      return outcomes
    }),
  )
}

const sorted = (set: ReadonlySet<string>) => [...set].sort()

const reachesTheSame = (options: Partial<PlanOptions>, flaw?: Flaw) =>
  fc.property(randomConfig, (config) => {
    const everybody = bruteForce(config)
    // A flow that nobody can come through has nobody to compare with.
    if (everybody.size > 0) expect(sorted(planned(config, options, flaw))).toEqual(sorted(everybody))
  })

describe('planPeople', () => {
  it('reaches exactly what anybody can, chosen among all combinations', () => {
    fc.assert(reachesTheSame({}), { numRuns: FLOWS, seed: seed(1) })
  })

  it('reaches exactly what anybody can, goal by goal', () => {
    fc.assert(reachesTheSame({ allCombinations: 0 }), { numRuns: FLOWS, seed: seed(2) })
  })

  const isFoundOut = (property: ReturnType<typeof reachesTheSame>) =>
    fc.check(property, { numRuns: FLOWS, seed: seed(2), endOnFailure: true }).failed

  it('would be found out if it gave up early', () => {
    expect(isFoundOut(reachesTheSame({ allCombinations: 0, combinations: 3 }))).toBe(true)
  })

  it('would be found out if it left out one person', () => {
    expect(isFoundOut(reachesTheSame({}, (people) => (people.length > 1 ? people.slice(0, -1) : people)))).toBe(true)
  })
})
