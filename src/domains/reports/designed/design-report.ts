import type { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { newId, toSlug } from '../../../kernel/ids.ts'
import { planEdit, auditNewRecord, rejectStaleEdit, saveEdit, toRecordColumns } from '../../../kernel/records.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import type { ConditionTree } from '../../figures/query/data-query.ts'
import type { DeliverySettings, ReportPageSetup } from './arguments.ts'
import { runWithQueryLimit } from '../../figures/query/limit-queries.ts'
import { hashReportContent } from './deliveries/content.ts'
import { endDelivery, removeDelivery, saveDelivery, suspendDelivery } from './deliveries/save.ts'
import { findImageErrors } from './images.ts'
import { placeWidgets } from './operations.ts'
import { type ParameterInput, validateReportParameters, type ReportParameter } from './parameters.ts'
import { previewReport, type ReportPreview } from './preview.ts'
import { findReportTagProblems } from './problems.ts'
import { REPORT_RECORD } from './record.ts'
import { requireKnownParameterNames } from './references.ts'
import { findReportDelivery, getVisibleDesignedReport, lockDesignedReport } from './reports.ts'
import { toDesignedReport, toPreviewResult } from './shapes.ts'
import { findStandardReport } from './standard-reports.ts'
import { REPORT_STATES } from './states.ts'
import type { ReportDeliveryRow, DesignedReportRow } from './tables.ts'
import type { ReportWidget } from './widgets.ts'

export interface DesignRequest {
  report?: string | undefined
  name?: string | undefined
  description?: string | null | undefined
  category?: string | null | undefined
  fromReport?: string | undefined
  visibility?: 'private' | 'event' | undefined
  parameters?: readonly z.output<typeof ParameterInput>[] | undefined
  filter?: ConditionTree | null | undefined
  widgets?: readonly Readonly<Record<string, unknown>>[] | undefined
  page?: ReportPageSetup | undefined
  theme?: 'light' | 'dark' | undefined
  locale?: string | null | undefined
  delivery?: DeliverySettings | null | undefined
  archive?: boolean | undefined
  ifRevision?: number | undefined
}

interface Content {
  parameters: ReportParameter[]
  filter: ConditionTree | null
  widgets: ReportWidget[]
}

const EMPTY: Content = { parameters: [], filter: null, widgets: [] }

/** Creates or changes a designed report and its delivery. Every widget is run before the report is saved. */
export async function designReport(ctx: EventContext, request: DesignRequest) {
  const { report: named } = request
  if (named !== undefined) refuseStandardReportCode(named)
  const before = named === undefined ? null : await lockDesignedReport(ctx, named)
  if (before) rejectStaleEdit(REPORT_RECORD, before, request.ifRevision)
  const content = await readContent(ctx, before ?? (await readSource(ctx, request.fromReport)), request)
  const preview = await runWithQueryLimit(ctx, () => previewReport(ctx, 'design_report', content))
  const { row, changed } = before ? await saveReport(ctx, before, content, request) : await createReport(ctx, content, request)
  const saved = await archiveReport(ctx, row, request.archive, changed)
  const delivery = await applyDelivery(ctx, saved, before, request.delivery, preview, changed)
  return toResult(ctx, { row: saved, delivery, changed, preview })
}

async function toResult(
  ctx: EventContext,
  {
    row,
    delivery,
    changed,
    preview,
  }: { row: DesignedReportRow; delivery: ReportDeliveryRow | null; changed: string[]; preview: ReportPreview },
) {
  const report = await toDesignedReport(ctx, row, delivery)
  return {
    report,
    changed,
    problems: await findReportTagProblems(ctx, row),
    preview: { widgets: toPreviewResult(preview.widgets) },
    ...(report.delivery ? { delivery: { next: report.delivery.next, personal: preview.personal } } : {}),
  }
}

export function refuseStandardReportCode(code: string): void {
  if (findStandardReport(code.toLowerCase()))
    throw preconditionFailed(`Report ${code} is a standard report — copy it with design_report fromReport`)
}

/** Returns the content that a new report starts with: the content of another report, or none. */
async function readSource(ctx: EventContext, fromReport: string | undefined): Promise<Content> {
  if (fromReport === undefined) return EMPTY
  const standard = findStandardReport(fromReport.toLowerCase())
  if (!standard) return getVisibleDesignedReport(ctx, fromReport)
  const parameters = Object.fromEntries(standard.parameters.map(({ name }) => [name, { param: name }]))
  return {
    parameters: [...standard.parameters],
    filter: null,
    widgets: placeWidgets([{ type: 'standard', standard: standard.code, title: standard.name, parameters }]),
  }
}

/** Replaces the parts of the stored report that the caller passed, and validates all parts together. */
async function readContent(ctx: EventContext, stored: Content, { parameters, filter, widgets }: DesignRequest): Promise<Content> {
  const content: Content = {
    parameters: parameters ? validateReportParameters(parameters) : stored.parameters,
    filter: filter === undefined ? stored.filter : filter,
    widgets: widgets ? placeWidgets(widgets) : stored.widgets,
  }
  requireKnownParameterNames(content.widgets, content.filter, content.parameters)
  const errors = await findImageErrors(ctx, content.widgets)
  if (errors.length > 0) throw invalidArguments(errors)
  return content
}

async function createReport(
  ctx: EventContext,
  content: Content,
  request: DesignRequest,
): Promise<{ row: DesignedReportRow; changed: string[] }> {
  const {
    name,
    description,
    category,
    visibility = 'event',
    page = { size: 'A4', orientation: 'portrait' },
    theme = 'light',
    locale,
  } = request
  if (name === undefined) throw invalidArguments([{ path: 'name', message: 'is required for a new report' }])
  const fields = { name, description: description ?? null, category: category ?? null, visibility, page, theme, locale: locale ?? null }
  const values = {
    ...(toRecordColumns(REPORT_RECORD, { ...fields, ...content }) as { name: string }),
    tenant_id: ctx.tenantId,
    event_id: ctx.event.id,
    id: newId(),
    owner_id: ctx.actor.id,
    owner_name: ctx.actor.name,
  }
  for (const code of listCodes(name)) {
    const row = await ctx.db
      .insertInto('reports')
      .values({ ...values, code })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'event_id', 'code']).doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!row) continue
    auditNewRecord(ctx, REPORT_RECORD, row)
    return { row, changed: ['created'] }
  }
  throw new Error('listCodes never ends')
}

