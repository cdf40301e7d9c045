import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { newId } from '../../../kernel/ids.ts'
import { enqueueJob } from '../../../kernel/jobs.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { FileFormat } from '../files/facts.ts'
import type { RunRecipient } from './recipients.ts'
import { runReportJob } from './run-job.ts'
import type { ReportRunRow, ReportRunOptions } from './tables.ts'

/**
 * A request to start a run. The job finds the report by its code and runs it in one snapshot with the permissions that the requester has
 * then, so the request contains no rows.
 */
export interface RunRequest {
  kind: 'report' | 'export'
  /** The report's code and the name shown in lists, files and emails. Exports have no code. */
  report: { code: string | null; name: string }
  /** The validated parameter values, by parameter name. */
  parameters: Readonly<Record<string, unknown>>
  format: FileFormat | 'zip'
  /** The recipients, whose permission was checked. Each recipient gets one email when the file is complete. */
  recipients: readonly RunRecipient[]
  options?: ReportRunOptions
  /**
   * The idempotency key of the run, such as a delivery's report and scheduled time: a second request with the same key returns the first
   * run.
   */
  sourceKey?: string
  /** The user whose permissions apply, such as the user who scheduled a delivery; defaults to the caller. */
  requestedBy?: { id: string; name: string }
}

export interface StartedRun {
  runId: string
  jobId: string
  status: ReportRunRow['status']
}

/** Starts a run in the caller's transaction. The run, its recipients and its job are committed together. */
export async function startRun(ctx: EventContext, request: RunRequest): Promise<StartedRun> {
  if (request.sourceKey !== undefined) {
    const known = await eventDb(ctx).selectFrom('report_runs').selectAll().where('source_key', '=', request.sourceKey).executeTakeFirst()
    if (known) return { runId: known.id, jobId: known.job_id!, status: known.status }
  }
  const runId = newId()
  const requestedBy = request.requestedBy ?? ctx.actor
  // The job acts on behalf of the requester.
  const { jobId } = await enqueueJob(
    { ...ctx, actor: { ...ctx.actor, id: requestedBy.id, name: requestedBy.name } },
    runReportJob,
    { runId },
    { eventId: ctx.event.id },
  )
  await insertReportRun(ctx, request, { runId, jobId, requestedBy })
  await insertRecipients(ctx, runId, request.recipients)
  return { runId, jobId, status: 'queued' }
}

/** Stores a report run. A caller that passes no job must finish the run in the same transaction. */
export async function insertReportRun(
  ctx: EventContext,
  { kind, report, parameters, format, options = {}, sourceKey }: RunRequest,
  { runId, jobId, requestedBy }: { runId: string; jobId: string | null; requestedBy: { id: string; name: string } },
): Promise<ReportRunRow> {
  const row = await ctx.db
    .insertInto('report_runs')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: runId,
      kind,
      report_code: report.code,
      name: report.name,
      parameters: JSON.stringify(parameters),
      options: JSON.stringify(options),
      format,
      source_key: sourceKey ?? null,
      job_id: jobId,
      requested_by: requestedBy.id,
      requested_by_name: requestedBy.name,
      app: ctx.actor.app.name,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'reportRun', id: runId, after: { report: report.code ?? kind, format, status: row.status } })
  return row
}

async function insertRecipients(ctx: EventContext, runId: string, recipients: readonly RunRecipient[]): Promise<void> {
  if (recipients.length === 0) return
  await ctx.db
    .insertInto('report_run_recipients')
    .values(
      recipients.map(({ email, userId }) => ({
        tenant_id: ctx.tenantId,
        event_id: ctx.event.id,
        run_id: runId,
        id: newId(),
        email,
        email_norm: foldEmailCase(email),
        user_id: userId,
      })),
    )
    .execute()
}
