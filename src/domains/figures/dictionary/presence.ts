import { createQueryId, PostgresQueryCompiler, type RawBuilder, sql } from 'kysely'
import { buildMinutesPerPersonSql, buildOccupancySql, buildPresencePeriodsSql } from '../../attendance/presence.ts'
import { buildEventTimezoneSql } from './define.ts'

/** Builds the SQL for the times at which people were in the room of a conference session. */
const buildStaysAt = (session: string): RawBuilder<unknown> => {
  const column = (name: string) => sql.raw<never>(`${session}.${name}`)
  const event = { id: column('event_id'), timezone: sql.raw<never>(buildEventTimezoneSql(session)) }
  const where = sql<boolean>`s.session_id = ${column('id')}`
  return sql`(${buildPresencePeriodsSql({ tenantId: column('tenant_id'), event }, { places: 'room', where })})`
}

/** Returns the text of an SQL statement to embed in other statements. The statement must not have bound values. */
function toText(statement: RawBuilder<unknown>): string {
  const compiled = new PostgresQueryCompiler().compileQuery(statement.toOperationNode() as never, createQueryId())
  if (compiled.parameters.length > 0) throw new Error('The SQL of a field has values')
  return compiled.sql
}

/**
 * SQL for the full minutes that all people together spent in a conference session during its times. The measured and the assumed minutes of
 * each person are rounded down.
 */
export const buildAttendanceMinutesSql = (session: string): string =>
  toText(
    sql`(select coalesce(sum(pm.minutes + pm.assumed), 0)::int from (${buildMinutesPerPersonSql(buildStaysAt(session), sql`null::text`)}) pm)`,
  )

/** SQL for the largest number of people who were in a conference session at the same time. */
export const buildPeakAttendanceSql = (session: string): string =>
  toText(sql`(select coalesce(max(oc.inside), 0)::int from (${buildOccupancySql(buildStaysAt(session), sql`null::text`)}) oc)`)
