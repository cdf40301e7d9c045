import type { Selectable } from 'kysely'
import { recordChange } from '../../../../kernel/audit.ts'
import type { Tables } from '../../../../kernel/columns.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { getDatabaseTime } from '../../../../kernel/database-time.ts'
import { foldEmailCase } from '../../../../kernel/email-address.ts'
import { type FieldError, invalidArguments, preconditionFailed } from '../../../../kernel/errors.ts'
import { eventDb } from '../../../../kernel/scoped-db.ts'
import { changeRecordState, checkStateChange } from '../../../../kernel/states.ts'
import { addMonths, toDayInZone } from '../../../../kernel/time.ts'
import { checkRecipients } from '../../runs/recipients.ts'
import { requirePermissions } from '../../runs/open-report.ts'
import type { DeliverySettings } from '../arguments.ts'
import type { ReportPreview } from '../preview.ts'
import { findReportDelivery } from '../reports.ts'
import { REPORT_DELIVERY_STATES } from '../states.ts'
import type { ReportDeliveryRow, DesignedReportRow } from '../tables.ts'
import { findNextDeliveryTime, type DeliverySchedule } from './schedule.ts'

const MAX_MONTHS = 12

export const toSchedule = ({ every, weekday, month_day, at, until }: ReportDeliveryRow): DeliverySchedule => ({
  every,
  weekday,
  monthDay: month_day,
  at,
  until,
})

/** Validates the delivery settings that can be checked without the database. `until` may be at most a year from now. */
function readSettings({ event }: EventContext, given: DeliverySettings, now: Date): DeliverySettings & { until: string } {
  const errors: FieldError[] = []
  const today = toDayInZone(event.timezone, now)
  const latest = addMonths(today, MAX_MONTHS)
  const add = (path: string, message: string) => void errors.push({ path: `delivery/${path}`, message })
  if (given.until === undefined) add('until', `is required: the last day of the delivery, at most ${latest}`)
  else if (given.until < today) add('until', `${given.until} is in the past`)
  else if (given.until > latest) add('until', `must be at most one year from now: ${latest}`)
  if ((given.every === 'week') !== (given.weekday !== undefined))
    add('weekday', given.every === 'week' ? 'is required: 1 is Monday' : `does not apply to every ${given.every}`)
  if ((given.every === 'month') !== (given.monthDay !== undefined))
    add('monthDay', given.every === 'month' ? 'is required: the day of the month' : `does not apply to every ${given.every}`)
  if (errors.length > 0) throw invalidArguments(errors)
  return { ...given, until: given.until! }
}

/** Throws unless every required parameter has a default, because a scheduled run cannot ask for values. */
function requireDefaults({ parameters }: Pick<DesignedReportRow, 'parameters'>): void {
  const open = parameters.filter(({ required, default: initial }) => required && initial === undefined).map(({ name }) => name)
  if (open.length > 0) throw preconditionFailed(`A delivery needs a default for every required parameter: ${open.join(', ')}`)
}

/** Saves and activates the delivery of a report with the caller's permissions. Every recipient is listed among the effects of the call. */
export async function saveDelivery(
  ctx: EventContext,
  report: DesignedReportRow,
  given: DeliverySettings,
  preview: ReportPreview,
): Promise<ReportDeliveryRow> {
  const now = await getDatabaseTime(ctx)
  const settings = readSettings(ctx, given, now)
  if (report.status === 'archived') throw preconditionFailed(`Report ${report.code} is archived: it cannot be delivered`)
  if (ctx.event.status === 'archived') throw preconditionFailed('This event is archived: its reports cannot be delivered')
  requireDefaults(report)
  requirePermissions('design_report', preview.needs, ctx.permissions)
  const recipients = [...new Map(settings.recipients.map((email) => [foldEmailCase(email), email])).values()]
  const { addresses } = await checkRecipients(ctx, recipients, preview.needs)
  const refused = addresses.filter(({ known }) => !known).map(({ email }) => email)
  if (refused.length > 0) throw notAllowed(refused)
  const nextAt = findNextDeliveryTime(settings, ctx.event.timezone, now)
  if (!nextAt) throw invalidArguments([{ path: 'delivery/until', message: `no delivery falls on or before ${settings.until}` }])
  for (const email of recipients) ctx.effects.add('recipients', `${report.code} ${email}`, { email })
  const columns = {
    recipients,
    format: settings.format,
    every: settings.every,
    weekday: settings.weekday ?? null,
    month_day: settings.monthDay ?? null,
    at: settings.at,
    until: settings.until,
    state: 'active' as const,
    suspended_reason: null,
    saved_by: ctx.actor.id,
    saved_by_name: ctx.actor.name,
    needs: preview.needs,
    next_at: nextAt,
    zone: ctx.event.timezone,
  }
  const before = await findReportDelivery(ctx, report.id)
  if (before) checkStateChange(REPORT_DELIVERY_STATES, before, columns)
  const row = await ctx.db
    .insertInto('report_deliveries')
    .values({ tenant_id: ctx.tenantId, event_id: ctx.event.id, id: report.id, ...columns })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'event_id', 'id']).doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, {
    kind: 'reportDelivery',
    id: report.id,
    ...(before ? { before: toAudited(before) } : {}),
    after: toAudited(row),
  })
  return row
}

const notAllowed = (refused: readonly string[]) =>
  preconditionFailed(
    `These recipients may not get the report: ${refused.join(', ')}. Recipients must be organizers who may see every field, or addresses that an administrator has listed in the client's settings`,
    { fields: refused.map((email) => ({ path: 'delivery/recipients', message: email })) },
  )

const toAudited = ({ recipients, format, every, weekday, month_day, at, until, state }: Selectable<Tables['report_deliveries']>) => ({
  recipients: recipients.length,
  format,
  every,
  weekday,
  monthDay: month_day,
  at,
  until,
  state,
})

export async function removeDelivery(ctx: EventContext, { id }: Pick<DesignedReportRow, 'id'>): Promise<boolean> {
  const before = await findReportDelivery(ctx, id)
  if (!before) return false
  await eventDb(ctx).deleteFrom('report_deliveries').where('id', '=', id).execute()
  recordChange(ctx, { kind: 'reportDelivery', id, before: toAudited(before), after: {} })
  return true
}

/** The reasons for suspending a delivery, as they are shown to organizers. */
export const SUSPENSION_REASONS = {
  contentChanged: 'The content of the report changed. Confirm the delivery with design_report.',
  permissionsChanged: 'The person who saved the delivery no longer has the permissions that the report needs.',
  recipientNotAllowed: 'A recipient may no longer see every field of the report.',
  eventArchived: 'The event is archived.',
  reportFails: 'The report cannot be run any more.',
  paused: 'Paused in the console.',
} as const
export type DeliverySuspensionReason = keyof typeof SUSPENSION_REASONS

export const suspendDelivery = (
  ctx: EventContext,
  delivery: ReportDeliveryRow,
  reason: DeliverySuspensionReason,
): Promise<ReportDeliveryRow> =>
  changeRecordState(ctx, REPORT_DELIVERY_STATES, delivery, 'suspended', {
    columns: { suspended_reason: reason, next_at: null },
    audited: { suspendedReason: reason },
  })

export const endDelivery = (ctx: EventContext, delivery: ReportDeliveryRow): Promise<ReportDeliveryRow> =>
  changeRecordState(ctx, REPORT_DELIVERY_STATES, delivery, 'ended', { columns: { suspended_reason: null, next_at: null } })
