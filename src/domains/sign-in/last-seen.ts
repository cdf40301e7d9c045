import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { formatInstant } from '../../kernel/time.ts'

/**
 * Selects each user's last visit to the console from the stored sessions. Sessions are deleted on sign-out; expired sessions still count.
 */
const selectConsoleVisits = (userIds: readonly string[]) => sql`
  select user_id, last_seen_at as at from browser_sessions where user_id = any(${[...userIds]}) and not totp_pending
  union all select id, last_seen_at from users where id = any(${[...userIds]}) and last_seen_at is not null`

export async function readLastSeenTimes(db: Db, userIds: readonly string[]): Promise<Map<string, Date>> {
  const { rows } = await sql<{ userId: string; at: Date }>`
    select user_id as "userId", max(at) as at from (${selectConsoleVisits(userIds)}) seen group by user_id`.execute(db)
  return new Map(rows.map((row) => [row.userId, row.at]))
}

/** Adds the time when each user was last active, in the console or through an app. */
export async function addLastSeenTimes<P extends { userId: string }>(
  db: Db,
  people: readonly P[],
): Promise<(P & { lastSeenAt: string | null })[]> {
  const ids = people.map((person) => person.userId)
  const { rows } = await sql<{ userId: string; at: Date }>`
    select user_id as "userId", max(at) as at from (
      ${selectConsoleVisits(ids)}
      union all select user_id, last_used_at from oauth_grants where user_id = any(${ids})) seen
    group by user_id`.execute(db)
  const seen = new Map(rows.map((row) => [row.userId, formatInstant(row.at)]))
  return people.map((person) => ({ ...person, lastSeenAt: seen.get(person.userId) ?? null }))
}
