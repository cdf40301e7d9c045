import { type RawBuilder, sql } from 'kysely'
import { endOfDay, startOfDay } from '../../../kernel/time.ts'
import type { ReportScope } from './types.ts'

/** SQL condition that a row of the table with this alias belongs to the event, and is real or test data as the report table requires. */
export const buildReportRowCondition = ({ tenantId, event, isTestData }: ReportScope, alias: string): RawBuilder<boolean> => {
  const of = sql.table(alias)
  return sql<boolean>`${of}.tenant_id = ${tenantId} and ${of}.event_id = ${event.id} and ${of}.is_test_data = ${isTestData}`
}

/** SQL condition that a row of the table with the given alias belongs to the event. */
export const buildEventRowCondition = ({ tenantId, event }: ReportScope, alias: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.table(alias)}.tenant_id = ${tenantId} and ${sql.table(alias)}.event_id = ${event.id}`

/** SQL condition that the rows of two aliases belong to the same event. */
export const buildSameEventCondition = (one: string, other: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.table(one)}.tenant_id = ${sql.table(other)}.tenant_id and ${sql.table(one)}.event_id = ${sql.table(other)}.event_id`

/** SQL condition that the instant is on one of the days from `from` until `until`. */
export function buildPeriodCondition({ values, event }: ReportScope, at: RawBuilder<unknown>): RawBuilder<boolean> {
  const { from, until } = values
  const since = typeof from === 'string' ? sql<boolean>`${at} >= ${startOfDay(event.timezone, from)}` : sql<boolean>`true`
  return typeof until === 'string' ? sql<boolean>`${since} and ${at} < ${endOfDay(event.timezone, until)}` : since
}

/**
 * SQL condition that a participant matches the registration flow, tags and period of a report's parameters. `at` is the date that the
 * period applies to.
 */
export function buildParticipantCondition(scope: ReportScope, alias: string, at: RawBuilder<unknown>): RawBuilder<boolean> {
  const { flowSlug, tags } = scope.values
  const of = sql.table(alias)
  const inFlow = typeof flowSlug === 'string' ? sql<boolean>`${of}.flow_slug = ${flowSlug}` : sql<boolean>`true`
  const tagged = Array.isArray(tags) && tags.length > 0 ? sql<boolean>`${of}.tags && ${tags}::text[]` : sql<boolean>`true`
  return sql<boolean>`${buildReportRowCondition(scope, alias)} and ${inFlow} and ${tagged} and ${buildPeriodCondition(scope, at)}`
}

/** SQL expression for the local day of an instant. */
export const buildLocalDaySql = ({ event }: ReportScope, at: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`(${at} at time zone ${event.timezone})::date`

export const buildTodaySql = (scope: ReportScope): RawBuilder<string> => buildLocalDaySql(scope, sql`lanyard_now()`)

/** SQL expression for the full name of a participant. */
export const buildFullNameSql = (alias: string): RawBuilder<string> =>
  sql<string>`concat_ws(' ', ${sql.table(alias)}.first_name, ${sql.table(alias)}.last_name)`

/** SQL expression for the name of the owner of an order with the alias `o`. */
export const buildPayerNameSql = (scope: ReportScope): RawBuilder<string> => sql<string>`coalesce(
  (select ${buildFullNameSql('pn')} from participants pn where ${buildEventRowCondition(scope, 'pn')} and pn.id = o.participant_id),
  (select gn.name from managed_groups gn where ${buildEventRowCondition(scope, 'gn')} and gn.id = o.group_id),
  (select cn.name from companies cn where ${buildEventRowCondition(scope, 'cn')} and cn.id = o.company_id))`
