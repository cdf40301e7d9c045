import type { Pool } from '../../src/kernel/ports.ts'

export interface Clock {
  now: () => Promise<Date>
  /** Moves the database's clock forward for all following statements. */
  advance: (interval: string) => Promise<void>
  /** Stops the clock at the given instant. */
  stopAt: (instant: string) => Promise<void>
  reset: () => Promise<void>
}

const define = (body: string) =>
  `create or replace function lanyard_now() returns timestamptz language sql volatile parallel safe as $$ select date_trunc('milliseconds', ${body}) $$`

/** The time at which every test world starts, so that no test depends on the current date. */
const WORLD_START_MS = Date.parse('2026-11-02T09:00:00Z')

/** Replaces the one database function that expiry, rate limits and timestamps read the time from. */
export async function installClock(pool: Pool): Promise<Clock> {
  const running = `clock_timestamp() + interval '${WORLD_START_MS - Date.now()} milliseconds'`
  let ahead = ''
  await pool.query(define(running))
  return {
    async now() {
      const { rows } = await pool.query<{ now: Date }>('select lanyard_now() as now')
      return rows[0]!.now
    },
    async advance(interval) {
      ahead += ` + interval '${interval}'`
      await pool.query(define(`${running}${ahead}`))
    },
    async stopAt(instant) {
      await pool.query(define(`timestamptz '${instant}'`))
    },
    async reset() {
      ahead = ''
      await pool.query(define(running))
    },
  }
}
