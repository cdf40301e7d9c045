import type { Pool } from '../../kernel/ports.ts'

/** One statement counts and answers, on whichever node: a limit holds over all of them. */
const COUNT = `
insert into rate_windows as w (key, window_start, count)
values ($1, date_trunc('minute', lanyard_now()), 1)
on conflict (key) do update set
  count = case when w.window_start = excluded.window_start then w.count + 1 else 1 end,
  window_start = excluded.window_start
returning count as used, extract(epoch from window_start)::float8 + 60 as "resetAt", extract(epoch from lanyard_now())::float8 as now`

export async function countInMinute(pool: Pool, key: string): Promise<{ used: number; resetAt: number; now: number }> {
  const { rows } = await pool.query<{ used: number; resetAt: number; now: number }>(COUNT, [key])
  return rows[0]!
}
