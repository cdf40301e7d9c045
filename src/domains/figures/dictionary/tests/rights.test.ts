import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { permissionsOf, ROLES } from '../../../../kernel/permissions.ts'
import { compileGroupQuery } from '../../query/compile-groups.ts'
import { compileRowQuery } from '../../query/compile-rows.ts'
import type { DataQuery } from '../../query/data-query.ts'
import { findMissingQueryPermission, decideGroupQueryAccess } from '../../query/rights.ts'
import { parseGroupQuery } from '../../query/run-groups.ts'
import type { QueryScope } from '../../query/scope.ts'
import { ACCESS_CLASS_PERMISSIONS, isCategoricalField } from '../classes.ts'
import { QUERY_ENTITIES } from '../index.ts'
import type { QueryEntity, QueryEntityField } from '../types.ts'

const MIGRATIONS = new URL('../../../../../migrations/', import.meta.url)

/** The text of the migrations that give rights to the role of reports. */
const grants = readdirSync(MIGRATIONS)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(new URL(name, MIGRATIONS), 'utf8'))
  .filter((text) => text.includes('lanyard_show_to_reports'))
  .join('\n')

describe('tables of the dictionary', () => {
  it('grants the database role of reports access to every table of the dictionary', () => {
    const tables = new Set([...QUERY_ENTITIES.values()].flatMap((entity) => entity.tables))
    expect([...tables].filter((table) => !new RegExp(`\\b${table}\\b`).test(grants))).toEqual([])
    expect(tables.size).toBeGreaterThan(50)
  })

  it('counts a table that only a relation reads among the tables of a report entity', () => {
    expect(QUERY_ENTITIES.get('contract')!.tables).toContain('rfp_responses')
  })
})

const SCOPE: QueryScope = { tenantId: 1, eventIds: ['a'], event: null, decimals: 2, asOf: new Date(), readComputedValues: async () => '{}' }

/** Each use of a field in a query; null where the language does not allow it for the type. */
const USES: Readonly<Record<string, (path: string, field: QueryEntityField) => DataQuery | null>> = {
  column: (path) => ({ fields: [path] }),
  sort: (path, { type }) => (type === 'list' ? null : { fields: ['id'], orderBy: [path] }),
  'filter of rows': (path) => ({ fields: ['id'], filter: { all: [{ field: path, op: 'isSet' }] } }),
  'filter of groups': (path) => ({ filter: { field: path, op: 'isNotSet' } }),
  key: (path, { type }) => ({ groupBy: [type === 'instant' ? `${path}:day` : path], aggregates: ['max(createdAt) as latest'] }),
  aggregate: (path) => ({ aggregates: [`countDistinct(${path})`] }),
  'filter of an aggregate': (path) => ({ aggregates: ['count as n'], aggregateFilters: { n: { field: path, op: 'isSet' } } }),
}

/** Whether a role may run a query with all its figures, without merging small groups. */
function mayRun({ name }: QueryEntity, query: DataQuery, permissions: ReturnType<typeof permissionsOf>): boolean {
  if (query.fields)
    return findMissingQueryPermission(compileRowQuery(QUERY_ENTITIES, SCOPE, { ...query, entity: name }).plan, permissions) === null
  return parseGroupQuery({ ...query, entity: name }).requests.every((request) => {
    const { missing, mergesSmallGroups } = decideGroupQueryAccess(compileGroupQuery(QUERY_ENTITIES, SCOPE, request), permissions)
    return missing === null && !mergesSmallGroups
  })
}

describe('rights of roles to fields', () => {
  it('requires the same permission for every use of a field: column, sort, filter, key and aggregate', () => {
    const wrong: string[] = []
    let refused = 0
    for (const role of ROLES)
      for (const entity of QUERY_ENTITIES.values())
        for (const [path, field] of Object.entries(entity.fields)) {
          const permissions = permissionsOf([role])
          const needed = ACCESS_CLASS_PERMISSIONS[field.class ?? 'open'].result
          const expected = permissions.has(`${entity.area}.read`) && (needed === null || permissions.has(needed))
          for (const [use, build] of Object.entries(USES)) {
            const query = build(path, field)
            if (query?.aggregates?.[0]?.includes('createdAt') && !entity.fields['createdAt']) continue
            if (query && mayRun(entity, query, permissions) !== expected) wrong.push(`${role}: ${use} ${entity.name}.${path}`)
            if (query && !expected) refused++
          }
        }
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(1_000)
  })

  it('lets an analyst count people by personal fields that are categories, with small groups merged', () => {
    const analyst = permissionsOf(['analyst'])
    const participant = QUERY_ENTITIES.get('participant')!
    for (const [path, field] of Object.entries(participant.fields)) {
      if (ACCESS_CLASS_PERMISSIONS[field.class ?? 'open'].result !== 'personal.read') continue
      const [request] = parseGroupQuery({ entity: 'participant', groupBy: [path] }).requests
      const { missing, mergesSmallGroups } = decideGroupQueryAccess(compileGroupQuery(QUERY_ENTITIES, SCOPE, request!), analyst)
      expect([path, missing === null, mergesSmallGroups]).toEqual([path, isCategoricalField(field), isCategoricalField(field)])
    }
  })
})
