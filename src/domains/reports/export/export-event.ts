import type { EventContext } from '../../../kernel/context.ts'
import { sendEmail } from '../../../kernel/email.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { AppError, conflict, type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { PrefetchContext } from '../../../kernel/tool.ts'
import { listClientAdministrators } from '../../access/administrators.ts'
import { compileRowQuery } from '../../figures/query/compile-rows.ts'
import { executeStatement } from '../../figures/query/execute.ts'
import { runInSnapshot, type QuerySnapshot } from '../../figures/query/snapshot.ts'
import { readReportSettings } from '../../tenancy/report-settings.ts'
import { exportNoticeEmail } from '../runs/emails.ts'
import { listRequiredRunPermissions } from '../runs/requester.ts'
import { requirePermissions } from '../runs/open-report.ts'
import { startRun } from '../runs/start-run.ts'
import type { ExportOptions } from './options.ts'
import { findExportExclusionReason, planExport } from './plan-export.ts'

export type ExportInput = Omit<ExportOptions, 'entities'> & { entities?: readonly string[] | undefined }

/** An export that is planned but not written yet: its entities, fields and estimated size. */
export interface PreparedExport {
  entities: { name: string; rows: number }[]
  estimatedBytes: number
  personal: string[]
}

/** The approximate number of bytes of one value in both file formats together, to estimate the size of an export. */
const BYTES_PER_VALUE = 24

/** Counts the rows of an export, for a dry run. */
export async function prepareExport(ctx: PrefetchContext<EventContext>, input: ExportInput): Promise<PreparedExport> {
  return runInSnapshot(ctx, 'export_event', async (snapshot) => {
    requireExportableNames(snapshot, input.entities ?? [])
    const plan = planExport(snapshot.dictionary, { ...input, entities: input.entities ?? null }, ctx.permissions)
    if (!ctx.isDryRun) return { entities: [], estimatedBytes: 0, personal: plan.personal }
    const entities: PreparedExport['entities'] = []
    let values = 0
    for (const { name, fields } of plan.entities) {
      const rows = await countEntity(snapshot, name, input.includeTestData)
      entities.push({ name, rows })
      values += rows * fields.length
    }
    return { entities, estimatedBytes: values * BYTES_PER_VALUE * input.formats.length, personal: plan.personal }
  })
}

function requireExportableNames({ dictionary }: QuerySnapshot, names: readonly string[]): void {
  const exportable = [...dictionary.values()].filter((entity) => findExportExclusionReason(entity) === null).map(({ name }) => name)
  const errors = names.flatMap((name, at): FieldError[] => {
    const path = `entities[${at}]`
    const entity = dictionary.get(name)
    if (!entity) return [createUnknownNameFieldError(path, name, exportable, 'entity')]
    const shared = findExportExclusionReason(entity)
    return shared === null ? [] : [{ path, message: `${name} ${shared}` }]
  })
  if (errors.length > 0) throw invalidArguments(errors)
}

async function countEntity({ db, ctx, dictionary, scope }: QuerySnapshot, entity: string, includeTestData: boolean): Promise<number> {
  const compiled = compileRowQuery(dictionary, scope, { entity, fields: [], includeTestData })
  const rows = await executeStatement<{ total: number }>(
    db,
    { text: compiled.toCountSql(), values: compiled.plan.values, dateField: null },
    ctx.queryLimits,
  )
  return Number(rows[0]!.total)
}

/** Starts the export of a whole event. Administrators are notified of exports with personal data. */
export async function exportEvent(ctx: EventContext, input: ExportInput, prepared: PreparedExport) {
  const options: ExportOptions = { ...input, entities: input.entities ?? null }
  requirePermissions('export_event', listRequiredRunPermissions({ kind: 'export', options: { export: options } }), ctx.permissions)
  const { exportAllowed } = await readReportSettings(ctx)
  if (!exportAllowed)
    throw new AppError(
      'forbidden',
      `Exports are turned off for client ${ctx.client.code} (exportAllowed). An administrator can turn them on in the settings of the client`,
    )
  const running = await eventDb(ctx)
    .selectFrom('report_runs')
    .select('id')
    .where('kind', '=', 'export')
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst()
  if (running)
    throw conflict(`Another export of this event is running: ${running.id}`, {
      fix: { tool: 'get_report', arguments: { runId: running.id }, here: true },
    })
  const run = await startRun(ctx, {
    kind: 'export',
    report: { code: null, name: `Export of ${ctx.event.name}` },
    parameters: {},
    format: 'zip',
    recipients: [],
    options: { export: options },
  })
  if (options.personalData !== 'none') {
    ctx.effects.add('changes', `export of ${ctx.event.id} with ${options.personalData}`, {
      personalData: options.personalData,
      fields: prepared.personal.length,
    })
    ctx.effects.requireConfirmation('An export with personal data always needs a confirmToken')
    await notifyAdministrators(ctx, run.runId)
  }
  return { ...run, ...prepared }
}

async function notifyAdministrators(ctx: EventContext, runId: string): Promise<void> {
  for (const { userId, email, name, language } of await listClientAdministrators(ctx, ctx.client.id))
    await sendEmail(ctx, exportNoticeEmail, {
      to: { address: email, name },
      content: {
        event: ctx.event.name,
        requester: ctx.actor.name,
        path: `/console/events/${ctx.client.code}/${ctx.event.code}/reports`,
      },
      source: { kind: 'exportNotice', id: runId, recipientKey: `${userId} ${foldEmailCase(email)}` },
      locale: language,
      eventId: ctx.event.id,
    })
}
