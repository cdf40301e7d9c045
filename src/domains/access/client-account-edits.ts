import type { ClientContext } from '../../kernel/context.ts'
import { databaseTime } from '../../kernel/database-time.ts'
import { editableRecord, type EditOf, editRecord } from '../../kernel/edit-record.ts'
import { lockClientAccount } from './client-accounts.ts'
import type {} from './tables.ts'

const ACCOUNT = editableRecord({
  table: 'api_accounts',
  kind: 'apiAccount',
  noun: 'API account',
  name: ({ name }) => name,
  key: ['tenant_id', 'id'],
  fields: {
    name: 'name',
    contactEmail: 'contact_email',
    rateLimitPerMinute: 'rate_limit_per_minute',
    active: 'active',
    otpSuspendedAt: 'otp_suspended_at',
    otpSuspendedReason: 'otp_suspended_reason',
  },
})

async function edit(ctx: ClientContext, id: string, given: EditOf<typeof ACCOUNT>, along: { otp_lifted_at?: Date } = {}): Promise<void> {
  await editRecord(ctx, ACCOUNT, await lockClientAccount(ctx, id), given, along)
}

interface AccountEdit {
  name: string
  contactEmail: string | null
  rateLimitPerMinute: number
}

export const updateAccount = (ctx: ClientContext, id: string, given: AccountEdit) => edit(ctx, id, given)

/** Off, every token of the account stops at its next request; on again, those not revoked work as before. */
export const setAccountActive = (ctx: ClientContext, id: string, active: boolean) => edit(ctx, id, { active })

/** Lets the account send sign-in codes again after too many wrong ones were given. What was guessed until now no longer counts against it. */
export const liftOtpSuspension = async (ctx: ClientContext, id: string) =>
  edit(ctx, id, { otpSuspendedAt: null, otpSuspendedReason: null }, { otp_lifted_at: await databaseTime(ctx) })
