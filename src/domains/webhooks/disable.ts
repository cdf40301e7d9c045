import { sql } from 'kysely'
import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import type { AccountContext, Context } from '../../kernel/context.ts'
import { foldEmailCase, isSameEmail } from '../../kernel/email-address.ts'
import { sendEmail } from '../../kernel/email.ts'
import { defineJob, enqueueJob } from '../../kernel/jobs.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { listAccountAdministrators } from '../access/administrators.ts'
import { removeQueryString } from './create.ts'
import { webhookDisabledEmail } from './emails.ts'
import { WEBHOOK_ENDPOINT_STATES } from './states.ts'

export const DISABLE_REASONS = {
  gone: 'The receiver answered 410: it wants no more messages',
  failing: 'No message was accepted for 5 days',
} as const

const ACTIVE = WEBHOOK_ENDPOINT_STATES.initial
const DISABLED = WEBHOOK_ENDPOINT_STATES.move(ACTIVE, 'disabled')

/** SQL condition that no delivery to the endpoint has succeeded for five days and at least one message has used up all attempts. */
const IS_FAILING_FOR_DAYS = sql`w.failing_since <= lanyard_now() - interval '5 days' and exists (
  select from webhook_deliveries d where d.tenant_id = w.tenant_id and d.endpoint_id = w.id and d.status = 'exhausted'
    and d.kind <> 'webhook.test' and d.ended_at >= w.failing_since)`

/** Disables an endpoint, drops its pending deliveries, and sends an email to its contacts. */
export async function disableEndpoint(ctx: Context, id: string, why: keyof typeof DISABLE_REASONS): Promise<void> {
  const { rows } = await sql<{ url: string; accountId: string; account: string; contact: string | null; at: Date }>`
    update webhook_endpoints w set status = ${DISABLED}, disabled_reason = ${DISABLE_REASONS[why]}
    from api_accounts a
    where w.tenant_id = ${ctx.tenantId} and w.id = ${id} and w.status = ${ACTIVE} and ${why === 'gone' ? sql`true` : IS_FAILING_FOR_DAYS}
      and a.tenant_id = w.tenant_id and a.id = w.account_id
    returning w.url, a.id as "accountId", a.name as account, a.contact_email as contact, w.updated_at as at`.execute(ctx.db)
  const [endpoint] = rows
  if (!endpoint) return
  recordChange(ctx, {
    kind: 'webhook',
    id,
    before: { status: ACTIVE },
    after: { status: DISABLED, disabledReason: DISABLE_REASONS[why] },
  })
  await emailContacts(ctx, id, { ...endpoint, why })
}

interface DisabledEndpoint {
  url: string
  accountId: string
  account: string
  contact: string | null
  at: Date
  why: keyof typeof DISABLE_REASONS
}

/** Emails the contact of the account and the administrators of its clients, each address once. */
async function emailContacts(ctx: Context, id: string, { url, accountId, account, contact, at, why }: DisabledEndpoint): Promise<void> {
  const administrators = await listAccountAdministrators(ctx, accountId)
  const source = { kind: 'webhookDisabled', id: `${id} ${at.toISOString()}` }
  const about = { account, url: removeQueryString(url), why }
  for (const { email, name, userId, language, clientCode } of administrators) {
    await sendEmail(ctx, webhookDisabledEmail, {
      to: { address: email, name },
      content: { ...about, path: `/console/clients/${clientCode}/webhooks/${id}` },
      source: { ...source, recipientKey: userId },
      locale: language,
    })
  }
  if (contact === null || administrators.some(({ email }) => isSameEmail(email, contact))) return
  await sendEmail(ctx, webhookDisabledEmail, {
    to: { address: contact },
    content: { ...about, path: null },
    source: { ...source, recipientKey: foldEmailCase(contact) },
  })
}

/**
 * SQL expression for the client whose audit log shows the change: the client that the endpoint is restricted to, or the only client that
 * its account covers. Null if there are several.
 */
const AUDIT_CLIENT_ID = sql`(
  select case when count(*) = 1 then min(c.id) end
  from api_accounts a join tenants t on t.id = a.tenant_id join clients c on c.tenant_id = a.tenant_id
  cross join lateral jsonb_build_array(jsonb_build_object('tenantCode', t.code, 'clientCode', c.code)) here
  where a.tenant_id = w.tenant_id and a.id = w.account_id and coalesce(w.client_code, c.code) = c.code
    and (a.allowed_clients @> here or a.allowed_events @> here))`

export async function findClientIdForEndpointAudit(db: Db, at: { tenantId: number; endpointId: string }): Promise<string | null> {
  const { rows } = await sql<{ clientId: string | null }>`
    select ${AUDIT_CLIENT_ID} as "clientId" from webhook_endpoints w where w.tenant_id = ${at.tenantId} and w.id = ${at.endpointId}`.execute(
    db,
  )
  return rows[0]?.clientId ?? null
}

export const disableFailingEndpointJob = defineJob({
  name: 'disable_webhook',
  scope: 'tenant',
  input: z.object({ endpointId: z.string() }),
  run: (job, { endpointId }) => job.step((ctx: AccountContext) => disableEndpoint(ctx, endpointId, 'failing')),
})

/** Disables failing endpoints on a schedule, because an endpoint that gets no new messages would never be checked otherwise. */
export const disableFailingEndpointsTask: RecurringTask = {
  name: 'webhooks',
  schedule: { everySeconds: 600 },
  run: ({ transact, queue, actor }) =>
    transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; endpointId: string; clientId: string | null }>`
        select w.tenant_id as "tenantId", w.id as "endpointId", ${AUDIT_CLIENT_ID} as "clientId"
        from webhook_endpoints w where w.status = 'active' and ${IS_FAILING_FOR_DAYS}`.execute(db)
      for (const { tenantId, endpointId, clientId } of rows)
        await enqueueJob({ tenantId, actor, db, queue }, disableFailingEndpointJob, { endpointId }, clientId === null ? {} : { clientId })
    }),
}
