import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { BOOTH_INTEGRITY_CHECKS } from './booths.ts'
import { ATTENDANCE_INTEGRITY_CHECKS } from './attendance.ts'
import { EXHIBITOR_INTEGRITY_CHECKS } from './exhibitors.ts'
import { MONEY_INTEGRITY_CHECKS } from './money.ts'
import { PARTICIPANT_INTEGRITY_CHECKS } from './people.ts'
import { RECORD_INTEGRITY_CHECKS, SIGNATURE_INTEGRITY_CHECKS } from './records.ts'
import { ROOM_INTEGRITY_CHECKS } from './rooms.ts'
import { SESSION_INTEGRITY_CHECKS } from './sessions.ts'

/** Returns the SQL condition that restricts the table with this alias to one event: `at('p')` for the alias `p`. */
export type EventSqlConditionBuilder = (alias: string) => RawBuilder<unknown>

/** A rule that the data must always satisfy. The query returns one row per violation, with a text `sample` that identifies it. */
export interface IntegrityCheck {
  id: string
  findViolations: (at: EventSqlConditionBuilder) => RawBuilder<unknown>
}

export interface IntegrityCheckResult {
  id: string
  ok: boolean
  violations: number
  samples: string[]
}

const sortById = (checks: readonly IntegrityCheck[]) => checks.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))

const CHECKS: readonly IntegrityCheck[] = [
  ...sortById([...MONEY_INTEGRITY_CHECKS, ...PARTICIPANT_INTEGRITY_CHECKS, ...RECORD_INTEGRITY_CHECKS]),
  ...sortById(ROOM_INTEGRITY_CHECKS),
  ...sortById([...ATTENDANCE_INTEGRITY_CHECKS, ...BOOTH_INTEGRITY_CHECKS, ...EXHIBITOR_INTEGRITY_CHECKS, ...SESSION_INTEGRITY_CHECKS]),
  ...sortById(SIGNATURE_INTEGRITY_CHECKS),
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
  const at: EventSqlConditionBuilder = (alias) =>
    sql`${sql.ref(`${alias}.tenant_id`)} = ${tenantId} and ${sql.ref(`${alias}.event_id`)} = ${eventId}`
  const { rows } = await sql<Omit<IntegrityCheckResult, 'ok'>>`${sql.join(
    checks.map(
      ({ id, findViolations }) => sql`
        select ${sql.lit(id)} as id, count(*)::int as violations, coalesce((array_agg(f.sample order by f.sample))[1:5], '{}') as samples
        from (${findViolations(at)}) f`,
    ),
    sql` union all `,
  )} /* same text for every call */`.execute(db)
  return rows.map((row) => ({ ...row, ok: row.violations === 0 }))
}
