import { describe, expect, it } from 'vitest'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()
const GROUPS = { entity: 'participant', groupBy: ['status'], aggregates: ['count as people'] }

describe('explain of query_data', () => {
  it('describes a valid condition on groups in words', async () => {
    const { readable, rows } = await desk.call('query_data', { ...GROUPS, having: { field: 'people', op: 'gt', value: 5 }, explain: true })
    expect(readable).toContain('kept if people gt 5')
    expect(rows).toEqual([])
  })

  it.each([{ relation: 'event', has: 'any', where: 1e-9 }, { field: 'unknown', op: 'gt', value: 5 }, { all: 'people' }, 7])(
    'refuses an invalid condition on groups with the reason for which the query is refused: %j',
    async (having) => {
      const [explained, run] = [
        await desk.olga.refused('query_data', { eventCode: desk.event.eventCode, ...GROUPS, having, explain: true }),
        await desk.olga.refused('query_data', { eventCode: desk.event.eventCode, ...GROUPS, having }),
      ]
      expect(explained).toEqual(run)
      expect(run.code).toBe('invalid_arguments')
    },
  )

  it('refuses a condition on groups in a list of rows, which has no groups', async () => {
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
