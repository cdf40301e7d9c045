import { sql } from 'kysely'
import type { AccountContext, ClientAccess } from '../../kernel/context.ts'
import { readPage } from '../../kernel/page.ts'
import { permissionsOf } from '../../kernel/permissions.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'

interface ClientListRequest {
  search?: string | undefined
  active?: boolean | undefined
  limit: number
  cursor?: string | undefined
}

/** Lists the clients whose settings the organizer may read, with event counts and the next event. */
export async function listClients(ctx: AccountContext, request: ClientListRequest) {
  const own = new Map(ctx.access.clients.filter((c) => permissionsOf(c.roles).has('clients.read')).map((c) => [c.id, c]))
  const { items, ...page } = await readPage(ctx, request, {
    rows: selectClients(ctx, [...own.keys()], request),
    order: [{ by: sql`clients.code`, type: 'text', of: (row) => row.code }],
    shape: (row) => toClientSummary(row, own.get(row.id)!),
  })
  return { clients: items, ...page }
}

function selectClients(ctx: AccountContext, ids: string[], { search, active }: ClientListRequest) {
  const events = sql`from events e where e.tenant_id = clients.tenant_id and e.client_id = clients.id`
  let rows = tenantDb(ctx)
    .selectFrom('clients')
    .select([
      'id',
      'code',
      sql<{ draft: number; published: number; archived: number }>`(select json_build_object(
        'draft', count(*) filter (where status = 'draft'),
        'published', count(*) filter (where status = 'published'),
        'archived', count(*) filter (where status = 'archived')) ${events})`.as('counts'),
      sql<{
        code: string
        name: string
        startsOn: string
      } | null>`(select json_build_object('code', code, 'name', name, 'startsOn', starts_on)
        ${events} and status <> 'archived' and starts_on >= (lanyard_now() at time zone timezone)::date order by starts_on, code limit 1)`.as(
        'next',
      ),
    ])
    .where('id', '=', sql<string>`any(${ids})`)
  if (active !== undefined) rows = rows.where('active', '=', active)
  if (search) rows = rows.where(buildWordMatchCondition(sql`clients.searched`, search))
  return rows
}

type ClientListRow = Awaited<ReturnType<ReturnType<typeof selectClients>['execute']>>[number]

/**
 * Converts a client for the list. If assistants are turned off for the client, only that fact is shown. Events of an inactive client are
 * hidden, so none is named.
 */
function toClientSummary(row: ClientListRow, { code, name, active, aiAssistantsAllowed, roles }: ClientAccess) {
  if (!aiAssistantsAllowed) return { code, name, aiAssistantsAllowed }
  const next = active && row.next ? { nextEvent: row.next } : {}
  return { code, name, aiAssistantsAllowed, active, role: roles[0]!, eventCounts: row.counts, ...next }
}
