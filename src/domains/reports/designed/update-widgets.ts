import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { editRecord, rejectStaleEdit } from '../../../kernel/records.ts'
import { runWithQueryLimit } from '../../figures/query/limit-queries.ts'
import { hashReportContent } from './deliveries/content.ts'
import { suspendDelivery } from './deliveries/save.ts'
import { refuseStandardReportCode } from './design-report.ts'
import { findImageErrors } from './images.ts'
import { applyWidgetOperations, type WidgetOperationInput } from './operations.ts'
import { previewReport } from './preview.ts'
import { findReportTagProblems } from './problems.ts'
import { REPORT_RECORD } from './record.ts'
import { requireKnownParameterNames } from './references.ts'
import { findReportDelivery, lockDesignedReport } from './reports.ts'
import { toPreviewResult } from './shapes.ts'

interface UpdateWidgetsRequest {
  report: string
  operations: readonly WidgetOperationInput[]
  ifRevision?: number | undefined
}

/** Adds, changes, removes and moves widgets; if one operation fails, none is saved. Queries of changed widgets run before the save. */
export async function updateReportWidgets(ctx: EventContext, { report: named, operations, ifRevision }: UpdateWidgetsRequest) {
  refuseStandardReportCode(named)
  const before = await lockDesignedReport(ctx, named)
  rejectStaleEdit(REPORT_RECORD, before, ifRevision)
  if (before.status === 'archived')
    throw preconditionFailed(`Report ${before.code} is archived. Restore it with design_report archive: false`)
  const { widgets, touched } = applyWidgetOperations(before.widgets, operations)
  requireKnownParameterNames(widgets, before.filter, before.parameters)
  const errors = await findImageErrors(ctx, widgets)
  if (errors.length > 0) throw invalidArguments(errors)
  const changedWidgets = widgets.filter(({ id }) => touched.includes(id))
  const preview = await runWithQueryLimit(ctx, () => previewReport(ctx, 'update_report_widgets', { ...before, widgets }, changedWidgets))
  const { row, changed } = await editRecord(ctx, REPORT_RECORD, before, { widgets })
  const isSuspended = changed.length > 0 && (await suspendIfContentChanged(ctx, before, row))
  return {
    widgets: row.widgets as never,
    changed: changed.length > 0,
    revision: row.revision,
    problems: await findReportTagProblems(ctx, row),
    preview: toPreviewResult(preview.widgets),
    ...(isSuspended ? { deliverySuspended: 'contentChanged' as const } : {}),
  }
}

type Row = Awaited<ReturnType<typeof lockDesignedReport>>

/** Suspends an active delivery if the content changed, because its recipients were confirmed for the former content. */
async function suspendIfContentChanged(ctx: EventContext, before: Row, after: Row): Promise<boolean> {
  if (hashReportContent(before) === hashReportContent(after)) return false
  const delivery = await findReportDelivery(ctx, after.id)
  if (delivery?.state !== 'active') return false
  await suspendDelivery(ctx, delivery, 'contentChanged')
  return true
}
