import { sql } from 'kysely'
import { loadRegistrationPaceBaseline, forecastRegistrations } from '../../registration/flows/pace.ts'
import { limitSnapshotToEvent } from '../../figures/query/snapshot.ts'
import type { ReportScope, ReportTableSource } from './types.ts'

/** The number of complete registrations at the end of a day. Days are counted backwards from the start of the event. */
interface PaceDay {
  daysBefore: number
  net: number
}

async function listDays({ snapshot, tenantId, isTestData }: ReportScope, eventId: string): Promise<PaceDay[]> {
  const { rows } = await sql<PaceDay>`
    select e.starts_on - c.day as "daysBefore", sum(c.change)::int as net
    from events e cross join lateral (
      select (p.completed_at at time zone e.timezone)::date as day, 1 as change from participants p
      where p.tenant_id = e.tenant_id and p.event_id = e.id and p.is_test_data = ${isTestData} and p.completed_at is not null and p.status in ('complete', 'cancelled')
      union all
      select (p.cancelled_at at time zone e.timezone)::date, -1 from participants p
      where p.tenant_id = e.tenant_id and p.event_id = e.id and p.is_test_data = ${isTestData} and p.completed_at is not null and p.status = 'cancelled') c
    where e.tenant_id = ${tenantId} and e.id = ${eventId} group by 1 order by 1 desc`.execute(snapshot.db)
  return rows
}

/**
 * Builds the rows of the registration pace, from the first completed registration of either event to today, as get_registration_summary
 * does.
 */
export async function buildRegistrationPaceRows(scope: ReportScope): Promise<ReportTableSource> {
  await limitSnapshotToEvent(scope.snapshot, null)
  const comparison = await loadRegistrationPaceBaseline(scope.snapshot.ctx, String(scope.values['compareWith']))
  const [own, others] = [await listDays(scope, scope.event.id), await listDays(scope, comparison.other.eventId)]
  await limitSnapshotToEvent(scope.snapshot, scope.event.id)
  const first = Math.max(comparison.daysBefore, own[0]?.daysBefore ?? -Infinity, others[0]?.daysBefore ?? -Infinity)
  const last = Math.min(comparison.daysBefore, others.at(-1)?.daysBefore ?? Infinity)
  const final = others.reduce((sum, { net }) => sum + net, 0)
  const until = (days: readonly PaceDay[], daysBefore: number) =>
    days.reduce((sum, one) => sum + (one.daysBefore >= daysBefore ? one.net : 0), 0)
  const rows = Array.from({ length: first - last + 1 }, (_, step) => {
    const daysBefore = first - step
    const other = until(others, daysBefore)
    if (daysBefore < comparison.daysBefore) return { daysBefore, this: null, other, difference: null, projected: null }
    const mine = until(own, daysBefore)
    const projected = forecastRegistrations(mine, other, final)
    return { daysBefore, this: mine, other, difference: mine - other, projected }
  })
  return { rows }
}
