import { describe, expect, it } from 'vitest'
import { QUERY_ENTITIES } from '../../../domains/figures/dictionary/index.ts'
import { METRICS } from '../../../domains/figures/metrics/index.ts'
import { deskScenario } from '../../registration/tests/desk.ts'

const FIELDS_PER_QUERY = 10
const NUMBERS_PER_QUERY = 4

const desk = deskScenario()

const roots = [...QUERY_ENTITIES.values()].filter(({ onlyAcrossEvents }) => !onlyAcrossEvents)

describe('data dictionary', () => {
  it('refers only to existing entities in relations of the data dictionary', () => {
    const missing = [...QUERY_ENTITIES.values()].flatMap(({ name, relations }) =>
      Object.entries(relations).flatMap(([relation, { to }]) => (QUERY_ENTITIES.has(to) ? [] : [`${name}.${relation} → ${to}`])),
    )
    expect(missing).toEqual([])
  })

  it('has an index on the ids of every entity that is a table, because files read its rows by id', async () => {
    const tables = roots.flatMap(({ source }) => (source.startsWith('(') ? [] : [source]))
    const { rows } = await desk.world.database.pool.query<{ table: string }>(
      `select t.name as table from unnest($1::text[]) t(name) where not exists (
         select from pg_index i where i.indrelid = t.name::regclass and i.indisunique and (
           select array_agg(a.attname::text order by a.attname) from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any(i.indkey)
         ) = array['event_id', 'id', 'tenant_id'])`,
      [tables],
    )
    expect(tables.length).toBeGreaterThan(20)
    expect(rows.map(({ table }) => table)).toEqual([])
  })

  it('answers a query of every field of every entity', async () => {
    await desk.person({ first_name: 'Anna', last_name: 'Berg', flow_slug: 'attendee' })
    const failed: string[] = []
    for (const { name, fields } of roots) {
      const paths = Object.keys(fields)
      for (let from = 0; from < paths.length; from += FIELDS_PER_QUERY) {
        const some = paths.slice(from, from + FIELDS_PER_QUERY)
        const error = await desk.call('query_data', { entity: name, fields: some }).then(
          () => null,
          (problem: Error) => problem.message,
        )
        if (error !== null) failed.push(`${name}: ${some.join(', ')}: ${error}`)
      }
    }
    expect(failed).toEqual([])
  })

  it('sums and averages every numeric field', async () => {
    const failed: string[] = []
    for (const { name, fields } of roots) {
      const numbers = Object.keys(fields).filter((path) => ['integer', 'decimal', 'percent', 'money'].includes(fields[path]!.type))
      for (let from = 0; from < numbers.length; from += NUMBERS_PER_QUERY) {
        const some = numbers.slice(from, from + NUMBERS_PER_QUERY)
        const aggregates = some.flatMap((path) => [`sum(${path})`, `avg(${path})`, `percentile(${path}, 0.5)`])
        const error = await desk.call('query_data', { entity: name, aggregates }).then(
          () => null,
          (problem: Error) => problem.message,
        )
        if (error !== null) failed.push(`${name}: ${some.join(', ')}: ${error}`)
      }
    }
    expect(failed).toEqual([])
  })

  it('answers a query over every relation of every entity', async () => {
    const failed: string[] = []
    for (const { name, relations } of roots)
      for (const [relation, { many }] of Object.entries(relations)) {
        const query = many ? { entity: name, filter: { relation, has: 'any' } } : { entity: name, fields: [`${relation}.id`] }
        const error = await desk.call('query_data', query).then(
          () => null,
          (problem: Error) => problem.message,
        )
        if (error !== null) failed.push(`${name}.${relation}: ${error}`)
      }
    expect(failed).toEqual([])
  })

  it('computes every metric in total and by month without an error', async () => {
    const failed: string[] = []
    for (const metric of METRICS.values()) {
      const queries = [
        { metrics: [metric.code] },
        ...('dateField' in metric && metric.dateField ? [{ metrics: [metric.code], groupBy: ['date:month'] }] : []),
      ]
      for (const query of queries) {
        const error = await desk.call('query_data', query).then(
          () => null,
          (problem: Error) => problem.message,
        )
        if (error !== null) failed.push(`${metric.code}: ${error}`)
      }
    }
    expect(failed).toEqual([])
  })
})
