import { describe, expect, it } from 'vitest'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()
const query = (args: object) => desk.call('query_data', args)
const days = ['2027-01-10T10:00:00Z', '2027-01-10T11:00:00Z', '2027-01-12T10:00:00Z']

describe('query_data with the argument fill', () => {
  it('fills empty periods up to the bounds of a filter, regardless of how the filter is written', async () => {
    for (const at of days) await desk.person({ flow_slug: 'attendee', completed_at: new Date(at) })
    const filled = async (groupBy: string, filter: object, more: object = { entity: 'participant' }) =>
      (await query({ ...more, groupBy: [`${groupBy} as day`], filter, fill: 'zero' })).rows.map(({ day }: any) => day)
    const from9Until13 = ['2027-01-09', '2027-01-10', '2027-01-11', '2027-01-12', '2027-01-13']
    const bound = (op: string, value: string, field = 'completedAt') => ({ field, op, value })
    for (const filter of [
      { all: [bound('gte', '2027-01-09'), bound('lte', '2027-01-13')] },
      { all: [bound('gt', '2027-01-08'), bound('lt', '2027-01-14')] },
      { all: [bound('gt', '2027-01-01'), bound('gt', '2027-01-08'), bound('lt', '2027-01-14'), bound('lt', '2027-02-01')] },
      // Midnight in Paris.
      { all: [bound('gte', '2027-01-08T23:00:00Z'), bound('lt', '2027-01-13T23:00:00Z')] },
      { all: [bound('gte', '2027-01-09', '@participant.completedAt'), bound('lte', '2027-01-13', 'participant.completedAt')] },
      { any: [{ field: 'completedAt', op: 'between', value: ['2027-01-09', '2027-01-13'] }] },
    ])
      expect([filter, await filled('completedAt:day', filter)]).toEqual([filter, from9Until13])
    const period = { field: 'completedAt', op: 'between', value: ['2027-01-09', '2027-01-13'] }
    expect(await filled('participant.completedAt:day', period)).toEqual(from9Until13)
    expect(await filled('date:day', period, { metrics: ['registrations.completed'] })).toEqual(from9Until13)
    expect(await filled('completedAt:day', bound('onDay', '2027-01-11'))).toEqual(['2027-01-11'])
  })

  it('fills all hours of a day, of which there are 23 or 25 when clocks change', async () => {
    const hours = async (day: string) =>
      (
        await query({
          entity: 'participant',
          groupBy: ['completedAt:hour as hour'],
          filter: { field: 'completedAt', op: 'onDay', value: day },
          fill: 'zero',
        })
      ).rows.map(({ hour }: any) => hour)
    const [spring, autumn, usual] = [await hours('2027-03-28'), await hours('2026-10-25'), await hours('2027-01-10')]
    expect([spring.length, autumn.length, usual.length]).toEqual([23, 25, 24])
    expect(spring.slice(0, 3)).toEqual(['2027-03-28T00:00+01:00', '2027-03-28T01:00+01:00', '2027-03-28T03:00+02:00'])
    expect(autumn.slice(1, 5)).toEqual([
      '2026-10-25T01:00+02:00',
      '2026-10-25T02:00+02:00',
      '2026-10-25T02:00+01:00',
      '2026-10-25T03:00+01:00',
    ])
    expect([usual[0], usual.at(-1)]).toEqual(['2027-01-10T00:00+01:00', '2027-01-10T23:00+01:00'])
  })
})
