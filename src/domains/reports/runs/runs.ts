import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { eventDb, type EventScope } from '../../../kernel/scoped-db.ts'
import { REPORT_RUN_STATES } from './states.ts'
import type { ReportRunRow } from './tables.ts'

export async function findReportRun(
  ctx: EventScope,
  runId: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<ReportRunRow | null> {
  const found = eventDb(ctx).selectFrom('report_runs').selectAll().where('id', '=', runId)
  return (await (lock ? found.forUpdate() : found).executeTakeFirst()) ?? null
}

/**
 * Selects the runs that the caller may see: runs are visible to their requester, to administrators, and to organizers who received the file
 * by email.
 */
function selectVisibleRuns(ctx: EventContext) {
  const runs = eventDb(ctx).selectFrom('report_runs').selectAll()
  if (ctx.permissions.has('clients.admin')) return runs
  return runs.where((eb) =>
    eb.or([
      eb('requested_by', '=', ctx.actor.id),
      sql<boolean>`exists (select from report_run_recipients r where r.tenant_id = report_runs.tenant_id and r.event_id = report_runs.event_id
        and r.run_id = report_runs.id and r.user_id = ${ctx.actor.id})`,
    ]),
  )
}

/** Returns a run that the caller may see; other runs are reported as unknown. */
export async function getReportRun(ctx: EventContext, runId: string): Promise<ReportRunRow> {
  const run = await selectVisibleRuns(ctx).where('id', '=', runId).executeTakeFirst()
  if (!run) throw notFound(`No run ${runId} at this event`)
  return run
}

/** Lists the latest runs that the caller may see, newest first. */
export const listRuns = (
  ctx: EventContext,
  { reportCode, limit = 10 }: { reportCode?: string; limit?: number } = {},
): Promise<ReportRunRow[]> => {
  const runs = selectVisibleRuns(ctx).orderBy('id', 'desc').limit(limit)
  return (reportCode === undefined ? runs : runs.where('report_code', '=', reportCode)).execute()
}

/** Lists the latest visible run of each report, by report code. */
export async function listLatestRuns(ctx: EventContext): Promise<Map<string, ReportRunRow>> {
  const rows = await selectVisibleRuns(ctx)
    .where('kind', '=', 'report')
    .distinctOn('report_code')
    .orderBy('report_code')
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.report_code!, row]))
}

/** Returns the file of a finished run if the caller may currently open it. Permissions are checked at every download. */
export async function getRunFile(ctx: EventContext, runId: string): Promise<ReportRunRow & { file_id: string }> {
  const run = await getReportRun(ctx, runId)
  if (run.status === 'expired') throw notFound('The file of this run has expired. Run the report again')
  if (run.file_id === null) throw notFound('This run has no file')
  const missing = run.needs.find((permission) => !ctx.permissions.has(permission))
  if (missing) throw new AppError('forbidden', `Forbidden — this file requires the ${missing} permission`)
  return { ...run, file_id: run.file_id }
}

/** Cancels a waiting or active report run and deletes its partial file. */
export async function cancelRun(ctx: EventContext, runId: string): Promise<void> {
  const visible = await getReportRun(ctx, runId)
  const run = await findReportRun(ctx, visible.id, { lock: true })
  await changeRecordState(ctx, REPORT_RUN_STATES, run!, 'cancelled', { columns: { finished_at: sql`lanyard_now()` } })
}
