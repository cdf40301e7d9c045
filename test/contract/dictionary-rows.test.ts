import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { QUERY_ENTITIES } from '../../src/domains/figures/dictionary/index.ts'
import type { QueryEntity } from '../../src/domains/figures/dictionary/types.ts'
import { METRICS } from '../../src/domains/figures/metrics/index.ts'
import type { World } from '../support/world.ts'
import { type DemoScenario, openDemoScenario } from '../../scripts/docs/demo-scenario.ts'

const FIELDS_PER_QUERY = 10
const SCOPE = { eventCode: 'summit-2027' }

let demo: DemoScenario
beforeAll(async () => {
  demo = await openDemoScenario()
})
afterAll(() => demo.end())

const roots = [...QUERY_ENTITIES.values()].filter(({ onlyAcrossEvents }) => !onlyAcrossEvents)

/** Whether a value does not have the format of its type. */
function findMalformed(type: string, value: any): boolean {
  if (value === null) return false
  if (type === 'money') return !/^-?\d+\.\d{2}$/.test(value.amount) || !/^[A-Z]{3}$/.test(value.currency)
  if (type === 'integer') return !Number.isInteger(value)
  if (type === 'decimal' || type === 'percent') return typeof value !== 'number'
  if (type === 'boolean') return typeof value !== 'boolean'
  if (type === 'day') return !/^\d{4}-\d{2}-\d{2}$/.test(value)
  if (type === 'instant') return Number.isNaN(Date.parse(value))
  if (type === 'list') return !Array.isArray(value)
  return typeof value !== 'string'
}

/** Counts the real rows of an entity without the compiler. */
async function countRows({ database }: World, { source, noTestData }: QueryEntity, eventId: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int as count from ${source} r where r.event_id = $1${noTestData ? '' : ' and not r.is_test_data'}`,
    [eventId],
  )
  return rows[0]!.count
}

describe('data dictionary of query_data, tested with the rows of the demo', () => {
  it("counts as many rows of every entity of the data dictionary as the entity's source table has", async () => {
    const { rows } = await demo.call('query_data', { ...SCOPE, entity: 'event', fields: ['code'] })
    const counted = await Promise.all(
      roots.map(async (entity) => ({
        entity: entity.name,
        stored: await countRows(demo.world, entity, rows[0].id),
        queried: (await demo.call('query_data', { ...SCOPE, entity: entity.name })).rows[0].count,
      })),
    )
    expect(counted.filter(({ entity, stored, queried }) => entity !== 'auditEntry' && stored !== queried)).toEqual([])
  })

  it('returns every field of the data dictionary in the format of its type, and only declared choices of enums', async () => {
    const wrong: string[] = []
    let filled = 0
    for (const { name, fields } of roots) {
      const paths = Object.keys(fields)
      for (let from = 0; from < paths.length; from += FIELDS_PER_QUERY) {
        const { rows } = await demo.call('query_data', {
          ...SCOPE,
          entity: name,
          fields: paths.slice(from, from + FIELDS_PER_QUERY),
          limit: 200,
          includeTestData: true,
        })
        if (rows.length > 0 && from === 0) filled++
        for (const row of rows)
          for (const path of paths.slice(from, from + FIELDS_PER_QUERY)) {
            const { type, choices } = fields[path]!
            const value = row[path]
            if (findMalformed(type, value)) wrong.push(`${name}.${path}: ${JSON.stringify(value)} is no ${type}`)
            if (type === 'enum' && value !== null && !choices!.includes(value)) wrong.push(`${name}.${path}: ${value} is no choice`)
          }
      }
    }
    expect([...new Set(wrong)]).toEqual([])
    expect(filled).toBeGreaterThan(20)
  })

  it('groups rows by every field of the data dictionary', async () => {
    const wrong: string[] = []
    for (const { name, fields } of roots)
      for (const [path, { type }] of Object.entries(fields)) {
        const key = type === 'instant' ? `${path}:day` : path
        const { rows, overlapping } = await demo.call('query_data', { ...SCOPE, entity: name, groupBy: [key], limit: 1000 })
        const { rows: all } = await demo.call('query_data', { ...SCOPE, entity: name })
        const counted = rows.reduce((sum: number, row: any) => sum + row.count, 0)
        if (!overlapping && counted !== all[0].count && rows.length < 1000) wrong.push(`${name}.${path}: ${counted} of ${all[0].count}`)
      }
    expect(wrong).toEqual([])
  })

  it('computes every metric of the data dictionary on the rows of the demo', async () => {
    for (const metric of METRICS.values()) {
      const { rows } = await demo.call('query_data', { ...SCOPE, metrics: [metric.code] })
      expect([metric.code, findMalformed(metric.type, rows[0][metric.code])]).toEqual([metric.code, false])
    }
  })
})
