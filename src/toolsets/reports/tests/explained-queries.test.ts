import { describe, expect, it } from 'vitest'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()
const GROUPS = { entity: 'participant', groupBy: ['status'], aggregates: ['count as people'] }

describe('query_data with the argument explain', () => {
  it('describes a valid condition on groups in words', async () => {
    const { readable, rows } = await desk.call('query_data', { ...GROUPS, having: { field: 'people', op: 'gt', value: 5 }, explain: true })
    expect(readable).toContain('kept if people gt 5')
    expect(rows).toEqual([])
  })

  it.each([{ relation: 'event', has: 'any', where: 1e-9 }, { field: 'unknown', op: 'gt', value: 5 }, { all: 'people' }, 7])(
    'refuses to explain an invalid condition on groups, with the same reason as the query: %j',
    async (having) => {
      const [explained, run] = [
        await desk.olga.refused('query_data', { eventCode: desk.event.eventCode, ...GROUPS, having, explain: true }),
        await desk.olga.refused('query_data', { eventCode: desk.event.eventCode, ...GROUPS, having }),
      ]
      expect(explained).toEqual(run)
      expect(run.code).toBe('invalid_arguments')
    },
  )

  it.each([
    { orderBy: ['-unknown'] },
    { fill: 'zero' },
    { aggregateFilters: { unknown: { field: 'status', op: 'isSet' } } },
    { calculate: ['share = unknown / people'] },
  ])('refuses to explain an argument that the query would refuse, with the same reason: %j', async (argument) => {
    const call = { eventCode: desk.event.eventCode, ...GROUPS, ...argument }
    expect(await desk.olga.refused('query_data', { ...call, explain: true })).toEqual(await desk.olga.refused('query_data', call))
  })

  it('mentions aggregate filters and empty periods in the explanation of a query, and refuses paging arguments', async () => {
    const aggregateFilters = { people: { field: 'flowSlug', op: 'equals', value: 'vip' } }
    const query = { ...GROUPS, groupBy: ['createdAt:day'], aggregateFilters, fill: 'zero', explain: true }
    const { readable } = await desk.call('query_data', query)
    expect(readable).toContain('people only where flowSlug equals "vip", with empty periods')
    for (const paging of [{ limit: 5 }, { total: true }, { cursor: 'next' }])
      expect(await desk.olga.refused('query_data', { eventCode: desk.event.eventCode, ...query, ...paging })).toMatchObject({
        code: 'invalid_arguments',
        fields: [{ path: Object.keys(paging)[0], message: expect.stringContaining('cannot be combined with explain') }],
      })
  })

  it('refuses a condition on groups in a query that lists rows', async () => {
    const list = { eventCode: desk.event.eventCode, entity: 'participant', fields: ['status'], having: { field: 'status', op: 'isSet' } }
    for (const explain of [true, false]) {
      const refused = await desk.olga.refused('query_data', { ...list, explain })
      expect([refused.code, JSON.stringify(refused)]).toEqual([
        'invalid_arguments',
        expect.stringContaining('use filter for a condition on rows'),
      ])
    }
  })
})
