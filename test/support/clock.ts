import type { Pool } from '../../src/kernel/ports.ts'

export interface Clock {
  /** Moves the database's time on, for every statement from now on. */
  advance: (interval: string) => Promise<void>
  /** Stops the clock at an instant. */
  stopAt: (instant: string) => Promise<void>
  reset: () => Promise<void>
}

const define = (body: string) =>
  `create or replace function lanyard_now() returns timestamptz language sql volatile parallel safe as $$ select date_trunc('milliseconds', ${body}) $$`

/** Replaces the one function that all expiry, limits and stamps take time from. */
export function clockOf(pool: Pool): Clock {
  let ahead = ''
  return {
    async advance(interval) {
      ahead += ` + interval '${interval}'`
      await pool.query(define(`clock_timestamp()${ahead}`))
    },
    async stopAt(instant) {
      await pool.query(define(`timestamptz '${instant}'`))
    },
    async reset() {
      ahead = ''
      await pool.query(define('clock_timestamp()'))
    },
  }
}
