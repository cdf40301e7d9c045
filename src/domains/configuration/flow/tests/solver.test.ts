import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventConfig } from '../../schema/event-config.ts'
import { type PlannedTestParticipant, planTestRunParticipants, type TestPlanOptions } from '../plan.ts'
import { NOW, ZONE } from './fixtures.ts'
import { bruteForce, outcomesOf, randomConfig } from './random-flows.ts'
import { chooseForSoak, soakSeed, soakRounds } from '../../../../../test/support/soak.ts'

const FLOWS = chooseForSoak(soakRounds(500), 200)

type Flaw = (people: readonly PlannedTestParticipant[]) => readonly PlannedTestParticipant[]

/** Collects the outcomes of the planned participants. Each participant must be able to complete the flow. */
function planned(config: EventConfig, options: Partial<TestPlanOptions>, flaw: Flaw = (people) => people): Set<string> {
  const { people } = planTestRunParticipants(config, config.flows[0]!, {
    maxPeople: 500,
    seed: soakSeed(1),
    now: NOW,
    timezone: ZONE,
    ...options,
  })
  return new Set(
    flaw(people).flatMap(({ answers, tags }) => {
      const outcomes = outcomesOf(config, { ...answers }, tags)
      if (!outcomes) throw new Error('a planned participant cannot complete the flow')
      return outcomes
    }),
  )
}

const sorted = (set: ReadonlySet<string>) => [...set].sort()

const reachesTheSame = (options: Partial<TestPlanOptions>, flaw?: Flaw) =>
  fc.property(randomConfig, (config) => {
    const expected = bruteForce(config)
    // If no participant can complete the flow, there are no outcomes to compare.
    if (expected.size > 0) expect(sorted(planned(config, options, flaw))).toEqual(sorted(expected))
  })

describe('planTestRunParticipants', () => {
  it('plans test participants for exactly the reachable flow outcomes, chosen from all answer combinations', () => {
    fc.assert(reachesTheSame({}), { numRuns: FLOWS, seed: soakSeed(1) })
  })

  it('plans test participants for exactly the reachable flow outcomes, planned for one outcome at a time', () => {
    fc.assert(reachesTheSame({ allCombinations: 0 }), { numRuns: FLOWS, seed: soakSeed(2) })
  })

  const isFoundOut = (property: ReturnType<typeof reachesTheSame>) =>
    fc.check(property, { numRuns: FLOWS, seed: soakSeed(2), endOnFailure: true }).failed

  it('control: detects a planner that stops too early and misses reachable flow outcomes', () => {
    expect(isFoundOut(reachesTheSame({ allCombinations: 0, combinations: 3 }))).toBe(true)
  })

  it('control: detects a test plan that leaves out one of the needed participants', () => {
    expect(isFoundOut(reachesTheSame({}, (people) => (people.length > 1 ? people.slice(0, -1) : people)))).toBe(true)
  })
})
