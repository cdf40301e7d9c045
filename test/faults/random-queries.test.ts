import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_TOOLS, type DemoScenario, openDemoScenario } from '../../scripts/docs/demo-scenario.ts'
import { readDictionary } from '../../src/domains/figures/dictionary/custom-fields.ts'
import { QUERY_ENTITIES } from '../../src/domains/figures/dictionary/index.ts'
import { RandomQueries } from '../support/random-queries.ts'
import { soakRounds, soakSeed } from '../support/soak.ts'
import type { World } from '../support/world.ts'

/** With SOAK=33 nearly 5,000 queries of one event. */
const QUERIES = soakRounds(150)
const SCOPE = { eventCode: 'summit-2027' }
const CLEAR_CODES = ['invalid_arguments', 'limit_exceeded', 'not_found', 'forbidden', 'unavailable']

let demo: DemoScenario
beforeAll(async () => {
  demo = await openDemoScenario()
  // Analyzes the tables as autovacuum does on a server: without statistics the planner expects one row of each table.
  await demo.world.database.pool.query('analyze')
})
afterAll(() => demo.end())

const toolOf = (name: string) => ALL_TOOLS.find((tool) => tool.name === name)!

/** Runs queries one after the other, and returns those that ended in anything but rows or a clear error. */
async function runAll({ logged: log }: World, tool: string, queries: RandomQueries, count: number, more: object) {
  const [faults, codes] = [[] as unknown[], new Map<string, number>()]
  for (let n = 0; n < count; n++) {
    const { explain, ...query } = queries.next()
    const logged = log.length
    const own = tool === 'query_data' && explain ? { explain } : {}
    const outcome = await demo.outcome(toolOf(tool), { ...more, ...query, ...own })
    const code = outcome.kind === 'error' ? outcome.error.code : 'rows'
    codes.set(code, (codes.get(code) ?? 0) + 1)
    if (code !== 'rows' && !CLEAR_CODES.includes(code)) faults.push({ code, query: JSON.stringify(query), logged: log.slice(logged) })
  }
  return { faults, answered: (codes.get('rows') ?? 0) / count, codes }
}

describe('random queries built from the data dictionary', () => {
  it('answers most random queries with rows, and all others with a clear error', async () => {
    const { rows } = await demo.call('query_data', { ...SCOPE, entity: 'event', fields: ['code'] })
    const { database } = demo.world
    const { tenant_id } = await database.read
      .selectFrom('events')
      .select('tenant_id')
      .where('id', '=', rows[0].id)
      .executeTakeFirstOrThrow()
    const dictionary = await readDictionary({ db: database.read, tenantId: tenant_id, event: { id: rows[0].id } as never })
    expect(Object.keys(dictionary.get('participant')!.fields).some((path) => path.startsWith('custom.'))).toBe(true)
    const result = await runAll(demo.world, 'query_data', new RandomQueries(dictionary, soakSeed(20270115)), QUERIES, SCOPE)
    expect(result.faults).toEqual([])
    expect(result.answered).toBeGreaterThan(0.6)
  })

  it('answers most random queries over several events with rows, and all others with a clear error', async () => {
    const queries = new RandomQueries(QUERY_ENTITIES, soakSeed(20270116), { withContacts: true })
    const result = await runAll(demo.world, 'query_across_events', queries, Math.ceil(QUERIES / 5), {})
    expect(result.faults).toEqual([])
    expect(result.answered).toBeGreaterThan(0.5)
  })
})
