import type { Pool } from '../../src/kernel/ports.ts'

export interface Clock {
  now: () => Promise<Date>
  /** Moves the database's time on, for every statement from now on. */
  advance: (interval: string) => Promise<void>
  /** Stops the clock at an instant. */
  stopAt: (instant: string) => Promise<void>
  reset: () => Promise<void>
}

const define = (body: string) =>
  `create or replace function lanyard_now() returns timestamptz language sql volatile parallel safe as $$ select date_trunc('milliseconds', ${body}) $$`

/** When every world begins, so that no test depends on the day it is run. */
const BEGINNING = Date.parse('2026-11-02T09:00:00Z')

/** Replaces the one function that all expiry, limits and stamps take time from. */
export async function clockOf(pool: Pool): Promise<Clock> {
  const running = `clock_timestamp() + interval '${BEGINNING - Date.now()} milliseconds'`
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
