import { type Selectable, sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { readRecordFields } from '../../kernel/record-shapes.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { ClientCoveredByApiAccount, EventCoveredByApiAccount } from '../access/tables.ts'
import { WEBHOOK_RECORD } from './endpoint-record.ts'
import type { WebhookEndpointsTable } from './tables.ts'

export type WebhookEndpointRow = Selectable<WebhookEndpointsTable>

/** The API account that owns the webhook endpoints, with the tenants and clients that it covers. */
export interface WebhookAccount {
  id: string
  allowedTenants: readonly string[]
  allowedClients: readonly ClientCoveredByApiAccount[]
  allowedEvents: readonly EventCoveredByApiAccount[]
}

const formatOptionalInstant = (stamp: Date | null) => (stamp === null ? null : formatInstant(stamp))

export type WebhookEndpoint = ReturnType<typeof toWebhookEndpoint>

export const toWebhookEndpoint = (row: WebhookEndpointRow) => ({
  id: row.id,
  accountId: row.account_id,
  ...readRecordFields(WEBHOOK_RECORD, row, ['url', 'kinds', 'clientCode', 'eventCode', 'description', 'status', 'disabledReason']),
  lastSuccessAt: formatOptionalInstant(row.last_success_at),
  failingSince: formatOptionalInstant(row.failing_since),
  createdAt: formatInstant(row.created_at),
  updatedAt: formatInstant(row.updated_at),
  revision: row.revision,
})

const selectEndpoints = (ctx: Pick<Context, 'db' | 'tenantId'>, accountIds: readonly string[]) =>
  tenantDb(ctx)
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('account_id', '=', sql<string>`any(${accountIds})`)

/** Lists the webhook endpoints of an account, oldest first. The list is not paged, because an account has at most 20 endpoints. */
export async function listEndpoints(ctx: Pick<Context, 'db' | 'tenantId'>, accountIds: readonly string[]): Promise<WebhookEndpoint[]> {
  return (await selectEndpoints(ctx, accountIds).orderBy('created_at').orderBy('id').execute()).map(toWebhookEndpoint)
}

/** Returns a webhook endpoint of the account. An endpoint of another account is reported as missing. */
export async function getEndpoint(ctx: Pick<Context, 'db' | 'tenantId'>, accountId: string, id: string): Promise<WebhookEndpointRow> {
  return assertFound(id, isId(id) ? await selectEndpoints(ctx, [accountId]).where('id', '=', id).executeTakeFirst() : undefined)
}

export async function lockEndpoint(ctx: Pick<Context, 'db' | 'tenantId'>, accountId: string, id: string): Promise<WebhookEndpointRow> {
  const row = isId(id) ? await selectEndpoints(ctx, [accountId]).where('id', '=', id).forNoKeyUpdate().executeTakeFirst() : undefined
  return assertFound(id, row)
}

function assertFound(id: string, row: WebhookEndpointRow | undefined): WebhookEndpointRow {
  if (!row) throw notFound(`No webhook ${cleanText(id, 40)} of this account`)
  return row
}
