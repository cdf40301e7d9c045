import { sql } from 'kysely'
import type { Db } from '../kernel/columns.ts'
import { getDatabaseTime } from '../kernel/database-time.ts'
import { addDays, wallTimeToInstant, toDayInZone } from '../kernel/time.ts'

/** The calendar of the demo's history, which ends when the demo is created. */
export interface DemoHistoryClock {
  /** The time at which the demo's history ends. */
  end: Date
  /** Returns the instant of a time of day, this many days before the last day of the demo's history. */
  daysBefore: (days: number, time: string) => Date
  minutesBefore: (minutes: number) => Date
  /** Sets the database clock for all later statements. */
  moveTo: (instant: Date) => Promise<void>
}

const SETTING = 'lanyard.story_time'

const STORY_NOW = `
create or replace function lanyard_now() returns timestamptz language sql volatile parallel safe as $$
  select current_setting('${SETTING}')::timestamptz $$`

/**
 * Lets weeks pass within one transaction. All timestamps come from the database function lanyard_now(), which is replaced with a settable
 * clock and restored before the commit. Other transactions never see the replacement, and a rollback undoes it too.
 */
export async function withDemoHistoryClock<T>(
  db: Db,
  { timezone, latest }: { timezone: string; latest: Date },
  run: (time: DemoHistoryClock) => Promise<T>,
): Promise<T> {
  const now = await getDatabaseTime({ db })
  const end = now < latest ? now : latest
  const today = toDayInZone(timezone, end)
  const moveTo = async (instant: Date) => {
    await sql`select set_config(${SETTING}, ${instant.toISOString()}, true)`.execute(db)
  }
  const { rows } = await sql<{ source: string }>`select pg_get_functiondef('lanyard_now()'::regprocedure) as source`.execute(db)
  await moveTo(end)
  await sql.raw(STORY_NOW).execute(db)
  const result = await run({
    end,
    daysBefore: (days, time) => wallTimeToInstant(timezone, `${addDays(today, -days)}T${time}`),
    minutesBefore: (minutes) => new Date(end.getTime() - minutes * 60_000),
    moveTo,
  })
  await sql.raw(rows[0]!.source).execute(db)
  return result
}
