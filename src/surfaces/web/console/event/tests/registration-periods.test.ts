import { describe, expect, it } from 'vitest'
import { roundUpForAxis } from '../../../components/figures.tsx'
import { groupRegistrationsByPeriod } from '../registration-periods.ts'

const day = (at: string, completed: number, cancelled = 0) => ({ day: at, completed, cancelled })

describe('groupRegistrationsByPeriod', () => {
  it('groups registrations by day up to today, including days without registrations', () => {
    const { unit, periods } = groupRegistrationsByPeriod([day('2026-04-10', 2), day('2026-04-12', 1, 1)], '2026-04-13')
    expect(unit).toBe('day')
    expect(periods).toEqual([
      { label: '10 Apr', completed: 2, cancelled: 0, cumulative: 2 },
      { label: '11 Apr', completed: 0, cancelled: 0, cumulative: 2 },
      { label: '12 Apr', completed: 1, cancelled: 1, cumulative: 2 },
      { label: '13 Apr', completed: 0, cancelled: 0, cumulative: 2 },
    ])
    expect(groupRegistrationsByPeriod([], '2026-04-13').periods).toEqual([])
    expect(groupRegistrationsByPeriod([day('2026-04-10', 2)], '2026-01-01').periods).toHaveLength(1)
  })

  it('groups registrations by week if they span 63 days or more, and by month from 63 weeks', () => {
    expect(groupRegistrationsByPeriod([day('2026-01-01', 1)], '2026-03-03')).toMatchObject({ unit: 'day', periods: { length: 62 } })
    const weeks = groupRegistrationsByPeriod([day('2026-01-01', 1), day('2026-01-05', 4), day('2026-03-04', 2)], '2026-03-04')
    expect([weeks.unit, weeks.periods.length]).toEqual(['week', 10])
    expect(weeks.periods.slice(0, 2)).toEqual([
      { label: 'from 29 Dec', completed: 1, cancelled: 0, cumulative: 1 },
      { label: 'from 5 Jan', completed: 4, cancelled: 0, cumulative: 5 },
    ])
    const months = groupRegistrationsByPeriod([day('2024-12-31', 1), day('2026-01-31', 3)], '2026-03-31')
    expect(months.unit).toBe('month')
    expect(months.periods.map(({ label }) => label)).toEqual(expect.arrayContaining(['Dec 2024', 'Feb 2025', 'Jan 2026', 'Mar 2026']))
    expect(months.periods).toHaveLength(16)
    expect(months.periods.at(-1)).toMatchObject({ cumulative: 4 })
  })

  it('rounds the top of the chart axis up to a round number', () => {
    expect([0, 1, 2, 3, 9, 10, 11, 96, 100, 101, 1204].map(roundUpForAxis)).toEqual([1, 1, 2, 5, 10, 10, 20, 100, 100, 200, 2000])
  })
})
