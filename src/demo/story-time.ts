import { sql } from 'kysely'
import type { Db } from '../kernel/columns.ts'
import { databaseTime } from '../kernel/database-time.ts'
import { addDays, atWallTime, dayIn } from '../kernel/time.ts'

/** The calendar of a story that ends when the demo is made. */
export interface StoryTime {
  /** When the last of it happens. */
  end: Date
  /** So many days before that, at a time of day. */
  daysBefore: (days: number, time: string) => Date
  minutesBefore: (minutes: number) => Date
  /** What is done from now on is done then. */
  moveTo: (instant: Date) => Promise<void>
}

const SETTING = 'lanyard.story_time'

const STORY_NOW = `
create or replace function lanyard_now() returns timestamptz language sql volatile parallel safe as $$
  select current_setting('${SETTING}')::timestamptz $$`

/**
 * Lets weeks pass within one transaction, by leaps: at each moment of the story the clock stands. All stamps, terms and limits come from one function of the database; it follows the story until the
 * story is told and is then as it was, before the commit: nobody else ever sees it otherwise, and a transaction that fails undoes it too.
 */
export async function inStoryTime<T>(
  db: Db,
  { timezone, latest }: { timezone: string; latest: Date },
  tell: (time: StoryTime) => Promise<T>,
): Promise<T> {
  const now = await databaseTime({ db })
  const end = now < latest ? now : latest
  const today = dayIn(timezone, end)
  const moveTo = async (instant: Date) => {
    await sql`select set_config(${SETTING}, ${instant.toISOString()}, true)`.execute(db)
  }
  const { rows } = await sql<{ source: string }>`select pg_get_functiondef('lanyard_now()'::regprocedure) as source`.execute(db)
  await moveTo(end)
  await sql.raw(STORY_NOW).execute(db)
  const told = await tell({
    end,
    daysBefore: (days, time) => atWallTime(timezone, `${addDays(today, -days)}T${time}`),
    minutesBefore: (minutes) => new Date(end.getTime() - minutes * 60_000),
    moveTo,
  })
  await sql.raw(rows[0]!.source).execute(db)
  return told
}
