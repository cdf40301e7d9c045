import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Pool } from '../../kernel/ports.ts'

/** One statement counts a call and returns the count, so that the limit applies across all server processes. */
const COUNT_IN_MINUTE = `
insert into rate_windows as w (key, window_start, count)
values ($1, date_trunc('minute', lanyard_now()), 1)
on conflict (key) do update set
  count = case when w.window_start = excluded.window_start then w.count + 1 else 1 end,
  window_start = excluded.window_start
returning count as used, extract(epoch from window_start)::float8 + 60 as "resetAt", extract(epoch from lanyard_now())::float8 as now`

interface WindowCount {
  used: number
  resetAt: number
  now: number
}

export async function countCallInMinuteWindow(pool: Pool, key: string): Promise<WindowCount> {
  const { rows } = await pool.query<WindowCount>(COUNT_IN_MINUTE, [key])
  return rows[0]!
}

/** Limits calls per minute. `db` must not be a transaction, so that failed calls count too. */
export async function limitCallsPerMinute(db: Db, key: string, most: number, what: string): Promise<void> {
  const { rows } = await db.executeQuery<WindowCount>(CompiledQuery.raw(COUNT_IN_MINUTE, [key]))
  const seconds = secondsToWait(rows[0]!, most)
  if (seconds === null) return
  throw new AppError('limit_exceeded', `At most ${most} ${what} a minute. Try again in ${seconds} seconds`, { retryAfterSeconds: seconds })
}

const secondsToWait = ({ used, resetAt, now }: WindowCount, most: number) => (used <= most ? null : Math.max(1, Math.ceil(resetAt - now)))

/** SQL of a token bucket: the row stores the time when the bucket will be full again. */
const TAKE_FROM_BUCKET = `
insert into rate_windows as w (key, window_start, count)
values ($1, lanyard_now() + make_interval(secs => $2::float8), 1)
on conflict (key) do update set
  count = w.count + 1,
  window_start = greatest(w.window_start, lanyard_now()) + make_interval(secs => $2::float8)
where greatest(w.window_start, lanyard_now()) + make_interval(secs => $2::float8) <= lanyard_now() + make_interval(secs => $3::float8)
returning 1`

/** Takes one token from the token bucket of a key. Returns false if the bucket is empty. */
export async function takeRateLimitToken(
  pool: Pool,
  key: string,
  { perMinute, burst }: { perMinute: number; burst: number },
): Promise<boolean> {
  const seconds = 60 / perMinute
  const { rows } = await pool.query(TAKE_FROM_BUCKET, [key, seconds, seconds * burst])
  return rows.length === 1
}

/** Returns a token to its bucket, for a call that does not count against the rate limit. */
export async function returnRateLimitToken(pool: Pool, key: string, { perMinute }: { perMinute: number }): Promise<void> {
  await pool.query(`update rate_windows set window_start = window_start - make_interval(secs => $2::float8) where key = $1`, [
    key,
    60 / perMinute,
  ])
}

/** Counts a call in a window of one hour, which starts with the first counted call. */
const COUNT_IN_HOUR = `
insert into rate_windows as w (key, window_start, count)
values ($1, lanyard_now(), 1)
on conflict (key) do update set
  count = case when w.window_start > lanyard_now() - interval '1 hour' then w.count + 1 else 1 end,
  window_start = case when w.window_start > lanyard_now() - interval '1 hour' then w.window_start else excluded.window_start end
returning count as used, extract(epoch from window_start)::float8 + 3600 as "resetAt", extract(epoch from lanyard_now())::float8 as now`

export async function countCallInHourWindow(pool: Pool, key: string): Promise<number> {
  const { rows } = await pool.query<WindowCount>(COUNT_IN_HOUR, [key])
  return rows[0]!.used
}

/** Counts a call in its one-hour window inside the caller's transaction, so that a call that is rolled back does not count. */
export async function countHourlyCallInTransaction(db: Db, key: string): Promise<number> {
  const { rows } = await db.executeQuery<WindowCount>(CompiledQuery.raw(COUNT_IN_HOUR, [key]))
  return rows[0]!.used
}

/** Limits calls per hour. `db` must not be a transaction, so that failed calls count too. */
export async function limitCallsPerHour(db: Db, key: string, most: number, what: string): Promise<void> {
  const { rows } = await db.executeQuery<WindowCount>(CompiledQuery.raw(COUNT_IN_HOUR, [key]))
  const seconds = secondsToWait(rows[0]!, most)
  if (seconds === null) return
  const minutes = Math.ceil(seconds / 60)
  throw new AppError('limit_exceeded', `At most ${most} ${what} an hour. Try again in ${minutes} minutes`, { retryAfterSeconds: seconds })
}

/** Deletes the stored counters of rate limits that have expired, and full token buckets. */
export async function deleteExpiredRateLimitCounters(db: Db): Promise<void> {
  await sql`delete from rate_windows where window_start < lanyard_now() - interval '1 hour'`.execute(db)
}
