import type { Pool } from '../../kernel/ports.ts'

const PER_ACCOUNT = 10
const PER_ADDRESS = 50

const COUNT = `
select (select count(*)::int from sign_in_failures where account = $1 and at > lanyard_now() - interval '15 minutes') as account,
       (select count(*)::int from sign_in_failures where address = $2 and at > lanyard_now() - interval '15 minutes') as address`

const NOTE = `
with old as (delete from sign_in_failures where at < lanyard_now() - interval '1 hour')
insert into sign_in_failures (account, address) values ($1, $2)`

/** Whether this account or this address has failed so often that even the right password has to wait. */
export async function mustWait(pool: Pool, who: { account: string; address: string }): Promise<boolean> {
  const { rows } = await pool.query<{ account: number; address: number }>(COUNT, [who.account.toLowerCase(), who.address])
  return rows[0]!.account >= PER_ACCOUNT || rows[0]!.address >= PER_ADDRESS
}

/** Notes a failure, and says whether it was the one that locks the account: then its owner is told. */
export async function noteFailure(pool: Pool, who: { account: string; address: string }): Promise<{ justLocked: boolean }> {
  await pool.query(NOTE, [who.account.toLowerCase(), who.address])
  const { rows } = await pool.query<{ account: number }>(COUNT, [who.account.toLowerCase(), who.address])
  return { justLocked: rows[0]!.account === PER_ACCOUNT }
}

export async function forgetFailures(pool: Pool, account: string): Promise<void> {
  await pool.query('delete from sign_in_failures where account = $1', [account.toLowerCase()])
}
