import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { ConnectionStatus, LastConnectionTest } from './tables.ts'
import { listPathsUsingConnection, readConnectionUses } from './connection-uses.ts'

interface ListRequest {
  status?: ConnectionStatus | undefined
  limit: number
  cursor?: string | undefined
}

interface LookupCounts {
  found: number
  notFound: number
  many: number
  error: number
  p95Ms: number | null
  cacheHits: number
}

/** Lists the directory connections of the event by name, with their uses and the lookup statistics of the last 24 hours. */
export async function listConnections(ctx: EventContext, request: ListRequest) {
  const uses = await readConnectionUses(ctx)
  const { items, ...page } = await readPage(ctx, request, {
    rows: selectConnectionRows(ctx, request.status),
    order: [
      { by: SORT_KEY, type: 'text', of: (row) => row.sort },
      { by: sql`id`, type: 'text', of: (row) => row.id },
    ],
    shape: (row) => toConnectionSummary(row, uses),
  })
  return { connections: items, ...page }
}

const SORT_KEY = sql<string>`lower(name) collate "C"`

/**
 * SQL for the lookup counts of the last 24 hours. The percentile of the duration covers only lookups that were sent: cache hits and unsent
 * lookups have no duration.
 */
const LAST_DAY_LOOKUP_COUNTS = sql<LookupCounts>`(
  select json_build_object(
    'found', count(*) filter (where outcome = 'found'),
    'notFound', count(*) filter (where outcome = 'notFound'),
    'many', count(*) filter (where outcome = 'many'),
    'error', count(*) filter (where outcome = 'error'),
    'p95Ms', percentile_cont(0.95) within group (order by ms),
    'cacheHits', count(*) filter (where cache_hit))
  from directory_lookups l
  where l.tenant_id = directory_connections.tenant_id and l.event_id = directory_connections.event_id
    and l.connection_id = directory_connections.id and l.at > lanyard_now() - interval '24 hours')`

function selectConnectionRows(ctx: EventContext, status: ConnectionStatus | undefined) {
  const rows = eventDb(ctx)
    .selectFrom('directory_connections')
    .select(['id', 'code', 'name', 'preset', 'base_url', 'status', 'last_test', LAST_DAY_LOOKUP_COUNTS.as('day'), SORT_KEY.as('sort')])
  return status ? rows.where('status', '=', status) : rows
}

type Row = Awaited<ReturnType<ReturnType<typeof selectConnectionRows>['execute']>>[number]

const toConnectionSummary = (row: Row, uses: Awaited<ReturnType<typeof readConnectionUses>>) => ({
  id: row.id,
  code: row.code,
  name: row.name,
  preset: row.preset,
  host: getUrlHost(row.base_url),
  status: row.status,
  usedBy: listPathsUsingConnection(uses, row.code),
  lastTest: toLastTest(row.last_test),
  lookups24h: { ...row.day, p95Ms: row.day.p95Ms === null ? null : Math.round(row.day.p95Ms) },
})

/** Returns the host of a base URL; empty for an uploaded list, which has no URL. */
export const getUrlHost = (baseUrl: string): string => (URL.canParse(baseUrl) ? new URL(baseUrl).host : '')

const toLastTest = (test: LastConnectionTest | null) => test && { at: test.at, ok: test.ok, outcome: test.outcome }
