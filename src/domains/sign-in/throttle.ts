import { foldEmailCase } from '../../kernel/email-address.ts'
import type { Pool } from '../../kernel/ports.ts'

const FAILURES_PER_ACCOUNT = 10
const FAILURES_PER_ADDRESS = 50

const COUNT_ATTEMPT = `
with old as (delete from sign_in_failures where at < lanyard_now() - interval '1 hour')
insert into sign_in_failures (account, address) values ($1, $2) returning id`

const UNCOUNT_ATTEMPT = `
select (select count(*)::int from sign_in_failures where account = $1 and at > lanyard_now() - interval '15 minutes') as account,
       (select count(*)::int from sign_in_failures where address = $2 and at > lanyard_now() - interval '15 minutes') as address`

interface AttemptKeys {
  account: string
  address: string
}

export type ThrottledAttemptOutcome<T> = { kind: 'wait' } | { kind: 'wrong'; justLocked: boolean } | { kind: 'right'; value: T }

/**
 * Checks a password or code unless the account or address has too many failures. The attempt is counted before the check and uncounted on
 * success, because counting afterwards would let many concurrent guesses be checked first. Blocked attempts are not counted, so the block
 * ends by itself.
 */
export async function runThrottledAttempt<T>(
  pool: Pool,
  { account, address }: AttemptKeys,
  check: () => Promise<T | null>,
): Promise<ThrottledAttemptOutcome<T>> {
  const who = [failureKey(account), address]
  const { rows: begun } = await pool.query<{ id: number }>(COUNT_ATTEMPT, who)
  const takeBack = () => pool.query('delete from sign_in_failures where id = $1', [begun[0]!.id])
  const { rows } = await pool.query<{ account: number; address: number }>(UNCOUNT_ATTEMPT, who)
  const failures = rows[0]!
  if (failures.account > FAILURES_PER_ACCOUNT || failures.address > FAILURES_PER_ADDRESS) {
    await takeBack()
    return { kind: 'wait' }
  }
  const value = await check()
  if (value === null) return { kind: 'wrong', justLocked: failures.account === FAILURES_PER_ACCOUNT }
  await takeBack()
  return { kind: 'right', value }
}

/**
 * Resets the failure count after a complete sign-in. A correct password alone must not reset it, or the second factor could be guessed
 * without limit.
 */
export async function resetSignInFailures(pool: Pool, account: string): Promise<void> {
  await pool.query('delete from sign_in_failures where account = $1', [failureKey(account)])
}

const failureKey = (account: string) => foldEmailCase(account).slice(0, 254)
