import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { BOOTH_CHECKS } from './booths.ts'
import { ATTENDANCE_CHECKS } from './attendance.ts'
import { EXHIBITOR_CHECKS } from './exhibitors.ts'
import { MONEY_CHECKS } from './money.ts'
import { PEOPLE_CHECKS } from './people.ts'
import { RECORD_CHECKS, SIGNING_CHECKS } from './records.ts'
import { ROOM_CHECKS } from './rooms.ts'
import { SESSION_CHECKS } from './sessions.ts'

/** Returns the SQL condition that restricts the table with this alias to one event: `at('p')` for the alias `p`. */
export type EventCondition = (alias: string) => RawBuilder<unknown>

/** A rule that the data must always satisfy. The query returns one row per violation, with a text `sample` that identifies it. */
export interface IntegrityCheck {
  id: string
  findViolations: (at: EventCondition) => RawBuilder<unknown>
}

export interface IntegrityCheckResult {
  id: string
  ok: boolean
  violations: number
  samples: string[]
}

const sortById = (checks: readonly IntegrityCheck[]) => checks.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))

const CHECKS: readonly IntegrityCheck[] = [
  ...sortById([...MONEY_CHECKS, ...PEOPLE_CHECKS, ...RECORD_CHECKS]),
  ...sortById(ROOM_CHECKS),
  ...sortById([...ATTENDANCE_CHECKS, ...BOOTH_CHECKS, ...EXHIBITOR_CHECKS, ...SESSION_CHECKS]),
  ...sortById(SIGNING_CHECKS),
]

/**
 * Checks integrity rules, by default all, on an event's real (non-test) rows. A single statement sees one snapshot, so concurrent changes
 * are seen completely or not at all.
 */
export async function checkIntegrity(
  db: Db,
  tenantId: number,
  eventId: string,
  checks: readonly IntegrityCheck[] = CHECKS,
): Promise<IntegrityCheckResult[]> {
  const at: EventCondition = (alias) => sql`${sql.ref(`${alias}.tenant_id`)} = ${tenantId} and ${sql.ref(`${alias}.event_id`)} = ${eventId}`
  const { rows } = await sql<Omit<IntegrityCheckResult, 'ok'>>`${sql.join(
    checks.map(
      ({ id, findViolations }) => sql`
        select ${sql.lit(id)} as id, count(*)::int as violations, coalesce((array_agg(f.sample order by f.sample))[1:5], '{}') as samples
        from (${findViolations(at)}) f`,
    ),
    sql` union all `,
  )} /* always the same */`.execute(db)
  return rows.map((row) => ({ ...row, ok: row.violations === 0 }))
}
