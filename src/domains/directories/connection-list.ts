import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { readPage } from '../../kernel/page.ts'
import type { ConnectionStatus, LastTest } from './tables.ts'
import { pointersTo, usesOf } from './use-in-events.ts'

interface Request {
  status?: ConnectionStatus | undefined
  limit: number
  cursor?: string | undefined
}

interface Day {
  found: number
  notFound: number
  many: number
  error: number
  p95Ms: number | null
  cacheHits: number
}

/** The connections of the event by name, where each is used, and how its lookups of the last day went. */
export async function listConnections(ctx: EventContext, request: Request) {
  const uses = await usesOf(ctx)
  const { items, ...page } = await readPage(ctx, request, {
    rows: connectionsOf(ctx, request.status),
    order: [
      { by: SORT, type: 'text', of: (row) => row.sort },
      { by: sql`id`, type: 'text', of: (row) => row.id },
    ],
    shape: (row) => toConnectionSummary(row, uses),
  })
  return { connections: items, ...page }
}

const SORT = sql<string>`lower(name) collate "C"`

/** How long others waited counts only where somebody waited: hits and lookups that did not go out have no time. */
const DAY = sql<Day>`(
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

function connectionsOf(ctx: EventContext, status: ConnectionStatus | undefined) {
  const rows = ctx.db
    .selectFrom('directory_connections')
    .select(['id', 'code', 'name', 'preset', 'base_url', 'status', 'last_test', DAY.as('day'), SORT.as('sort')])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
  return status ? rows.where('status', '=', status) : rows
}

type Row = Awaited<ReturnType<ReturnType<typeof connectionsOf>['execute']>>[number]

const toConnectionSummary = (row: Row, uses: Awaited<ReturnType<typeof usesOf>>) => ({
  id: row.id,
  code: row.code,
  name: row.name,
  preset: row.preset,
  host: hostOf(row.base_url),
  status: row.status,
  usedBy: pointersTo(uses, row.code),
  lastTest: toLastTest(row.last_test),
  lookups24h: { ...row.day, p95Ms: row.day.p95Ms === null ? null : Math.round(row.day.p95Ms) },
})

/** Where it leads; nowhere for a list that is kept here. */
export const hostOf = (baseUrl: string): string => (URL.canParse(baseUrl) ? new URL(baseUrl).host : '')

/** In a list one chooses by how the test went, not by its steps. */
const toLastTest = (test: LastTest | null) => test && { at: test.at, ok: test.ok, outcome: test.outcome }
