import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { sendEmail } from '../../kernel/email.ts'
import type { SignInContext } from '../../kernel/participant-tool.ts'
import { listAccountAdministrators } from '../access/administrators.ts'
import { suspendSignInCodeRequests } from '../access/api-accounts.ts'
import { signInCodesSuspendedEmail } from './emails.ts'
import { redactUsedCodesInEmails } from './spent-emails.ts'

const MAX_WRONG_PER_DAY = 100
const RECENT_CODES = 50

const REASONS = {
  wrong: `${MAX_WRONG_PER_DAY} wrong codes were given in 24 hours`,
  burned: `more than half of the last ${RECENT_CODES} codes were burned by wrong guesses`,
} as const

/**
 * Counts a wrong guess, under the API account's lock. 200 codes a day with three guesses each would eventually hit a code, so heavy
 * guessing suspends the account; occasional typing errors do not.
 */
export async function recordWrongCodeAttempt(ctx: SignInContext): Promise<{ suspended: boolean }> {
  const { rows } = await sql<{ wrong: number; codes: number; burned: number }>`
    select
      (select count(*)::int from one_time_codes c cross join unnest(c.wrong_at) w(at)
        where c.tenant_id = a.tenant_id and c.account_id = a.id and c.created_at > lanyard_now() - interval '25 hours'
          and w.at > greatest(lanyard_now() - interval '24 hours', a.otp_lifted_at)) as wrong,
      last.codes, last.burned
    from api_accounts a cross join lateral (
      select count(*)::int as codes, count(burned_at)::int as burned from (
        select c.burned_at from one_time_codes c
        where c.tenant_id = a.tenant_id and c.account_id = a.id and c.created_at > coalesce(a.otp_lifted_at, '-infinity')
        order by c.created_at desc, c.id desc limit ${RECENT_CODES}) newest) last
    where a.tenant_id = ${ctx.tenantId} and a.id = ${ctx.account.id}`.execute(ctx.db)
  const { wrong, codes, burned } = rows[0]!
  if (wrong >= MAX_WRONG_PER_DAY) await suspendAccount(ctx, REASONS.wrong)
  else if (codes === RECENT_CODES && burned > RECENT_CODES / 2) await suspendAccount(ctx, REASONS.burned)
  else return { suspended: false }
  return { suspended: true }
}

/** Stops the API account from requesting one-time codes. Its sign-in sessions stay valid, because they were opened with a correct code. */
async function suspendAccount(ctx: SignInContext, reason: string): Promise<void> {
  const { tenantId, account } = ctx
  const at = await suspendSignInCodeRequests(ctx, account.id, reason)
  const { rows: burned } = await sql<{ id: string }>`
    update one_time_codes set burned_at = lanyard_now(), code_hash = null
    where tenant_id = ${tenantId} and account_id = ${account.id} and used_at is null and burned_at is null and superseded_at is null
    returning id`.execute(ctx.db)
  await redactUsedCodesInEmails(ctx.db, tenantId, burned)
  recordChange(ctx, {
    kind: 'apiAccount',
    id: account.id,
    before: { otpSuspendedAt: null, otpSuspendedReason: null },
    after: { otpSuspendedAt: at, otpSuspendedReason: reason },
  })
  for (const admin of await listAccountAdministrators(ctx, account.id)) {
    await sendEmail(ctx, signInCodesSuspendedEmail, {
      to: { address: admin.email, name: admin.name },
      content: { account: account.name, path: `/console/clients/${admin.clientCode}/accounts/${account.id}` },
      source: { kind: 'otpSuspension', id: `${account.id} ${at.toISOString()}`, recipientKey: admin.userId },
      locale: admin.language,
    })
  }
}
