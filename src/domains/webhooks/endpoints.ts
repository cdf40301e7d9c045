import { type Selectable, sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { CoveredClient, CoveredEvent } from '../access/tables.ts'
import type { EndpointStatus, WebhookEndpointsTable } from './tables.ts'

export type EndpointRow = Selectable<WebhookEndpointsTable>

/** Whose endpoints they are, and what that account may know. */
export interface Listener {
  id: string
  allowedTenants: readonly string[]
  allowedClients: readonly CoveredClient[]
  allowedEvents: readonly CoveredEvent[]
}

export interface Endpoint {
  id: string
  accountId: string
  url: string
  kinds: string[]
  clientCode: string | null
  eventCode: string | null
  description: string
  status: EndpointStatus
  disabledReason: string | null
  lastSuccessAt: string | null
  failingSince: string | null
  createdAt: string
  updatedAt: string
  revision: number
}

const instantOf = (stamp: Date | null) => (stamp === null ? null : formatInstant(stamp))

export const toEndpoint = (row: EndpointRow): Endpoint => ({
  id: row.id,
  accountId: row.account_id,
  url: row.url,
  kinds: row.kinds,
  clientCode: row.client_code,
  eventCode: row.event_code,
  description: row.description,
  status: row.status,
  disabledReason: row.disabled_reason,
  lastSuccessAt: instantOf(row.last_success_at),
  failingSince: instantOf(row.failing_since),
  createdAt: formatInstant(row.created_at),
  updatedAt: formatInstant(row.updated_at),
  revision: row.revision,
})

const endpointsOf = (ctx: Pick<Context, 'db' | 'tenantId'>, accountIds: readonly string[]) =>
  tenantDb(ctx)
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('account_id', '=', sql<string>`any(${accountIds})`)

/** The oldest first; an account has few. */
export async function listEndpoints(ctx: Pick<Context, 'db' | 'tenantId'>, accountIds: readonly string[]): Promise<Endpoint[]> {
  return (await endpointsOf(ctx, accountIds).orderBy('created_at').orderBy('id').execute()).map(toEndpoint)
}

/** One of another account is as unknown as one that never was. */
export async function getEndpoint(ctx: Pick<Context, 'db' | 'tenantId'>, accountId: string, id: string): Promise<EndpointRow> {
  return found(id, await endpointsOf(ctx, [accountId]).where('id', '=', id).executeTakeFirst())
}

/** Nobody else changes it until the transaction ends. */
export async function lockEndpoint(ctx: Pick<Context, 'db' | 'tenantId'>, accountId: string, id: string): Promise<EndpointRow> {
  return found(id, await endpointsOf(ctx, [accountId]).where('id', '=', id).forNoKeyUpdate().executeTakeFirst())
}

function found(id: string, row: EndpointRow | undefined): EndpointRow {
  if (!row) throw notFound(`No webhook ${id} of this account`)
  return row
}
