import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { MONEY_CHECKS } from './money.ts'
import { PEOPLE_CHECKS } from './people.ts'
import { RECORD_CHECKS } from './records.ts'
import { ROOM_CHECKS } from './rooms.ts'
import { SESSION_CHECKS } from './sessions.ts'

/** Where it is looked: `at('p')` is true for the event's rows of the table that the query calls p. */
export type At = (alias: string) => RawBuilder<unknown>

/** Something that is never so. The query finds where it is: one row each, with a text that names it, `sample`. */
export interface Check {
  id: string
  faults: (at: At) => RawBuilder<unknown>
}

export interface Invariant {
  id: string
  ok: boolean
  violations: number
  samples: string[]
}

const inOrder = (checks: readonly Check[]) => checks.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))

const CHECKS: readonly Check[] = [
  ...inOrder([...MONEY_CHECKS, ...PEOPLE_CHECKS, ...RECORD_CHECKS]),
  ...inOrder(ROOM_CHECKS),
  ...inOrder(SESSION_CHECKS),
]

/**
 * Whether everything about an event's real rows holds that must never be otherwise. One statement, so one snapshot: what others are
 * changing meanwhile is seen whole or not at all.
 */
export async function checkIntegrity(db: Db, tenantId: number, eventId: string): Promise<Invariant[]> {
  const at: At = (alias) => sql`${sql.ref(`${alias}.tenant_id`)} = ${tenantId} and ${sql.ref(`${alias}.event_id`)} = ${eventId}`
  const { rows } = await sql<Omit<Invariant, 'ok'>>`${sql.join(
    CHECKS.map(
      ({ id, faults }) => sql`
        select ${sql.lit(id)} as id, count(*)::int as violations, coalesce((array_agg(f.sample order by f.sample))[1:5], '{}') as samples
        from (${faults(at)}) f`,
    ),
    sql` union all `,
  )} /* always the same */`.execute(db)
  return rows.map((row) => ({ ...row, ok: row.violations === 0 }))
}
