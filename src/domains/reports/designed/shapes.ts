import { z } from 'zod'
import { toOneLine, count, id, instant, list, object, oneOf, text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { listFieldsExcept, readRecordFields, buildResultFields } from '../../../kernel/record-shapes.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { toSchedule } from './deliveries/save.ts'
import { listNextDeliveryTimes } from './deliveries/schedule.ts'
import type { WidgetPreview } from './preview.ts'
import { REPORT_RECORD } from './record.ts'
import { REPORT_DELIVERY_STATES } from './states.ts'
import type { ReportDeliveryRow, DesignedReportRow } from './tables.ts'

const REPORT_FIELDS = listFieldsExcept(REPORT_RECORD, ['parameters', 'filter', 'widgets'])

const DeliveryShape = object({
  recipients: list(text()),
  format: text(),
  every: text(),
  weekday: count().optional(),
  monthDay: count().optional(),
  at: text(),
  until: text(),
  state: oneOf(REPORT_DELIVERY_STATES.all),
  suspendedReason: text().optional(),
  savedBy: text(),
  next: list(instant()),
  lastAt: instant().nullable(),
})
export type DeliveryResult = z.input<typeof DeliveryShape>

const Loose = z.looseObject({})

/** A widget as callers send it; see widgets.ts for the properties of each type. */
export const ReportWidgetInput = toOneLine(Loose, 'id, type, title, x 0..11, y, w 1..12, h, query|metrics|standard|markdown')

/** A designed report as tools return it. */
export const DesignedReport = object({
  id: id('report'),
  ...buildResultFields(REPORT_RECORD, REPORT_FIELDS),
  kind: z.literal('designed'),
  owner: text(),
  parameters: list(Loose),
  filter: Loose.nullable(),
  widgets: list(Loose),
  delivery: DeliveryShape.nullable(),
  revision: count(),
  updatedAt: instant(),
})
export type DesignedReportResult = z.input<typeof DesignedReport>

export const DesignedReportShape = toOneLine(
  DesignedReport,
  'code, name, visibility, status, parameters[], filter, widgets[], delivery, revision ...',
)

const NEXT_TIMES = 3

/** Returns the time up to which deliveries are sent or skipped: now, or just before the next delivery if it was already decided. */
function findLastDecidedTime({ next_at, zone }: ReportDeliveryRow, { timezone }: EventContext['event'], now: Date): Date {
  return next_at !== null && zone === timezone && next_at > now ? new Date(next_at.getTime() - 1) : now
}

export function toDeliveryResult({ event }: EventContext, row: ReportDeliveryRow, now: Date): DeliveryResult {
  const next =
    row.state === 'active' ? listNextDeliveryTimes(toSchedule(row), event.timezone, findLastDecidedTime(row, event, now), NEXT_TIMES) : []
  return {
    recipients: row.recipients,
    format: row.format,
    every: row.every,
    ...(row.weekday === null ? {} : { weekday: row.weekday }),
    ...(row.month_day === null ? {} : { monthDay: row.month_day }),
    at: row.at,
    until: row.until,
    state: row.state,
    ...(row.suspended_reason === null ? {} : { suspendedReason: row.suspended_reason }),
    savedBy: row.saved_by_name,
    next: next.map(formatInstant),
    lastAt: row.last_at && formatInstant(row.last_at),
  }
}

export async function toDesignedReport(
  ctx: EventContext,
  row: DesignedReportRow,
  delivery: ReportDeliveryRow | null,
): Promise<DesignedReportResult> {
  return {
    id: row.id,
    ...readRecordFields(REPORT_RECORD, row, REPORT_FIELDS),
    kind: 'designed',
    owner: row.owner_name,
    parameters: row.parameters as never,
    filter: row.filter as never,
    widgets: row.widgets as never,
    delivery: delivery && toDeliveryResult(ctx, delivery, await getDatabaseTime(ctx)),
    revision: row.revision,
    updatedAt: formatInstant(row.updated_at),
  }
}

/** The preview of a report: the first rows of each widget. */
export const ReportPreviewShape = list(object({ id: text(), columns: list(Loose), rows: list(Loose) }))
export const toPreviewResult = (previews: readonly WidgetPreview[]): z.input<typeof ReportPreviewShape> => previews as never

export const ReportProblemShape = object({
  widgetId: text().optional(),
  kind: oneOf(['field', 'permission', 'tag']),
  message: text(2000),
})
export type ReportProblem = z.input<typeof ReportProblemShape>
