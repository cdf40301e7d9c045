import type { ClientContext } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { defineRecord, type RecordEdit, editRecord } from '../../kernel/records.ts'
import { lockClientApiAccount } from './client-accounts.ts'

const ACCOUNT_RECORD = defineRecord({
  table: 'api_accounts',
  kind: 'apiAccount',
  noun: 'API account',
  name: ({ name }) => name,
  primaryKey: ['tenant_id', 'id'],
  fields: {
    name: 'name',
    contactEmail: 'contact_email',
    rateLimitPerMinute: 'rate_limit_per_minute',
    active: 'active',
    otpSuspendedAt: 'otp_suspended_at',
    otpSuspendedReason: 'otp_suspended_reason',
  },
})

async function editAccount(
  ctx: ClientContext,
  id: string,
  given: RecordEdit<typeof ACCOUNT_RECORD>,
  along: { otp_lifted_at?: Date } = {},
): Promise<void> {
  await editRecord(ctx, ACCOUNT_RECORD, await lockClientApiAccount(ctx, id), given, along)
}

interface AccountEdit {
  name: string
  contactEmail: string | null
  rateLimitPerMinute: number
}

export const updateApiAccount = (ctx: ClientContext, id: string, given: AccountEdit) => editAccount(ctx, id, given)

/**
 * Activates or deactivates an API account. Deactivation takes effect at the next request of every token; reactivation restores all tokens
 * that are not revoked.
 */
export const setApiAccountActive = (ctx: ClientContext, id: string, active: boolean) => editAccount(ctx, id, { active })

/** Lifts the suspension after too many wrong sign-in codes and resets the failure count. */
export const liftOtpSuspension = async (ctx: ClientContext, id: string) =>
  editAccount(ctx, id, { otpSuspendedAt: null, otpSuspendedReason: null }, { otp_lifted_at: await getDatabaseTime(ctx) })
