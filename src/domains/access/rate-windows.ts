import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Pool } from '../../kernel/ports.ts'

/** One statement counts and answers, on whichever node: a limit holds over all of them. */
const COUNT = `
insert into rate_windows as w (key, window_start, count)
values ($1, date_trunc('minute', lanyard_now()), 1)
on conflict (key) do update set
  count = case when w.window_start = excluded.window_start then w.count + 1 else 1 end,
  window_start = excluded.window_start
returning count as used, extract(epoch from window_start)::float8 + 60 as "resetAt", extract(epoch from lanyard_now())::float8 as now`

interface Counted {
  used: number
  resetAt: number
  now: number
}

export async function countInMinute(pool: Pool, key: string): Promise<Counted> {
  const { rows } = await pool.query<Counted>(COUNT, [key])
  return rows[0]!
}

/** For what one tool may do in a minute. `db` is in no transaction: what is refused or undone was asked for all the same. */
export async function limitPerMinute(db: Db, key: string, most: number, what: string): Promise<void> {
  const { rows } = await db.executeQuery<Counted>(CompiledQuery.raw(COUNT, [key]))
  const seconds = secondsToWait(rows[0]!, most)
  if (seconds === null) return
  throw new AppError('limit_exceeded', `At most ${most} ${what} a minute — try again in ${seconds} seconds`, { retryAfterSeconds: seconds })
}

const secondsToWait = ({ used, resetAt, now }: Counted, most: number) => (used <= most ? null : Math.max(1, Math.ceil(resetAt - now)))

/** A bucket that fills steadily: the row keeps the moment at which it will be full again, and a request that would move it too far is refused. */
const TAKE = `
insert into rate_windows as w (key, window_start, count)
values ($1, lanyard_now() + make_interval(secs => $2::float8), 1)
on conflict (key) do update set
  count = w.count + 1,
  window_start = greatest(w.window_start, lanyard_now()) + make_interval(secs => $2::float8)
where greatest(w.window_start, lanyard_now()) + make_interval(secs => $2::float8) <= lanyard_now() + make_interval(secs => $3::float8)
returning 1`

/** Takes one from the bucket of the key; false when it is empty. */
export async function takeFromBucket(
  pool: Pool,
  key: string,
  { perMinute, burst }: { perMinute: number; burst: number },
): Promise<boolean> {
  const seconds = 60 / perMinute
  const { rows } = await pool.query(TAKE, [key, seconds, seconds * burst])
  return rows.length === 1
}

/** The hour starts with the first that is counted. */
const COUNT_HOUR = `
insert into rate_windows as w (key, window_start, count)
values ($1, lanyard_now(), 1)
on conflict (key) do update set
  count = case when w.window_start > lanyard_now() - interval '1 hour' then w.count + 1 else 1 end,
  window_start = case when w.window_start > lanyard_now() - interval '1 hour' then w.window_start else excluded.window_start end
returning count as used, extract(epoch from window_start)::float8 + 3600 as "resetAt", extract(epoch from lanyard_now())::float8 as now`

export async function countInHour(pool: Pool, key: string): Promise<number> {
  const { rows } = await pool.query<Counted>(COUNT_HOUR, [key])
  return rows[0]!.used
}

/** The same as for a minute. */
export async function limitPerHour(db: Db, key: string, most: number, what: string): Promise<void> {
  const { rows } = await db.executeQuery<Counted>(CompiledQuery.raw(COUNT_HOUR, [key]))
  const seconds = secondsToWait(rows[0]!, most)
  if (seconds === null) return
  const minutes = Math.ceil(seconds / 60)
  throw new AppError('limit_exceeded', `At most ${most} ${what} an hour — try again in ${minutes} minutes`, { retryAfterSeconds: seconds })
}

/** Windows that ended and buckets that are full again say nothing any more. The longest window is an hour. */
export async function forgetOldWindows(db: Db): Promise<void> {
  await sql`delete from rate_windows where window_start < lanyard_now() - interval '1 hour'`.execute(db)
}
