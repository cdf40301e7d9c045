import { sql } from 'kysely'
import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import type { AccountContext, Context } from '../../kernel/context.ts'
import { sendEmail } from '../../kernel/email.ts'
import { defineJob, enqueueJob } from '../../kernel/jobs.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { listAccountAdministrators } from '../access/administrators.ts'
import { withoutQuery } from './create.ts'
import { webhookDisabled } from './mails.ts'
import type {} from './tables.ts'

export const REASONS = {
  gone: 'The receiver answered 410: it wants no more messages',
  failing: 'No message was taken for 5 days',
} as const

/** Ten attempts at one message failed, and nothing has got through for so long. */
const SILENT = sql`w.failing_since <= lanyard_now() - interval '5 days' and exists (
  select from webhook_deliveries d where d.tenant_id = w.tenant_id and d.endpoint_id = w.id and d.status = 'exhausted'
    and d.kind <> 'webhook.test' and d.ended_at >= w.failing_since)`

/** Leaves an endpoint alone from now on, and tells those who can mend it. What was on its way is dropped with it. */
export async function disableEndpoint(ctx: Context, id: string, why: keyof typeof REASONS): Promise<void> {
  const { rows } = await sql<{ url: string; accountId: string; account: string; contact: string | null; at: Date }>`
    update webhook_endpoints w set status = 'disabled', disabled_reason = ${REASONS[why]}
    from api_accounts a
    where w.tenant_id = ${ctx.tenantId} and w.id = ${id} and w.status = 'active' and ${why === 'gone' ? sql`true` : SILENT}
      and a.tenant_id = w.tenant_id and a.id = w.account_id
    returning w.url, a.id as "accountId", a.name as account, a.contact_email as contact, w.updated_at as at`.execute(ctx.db)
  const [endpoint] = rows
  if (!endpoint) return
  recordChange(ctx, { kind: 'webhook', id, before: { status: 'active' }, after: { status: 'disabled', disabledReason: REASONS[why] } })
  await tellPeople(ctx, id, { ...endpoint, why })
}

interface Told {
  url: string
  accountId: string
  account: string
  contact: string | null
  at: Date
  why: keyof typeof REASONS
}

/** Whoever runs the receiver, and the administrators of what it listens to; each address once. */
async function tellPeople(ctx: Context, id: string, { url, accountId, account, contact, at, why }: Told): Promise<void> {
  const administrators = await listAccountAdministrators(ctx, accountId)
  const source = { kind: 'webhookDisabled', id: `${id} ${at.toISOString()}` }
  const about = { account, url: withoutQuery(url), why }
  for (const { email, name, userId, language, clientCode } of administrators) {
    await sendEmail(ctx, webhookDisabled, {
      to: { address: email, name },
      content: { ...about, path: `/console/clients/${clientCode}/webhooks/${id}` },
      source: { ...source, recipientKey: userId },
      locale: language,
    })
  }
  if (contact === null || administrators.some(({ email }) => email.toLowerCase() === contact.toLowerCase())) return
  await sendEmail(ctx, webhookDisabled, {
    to: { address: contact },
    content: { ...about, path: null },
    source: { ...source, recipientKey: contact.toLowerCase() },
  })
}

/** The client whose log tells of it: the one it listens to, or the only one that its account reaches. Null where there are several. */
const HOME = sql`(
  select case when count(*) = 1 then min(c.id) end
  from api_accounts a join tenants t on t.id = a.tenant_id join clients c on c.tenant_id = a.tenant_id
  cross join lateral jsonb_build_array(jsonb_build_object('tenantCode', t.code, 'clientCode', c.code)) here
  where a.tenant_id = w.tenant_id and a.id = w.account_id and coalesce(w.client_code, c.code) = c.code
    and (a.allowed_clients @> here or a.allowed_events @> here))`

/** Where an endpoint is at home, for whoever leaves it alone. */
export async function homeOf(db: Db, at: { tenantId: number; endpointId: string }): Promise<string | null> {
  const { rows } = await sql<{ clientId: string | null }>`
    select ${HOME} as "clientId" from webhook_endpoints w where w.tenant_id = ${at.tenantId} and w.id = ${at.endpointId}`.execute(db)
  return rows[0]?.clientId ?? null
}

export const disableSilent = defineJob({
  name: 'disable_webhook',
  scope: 'tenant',
  input: z.object({ endpointId: z.string() }),
  run: (job, { endpointId }) => job.step((ctx: AccountContext) => disableEndpoint(ctx, endpointId, 'failing')),
})

/** Who gets no more messages makes no more attempts, so it is looked for by the clock. */
export const watchSilent: RecurringTask = {
  name: 'webhooks',
  schedule: { everySeconds: 600 },
  run: ({ transact, queue, actor }) =>
    transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; endpointId: string; clientId: string | null }>`
        select w.tenant_id as "tenantId", w.id as "endpointId", ${HOME} as "clientId"
        from webhook_endpoints w where w.status = 'active' and ${SILENT}`.execute(db)
      for (const { tenantId, endpointId, clientId } of rows)
        await enqueueJob({ tenantId, actor, db, queue }, disableSilent, { endpointId }, clientId === null ? {} : { clientId })
    }),
}
