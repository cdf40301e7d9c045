import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Context } from '../../kernel/context.ts'
import { toRecordFieldValues, saveEdit, planEdit } from '../../kernel/records.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { Secret } from '../../kernel/secrets.ts'
import { type NewEndpoint, removeQueryString } from './create.ts'
import { WEBHOOK_RECORD } from './endpoint-record.ts'
import { type WebhookEndpoint, type WebhookEndpointRow, type WebhookAccount, lockEndpoint, toWebhookEndpoint } from './endpoints.ts'
import { encryptSigningSecret, createSigningSecret } from './secrets.ts'
import { resolveEndpointScope } from './endpoint-scope.ts'

export interface EndpointEdit extends Omit<NewEndpoint, 'url' | 'kinds'> {
  url?: string | undefined
  kinds?: readonly string[] | undefined
  status?: 'active' | 'paused' | undefined
  ifRevision?: number | undefined
}

/** Changes the given fields of a webhook endpoint. Pausing drops pending deliveries; activating again does not send missed messages. */
export async function editEndpoint(ctx: Context, listener: WebhookAccount, id: string, edit: EndpointEdit): Promise<WebhookEndpoint> {
  const before = await lockEndpoint(ctx, listener.id, id)
  const { clientCode, eventCode, status, ...fields } = edit
  const moved = clientCode !== undefined || eventCode !== undefined
  const newScope = moved
    ? await resolveEndpointScope(ctx, listener, {
        clientCode: clientCode === undefined ? before.client_code : clientCode,
        eventCode: eventCode === undefined ? before.event_code : eventCode,
      })
    : {}
  const planned = planEdit(WEBHOOK_RECORD, before, { ...fields, ...newScope, ...(status ? { status, disabledReason: null } : {}) })
  // Activating an endpoint resets its failure state, so that old failures do not disable it again.
  const resetColumns = planned.changed.includes('status') && status === 'active' ? { failing_since: null } : {}
  const { row } = await saveEdit({ db: ctx.db }, planned, planned.changed.length > 0 ? resetColumns : {})
  recordChange(ctx, { kind: 'webhook', id, before: toAuditFields(before), after: toAuditFields(row) })
  return toWebhookEndpoint(row)
}

/** Returns an endpoint as the audit log stores it, without the query string of its URL; a change of the query string is still recorded. */
const toAuditFields = (row: WebhookEndpointRow) => ({
  ...toRecordFieldValues(WEBHOOK_RECORD, row),
  url: removeQueryString(row.url),
  query: new Secret(new URL(row.url).search),
})

export async function deleteEndpoint(ctx: Context, listener: Pick<WebhookAccount, 'id'>, id: string): Promise<void> {
  const { url, kinds } = await lockEndpoint(ctx, listener.id, id)
  await tenantDb(ctx).deleteFrom('webhook_endpoints').where('id', '=', id).execute()
  recordChange(ctx, { kind: 'webhook', id, before: { url: removeQueryString(url), kinds } })
}

const OVERLAP_HOURS = 24

/**
 * Creates a new signing secret. For a day, messages are also signed with the previous secret, so that the receiver can switch without
 * rejecting messages. Older secrets are removed.
 */
export async function renewSigningSecret(
  ctx: Context,
  listener: Pick<WebhookAccount, 'id'>,
  id: string,
): Promise<{ endpoint: WebhookEndpoint; secret: Secret }> {
  const { secrets } = await lockEndpoint(ctx, listener.id, id)
  const secret = createSigningSecret()
  const { rows } = await sql<{ until: Date }>`select lanyard_now() + make_interval(hours => ${OVERLAP_HOURS}) as until`.execute(ctx.db)
  const kept = [
    encryptSigningSecret(ctx.keys, { tenantId: ctx.tenantId, endpointId: id }, secret),
    { sealed: secrets[0]!.sealed, until: rows[0]!.until.toISOString() },
  ]
  const row = await tenantDb(ctx)
    .updateTable('webhook_endpoints')
    .set({ secrets: JSON.stringify(kept) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'webhook', id, before: { secret: new Secret('before') }, after: { secret: new Secret('after') } })
  return { endpoint: toWebhookEndpoint(row), secret }
}
