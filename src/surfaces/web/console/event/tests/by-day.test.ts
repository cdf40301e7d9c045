import { describe, expect, it } from 'vitest'
import { roundedUp } from '../../../components/figures.tsx'
import { byDayUntil } from '../by-day.ts'

const day = (at: string, completed: number, cancelled = 0) => ({ day: at, completed, cancelled })

describe('registrations by day', () => {
  it('are days while those fit, with the empty ones between and until today', () => {
    const { unit, stretches } = byDayUntil([day('2026-04-10', 2), day('2026-04-12', 1, 1)], '2026-04-13')
    expect(unit).toBe('day')
    expect(stretches).toEqual([
      { label: '10 Apr', completed: 2, cancelled: 0, cumulative: 2 },
      { label: '11 Apr', completed: 0, cancelled: 0, cumulative: 2 },
      { label: '12 Apr', completed: 1, cancelled: 1, cumulative: 2 },
      { label: '13 Apr', completed: 0, cancelled: 0, cumulative: 2 },
    ])
    expect(byDayUntil([], '2026-04-13').stretches).toEqual([])
    expect(byDayUntil([day('2026-04-10', 2)], '2026-01-01').stretches).toHaveLength(1)
  })

  it('are weeks from Monday on when there are more than 62 days, and months after 62 weeks', () => {
    expect(byDayUntil([day('2026-01-01', 1)], '2026-03-03')).toMatchObject({ unit: 'day', stretches: { length: 62 } })
    const weeks = byDayUntil([day('2026-01-01', 1), day('2026-01-05', 4), day('2026-03-04', 2)], '2026-03-04')
    expect([weeks.unit, weeks.stretches.length]).toEqual(['week', 10])
    expect(weeks.stretches.slice(0, 2)).toEqual([
      { label: 'from 29 Dec', completed: 1, cancelled: 0, cumulative: 1 },
      { label: 'from 5 Jan', completed: 4, cancelled: 0, cumulative: 5 },
    ])
    const months = byDayUntil([day('2024-12-31', 1), day('2026-01-31', 3)], '2026-03-31')
    expect(months.unit).toBe('month')
    expect(months.stretches.map(({ label }) => label)).toEqual(expect.arrayContaining(['Dec 2024', 'Feb 2025', 'Jan 2026', 'Mar 2026']))
    expect(months.stretches).toHaveLength(16)
    expect(months.stretches.at(-1)).toMatchObject({ cumulative: 4 })
  })

  it('are drawn up to the next round number', () => {
    expect([0, 1, 2, 3, 9, 10, 11, 96, 100, 101, 1204].map(roundedUp)).toEqual([1, 1, 2, 5, 10, 10, 20, 100, 100, 200, 2000])
  })
})
