import { describe, expect, it } from 'vitest'
import { MILESTONE_CLAUSES } from '../../../../test/support/signing.ts'
import { computeMilestoneChanges, type MilestonePlanInput, getOpenMilestoneStatus, planMilestones } from '../milestone-plan.ts'
import { readTermsFromClauses } from '../terms.ts'

const FACTS: MilestonePlanInput = {
  terms: readTermsFromClauses(MILESTONE_CLAUSES, 'EUR'),
  clauses: new Set(MILESTONE_CLAUSES.map(({ key }) => key)),
  arrival: '2027-06-10',
  departure: '2027-06-13',
  signedOn: '2027-01-15',
  revenue: 5_000_000,
  committed: 8_000_000,
}

const stored = (facts = FACTS, status: 'upcoming' | 'done' = 'upcoming') =>
  planMilestones(facts).map(({ code, dueOn, clauseKey, amountAtRisk }, index) => ({
    id: String(index),
    code,
    due_on: dueOn,
    clause_key: clauseKey,
    amount_at_risk: amountAtRisk,
    status,
  }))

describe('planMilestones', () => {
  it('derives the milestones and amounts of the specification from a contract', () => {
    const planned = planMilestones(FACTS).map(({ code, dueOn, amountAtRisk }) => [code, dueOn, amountAtRisk])
    expect(planned).toEqual([
      ['deposit', '2027-01-15', 800_000],
      ['cancellation', '2027-03-12', 4_000_000],
      ['cutoff', '2027-05-11', null],
      ['insurance', '2027-05-11', null],
      ['cancellation', '2027-05-11', 7_200_000],
      ['foodGuarantee', '2027-06-07', null],
      ['pickupReport', '2027-06-27', null],
      ['finalBill', '2027-07-13', null],
    ])
  })

  it('adds a milestone for the commission after departure, and none for a removed clause', () => {
    const terms = { ...FACTS.terms, commissionPercent: 10 }
    const clauses = new Set([...FACTS.clauses, 'commission'])
    expect(planMilestones({ ...FACTS, terms, clauses })).toContainEqual({
      code: 'commission',
      clauseKey: 'commission',
      dueOn: '2027-07-13',
      amountAtRisk: 500_000,
    })
    clauses.delete('insurance')
    expect(planMilestones({ ...FACTS, terms, clauses }).map(({ code }) => code)).not.toContain('insurance')
  })

  it('adds up deposits due on the same day and keeps the higher of two cancellation steps on the same day', () => {
    const terms = {
      ...FACTS.terms,
      deposits: [
        { daysBefore: 60, amount: 100 },
        { daysBefore: 60, percent: 1 },
      ],
      cancellation: [
        { daysBefore: 60, percent: 10 },
        { daysBefore: 60, percent: 20 },
      ],
    }
    const planned = planMilestones({ ...FACTS, terms }).filter(({ dueOn }) => dueOn === '2027-04-11')
    expect(planned.map(({ code, amountAtRisk }) => [code, amountAtRisk])).toEqual([
      ['deposit', 80_100],
      ['cancellation', 1_600_000],
    ])
  })
})

describe('computeMilestoneChanges', () => {
  const counts = (rows: ReturnType<typeof stored>, facts = FACTS) => {
    const { create, update, keep, remove } = computeMilestoneChanges(rows, planMilestones(facts))
    return [create.length, update.length, keep.length, remove.length]
  }

  it('creates all milestones if none is stored, and changes none if all are stored', () => {
    expect(counts(stored())).toEqual([0, 0, 8, 0])
    expect(counts([])).toEqual([8, 0, 0, 0])
  })

  it('moves only the open milestone of a moved cut-off date, and none that is done', () => {
    const moved = { ...FACTS, terms: { ...FACTS.terms, cutoffOn: '2027-05-18' } }
    expect(counts(stored(), moved)).toEqual([0, 1, 7, 0])
    expect(counts(stored(FACTS, 'done'), moved)).toEqual([0, 0, 8, 0])
  })

  it('removes open milestones that the contract no longer has, and keeps done ones', () => {
    const fewer = { ...FACTS, terms: { ...FACTS.terms, cancellation: [{ daysBefore: 90, percent: 50 }] } }
    expect(counts(stored(), fewer)).toEqual([0, 0, 7, 1])
    expect(counts(stored(FACTS, 'done'), fewer)).toEqual([0, 0, 8, 0])
  })
})

describe('getOpenMilestoneStatus', () => {
  it('returns the status due from seven days before a milestone’s date, missed after it, and due if the date had passed at execution', () => {
    const created = '2027-01-01'
    const on = (today: string, dueOn = '2027-05-11', createdOn = created) => getOpenMilestoneStatus(today, { dueOn, createdOn })
    expect([on('2027-05-03'), on('2027-05-04'), on('2027-05-11'), on('2027-05-12')]).toEqual(['upcoming', 'due', 'due', 'missed'])
    expect([on('2027-06-01', '2027-05-11', '2027-06-01'), on('2027-06-08', '2027-05-11', '2027-06-01')]).toEqual(['due', 'due'])
    expect(on('2027-06-09', '2027-05-11', '2027-06-01')).toBe('missed')
  })
})
