import type { Updateable } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { type ClientAccount, lockClientAccount } from './client-accounts.ts'
import type { ApiAccountsTable } from './tables.ts'

interface AccountEdit {
  name: string
  contactEmail: string | null
  rateLimitPerMinute: number
}

const fieldsOf = ({ name, contactEmail, rateLimitPerMinute, active, otpSuspendedAt }: ClientAccount) => ({
  name,
  contactEmail,
  rateLimitPerMinute,
  active,
  otpSuspended: otpSuspendedAt !== null,
})

async function edit(
  ctx: ClientContext,
  id: string,
  columns: Updateable<ApiAccountsTable>,
  change: Partial<ReturnType<typeof fieldsOf>>,
): Promise<void> {
  const before = fieldsOf(await lockClientAccount(ctx, id))
  const changed = recordChange(ctx, { kind: 'apiAccount', id, before, after: { ...before, ...change } })
  if (changed.length === 0) return
  await ctx.db.updateTable('api_accounts').set(columns).where('tenant_id', '=', ctx.tenantId).where('id', '=', id).execute()
}

export const updateAccount = (ctx: ClientContext, id: string, { name, contactEmail, rateLimitPerMinute }: AccountEdit) =>
  edit(
    ctx,
    id,
    { name, contact_email: contactEmail, rate_limit_per_minute: rateLimitPerMinute },
    { name, contactEmail, rateLimitPerMinute },
  )

/** Off, every token of the account stops at its next request; on again, those not revoked work as before. */
export const setAccountActive = (ctx: ClientContext, id: string, active: boolean) => edit(ctx, id, { active }, { active })

/** Lets the account send sign-in codes again after it was stopped for sending too many. */
export const liftOtpSuspension = (ctx: ClientContext, id: string) =>
  edit(ctx, id, { otp_suspended_at: null, otp_suspended_reason: null }, { otpSuspended: false })
