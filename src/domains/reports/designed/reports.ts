import type { EventContext } from '../../../kernel/context.ts'
import { type AppError, notFound } from '../../../kernel/errors.ts'
import { findMostSimilarName } from '../../../kernel/nearest.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { ReportDeliveryRow, DesignedReportRow } from './tables.ts'

type ReportScope = Pick<EventContext, 'db' | 'tenantId' | 'event' | 'actor' | 'permissions'>

/** Selects the reports that the caller may see. Private reports are visible only to their owner and to administrators. */
function selectVisibleReports(ctx: ReportScope) {
  const reports = eventDb(ctx).selectFrom('reports').selectAll()
  if (ctx.permissions.has('clients.admin')) return reports
  return reports.where((eb) => eb.or([eb('visibility', '=', 'event'), eb('owner_id', '=', ctx.actor.id)]))
}

const selectVisibleReport = (ctx: ReportScope, named: string) =>
  selectVisibleReports(ctx).where((eb) => eb.or([eb('code', '=', named.toLowerCase()), eb('id', '=', named.toLowerCase())]))

/** Finds a report that the caller may see, by code or id. */
export const findVisibleDesignedReport = async (ctx: ReportScope, named: string): Promise<DesignedReportRow | null> =>
  (await selectVisibleReport(ctx, named).executeTakeFirst()) ?? null

export async function getVisibleDesignedReport(ctx: ReportScope, named: string): Promise<DesignedReportRow> {
  const row = await findVisibleDesignedReport(ctx, named)
  if (!row) throw await unknownReportError(ctx, named)
  return row
}

export async function lockDesignedReport(ctx: ReportScope, named: string): Promise<DesignedReportRow> {
  const row = await selectVisibleReport(ctx, named).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw await unknownReportError(ctx, named)
  return row
}

/** Lists the designed reports that the caller may see, sorted by name. */
export const listVisibleDesignedReports = (ctx: ReportScope, status: DesignedReportRow['status']): Promise<DesignedReportRow[]> =>
  selectVisibleReports(ctx).where('status', '=', status).orderBy('name').orderBy('id').execute()

async function unknownReportError(ctx: ReportScope, named: string): Promise<AppError> {
  const rows = await selectVisibleReports(ctx).clearSelect().select('code').orderBy('code').limit(1000).execute()
  const codes = rows.map(({ code }) => code)
  const near = findMostSimilarName(named, codes)
  return notFound(`No report ${named} at this event${near === null ? '. Use list_reports to see them' : ` — did you mean ${near}?`}`)
}

export const findReportDelivery = async (
  ctx: Pick<EventContext, 'db' | 'tenantId' | 'event'>,
  reportId: string,
): Promise<ReportDeliveryRow | null> =>
  (await eventDb(ctx).selectFrom('report_deliveries').selectAll().where('id', '=', reportId).executeTakeFirst()) ?? null

export const listReportDeliveries = (
  ctx: Pick<EventContext, 'db' | 'tenantId' | 'event'>,
  reportIds: readonly string[],
): Promise<ReportDeliveryRow[]> =>
  reportIds.length === 0
    ? Promise.resolve([])
    : eventDb(ctx).selectFrom('report_deliveries').selectAll().where('id', 'in', reportIds).execute()