/** Generates codes from a name, without codes of standard reports: `weekly`, `weekly-2`, `weekly-3` and so on. */
function* listCodes(name: string): Generator<string> {
  const slug = toSlug(name)
  for (let n = 1; ; n++) {
    const code = n === 1 ? slug : `${slug.slice(0, 58)}-${n}`
    if (!findStandardReport(code)) yield code
  }
}

async function saveReport(
  ctx: EventContext,
  before: DesignedReportRow,
  content: Content,
  request: DesignRequest,
): Promise<{ row: DesignedReportRow; changed: string[] }> {
  if (request.fromReport !== undefined)
    throw invalidArguments([{ path: 'fromReport', message: 'is only for a new report; leave report out' }])
  const { name, description, category, visibility, page, theme, locale } = request
  const planned = planEdit(REPORT_RECORD, before, { name, description, category, visibility, page, theme, locale, ...content })
  return saveEdit(ctx, planned)
}

async function archiveReport(
  ctx: EventContext,
  row: DesignedReportRow,
  archive: boolean | undefined,
  changed: string[],
): Promise<DesignedReportRow> {
  const status = archive === undefined ? row.status : archive ? 'archived' : 'active'
  if (status === row.status) return row
  changed.push('status')
  return changeRecordState(ctx, REPORT_STATES, row, status)
}

/** Saves, removes, suspends or ends the scheduled delivery, depending on the arguments and on whether the report's content changed. */
async function applyDelivery(
  ctx: EventContext,
  row: DesignedReportRow,
  before: DesignedReportRow | null,
  given: DesignRequest['delivery'],
  preview: ReportPreview,
  changed: string[],
): Promise<ReportDeliveryRow | null> {
  if (given) {
    changed.push('delivery')
    return saveDelivery(ctx, row, given, preview)
  }
  if (given === null) {
    if (await removeDelivery(ctx, row)) changed.push('delivery')
    return null
  }
  const delivery = before && (await findReportDelivery(ctx, row.id))
  if (delivery?.state !== 'active') return delivery
  if (row.status === 'archived') return endDelivery(ctx, delivery)
  return hashReportContent(before!) === hashReportContent(row) ? delivery : suspendDelivery(ctx, delivery, 'contentChanged')
}
