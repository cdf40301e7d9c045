import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Context } from '../../kernel/context.ts'
import { defineRecord, toFields, saveEdit, planEdit } from '../../kernel/records.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { Secret } from '../../kernel/secrets.ts'
import { type NewEndpoint, withoutQuery } from './create.ts'
import { type Endpoint, type EndpointRow, type Listener, lockEndpoint, toEndpoint } from './endpoints.ts'
import { keptSecret, newSigningSecret } from './secrets.ts'
import { placeOf } from './where.ts'

const ENDPOINT = defineRecord({
  table: 'webhook_endpoints',
  kind: 'webhook',
  noun: 'Webhook',
  name: ({ id }) => id,
  primaryKey: ['tenant_id', 'id'],
  fields: {
    url: 'url',
    kinds: 'kinds',
    clientCode: 'client_code',
    eventCode: 'event_code',
    description: 'description',
    status: 'status',
    disabledReason: 'disabled_reason',
  },
})

export interface EndpointEdit extends Omit<NewEndpoint, 'url' | 'kinds'> {
  url?: string | undefined
  kinds?: readonly string[] | undefined
  status?: 'active' | 'paused' | undefined
  ifRevision?: number | undefined
}

/** Changes what is given. Stopped, it drops what was on its way; started again, it is told nothing old. */
export async function editEndpoint(ctx: Context, listener: Listener, id: string, edit: EndpointEdit): Promise<Endpoint> {
  const before = await lockEndpoint(ctx, listener.id, id)
  const { clientCode, eventCode, status, ...fields } = edit
  const moved = clientCode !== undefined || eventCode !== undefined
  const place = moved
    ? await placeOf(ctx, listener, {
        clientCode: clientCode === undefined ? before.client_code : clientCode,
        eventCode: eventCode === undefined ? before.event_code : eventCode,
      })
    : {}
  const planned = planEdit(ENDPOINT, before, { ...fields, ...place, ...(status ? { status, disabledReason: null } : {}) })
  // Whoever starts it again says that it works: what failed before counts no more.
  const afresh = planned.changed.includes('status') && status === 'active' ? { failing_since: null } : {}
  const { row } = await saveEdit({ db: ctx.db }, planned, planned.changed.length > 0 ? afresh : {})
  recordChange(ctx, { kind: 'webhook', id, before: toldOf(before), after: toldOf(row) })
  return toEndpoint(row)
}

/** For the audit log: what stands after the question mark of its address is told as changed, never shown. */
const toldOf = (row: EndpointRow) => ({
  ...toFields(ENDPOINT, row),
  url: withoutQuery(row.url),
  query: new Secret(new URL(row.url).search),
})

export async function deleteEndpoint(ctx: Context, listener: Pick<Listener, 'id'>, id: string): Promise<void> {
  const { url, kinds } = await lockEndpoint(ctx, listener.id, id)
  await tenantDb(ctx).deleteFrom('webhook_endpoints').where('id', '=', id).execute()
  recordChange(ctx, { kind: 'webhook', id, before: { url: withoutQuery(url), kinds } })
}

const OVERLAP_HOURS = 24

/** A new secret. The one before signs along for a day, so that the receiver can change without missing anything; of two older ones the oldest goes. */
export async function renewSecret(
  ctx: Context,
  listener: Pick<Listener, 'id'>,
  id: string,
): Promise<{ endpoint: Endpoint; secret: Secret }> {
  const { secrets } = await lockEndpoint(ctx, listener.id, id)
  const secret = newSigningSecret()
  const { rows } = await sql<{ until: Date }>`select lanyard_now() + make_interval(hours => ${OVERLAP_HOURS}) as until`.execute(ctx.db)
  const kept = [
    keptSecret(ctx.keys, { tenantId: ctx.tenantId, endpointId: id }, secret),
    { sealed: secrets[0]!.sealed, until: rows[0]!.until.toISOString() },
  ]
  const row = await tenantDb(ctx)
    .updateTable('webhook_endpoints')
    .set({ secrets: JSON.stringify(kept) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'webhook', id, before: { secret: new Secret('before') }, after: { secret: new Secret('after') } })
  return { endpoint: toEndpoint(row), secret }
}
