import type { Pool } from '../../kernel/ports.ts'

const FAILURES_PER_ACCOUNT = 10
const FAILURES_PER_ADDRESS = 50

const BEGIN = `
with old as (delete from sign_in_failures where at < lanyard_now() - interval '1 hour')
insert into sign_in_failures (account, address) values ($1, $2) returning id`

const COUNT = `
select (select count(*)::int from sign_in_failures where account = $1 and at > lanyard_now() - interval '15 minutes') as account,
       (select count(*)::int from sign_in_failures where address = $2 and at > lanyard_now() - interval '15 minutes') as address`

interface Who {
  account: string
  address: string
}

export type Outcome<T> = { kind: 'wait' } | { kind: 'wrong'; justLocked: boolean } | { kind: 'right'; value: T }

/**
 * Checks a password or code, unless this account or this address has failed so often that even the right one has to wait.
 * The attempt is counted before it is checked and taken back when it was right: counted afterwards, a thousand sent at once would
 * all be checked before the first of them counts. What is refused for waiting leaves no trace, so the wait ends by itself.
 */
export async function attempt<T>(pool: Pool, { account, address }: Who, check: () => Promise<T | null>): Promise<Outcome<T>> {
  const who = [keyOf(account), address]
  const { rows: begun } = await pool.query<{ id: number }>(BEGIN, who)
  const takeBack = () => pool.query('delete from sign_in_failures where id = $1', [begun[0]!.id])
  const { rows } = await pool.query<{ account: number; address: number }>(COUNT, who)
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

/** After a complete sign-in. The first factor alone forgets nothing, or whoever knows it could try the second without end. */
export async function forgetFailures(pool: Pool, account: string): Promise<void> {
  await pool.query('delete from sign_in_failures where account = $1', [keyOf(account)])
}

const keyOf = (account: string) => account.toLowerCase().slice(0, 254)
