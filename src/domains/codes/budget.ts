import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { sendEmail } from '../../kernel/email.ts'
import type { SignInContext } from '../../kernel/participant-tool.ts'
import { administratorsOf } from '../access/administrators.ts'
import { codesSuspended } from './mails.ts'
import { emptySpentMails } from './spent-mails.ts'

const WRONG_A_DAY = 100
const LAST_CODES = 50

const REASONS = {
  wrong: `${WRONG_A_DAY} wrong codes were given in 24 hours`,
  burned: `more than half of the last ${LAST_CODES} codes were burned by wrong guesses`,
} as const

/**
 * After a wrong guess, under the account's lock. Two hundred codes a day with three guesses each would hit somebody's code one day; whoever
 * guesses as much as that is stopped long before, and whoever mistypes one code in twenty never is.
 */
export async function spendGuess(ctx: SignInContext): Promise<{ suspended: boolean }> {
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
        order by c.created_at desc, c.id desc limit ${LAST_CODES}) newest) last
    where a.tenant_id = ${ctx.tenantId} and a.id = ${ctx.account.id}`.execute(ctx.db)
  const { wrong, codes, burned } = rows[0]!
  if (wrong >= WRONG_A_DAY) await suspend(ctx, REASONS.wrong)
  else if (codes === LAST_CODES && burned > LAST_CODES / 2) await suspend(ctx, REASONS.burned)
  else return { suspended: false }
  return { suspended: true }
}

/** Sessions that were issued go on: they were opened by whoever reads the mailbox. */
async function suspend(ctx: SignInContext, reason: string): Promise<void> {
  const { tenantId, account } = ctx
  const { rows } = await sql<{ at: Date }>`
    update api_accounts set otp_suspended_at = lanyard_now(), otp_suspended_reason = ${reason}
    where tenant_id = ${tenantId} and id = ${account.id} returning otp_suspended_at as at`.execute(ctx.db)
  const { rows: burned } = await sql<{ id: string }>`
    update one_time_codes set burned_at = lanyard_now(), code_hash = null
    where tenant_id = ${tenantId} and account_id = ${account.id} and used_at is null and burned_at is null and superseded_at is null
    returning id`.execute(ctx.db)
  await emptySpentMails(ctx.db, tenantId, burned)
  const { at } = rows[0]!
  recordChange(ctx, {
    kind: 'apiAccount',
    id: account.id,
    before: { otpSuspendedAt: null, otpSuspendedReason: null },
    after: { otpSuspendedAt: at, otpSuspendedReason: reason },
  })
  for (const admin of await administratorsOf(ctx, account.id)) {
    await sendEmail(ctx, codesSuspended, {
      to: { address: admin.email, name: admin.name },
      content: { account: account.name, path: `/console/clients/${admin.clientCode}/accounts/${account.id}` },
      source: { kind: 'otpSuspension', id: `${account.id} ${at.toISOString()}`, recipientKey: admin.userId },
      locale: admin.language,
    })
  }
}
