import { sql } from 'kysely'
import type { EventContext } from '../../../../kernel/context.ts'
import { getDatabaseTime } from '../../../../kernel/database-time.ts'
import type { Permission } from '../../../../kernel/permissions.ts'
import type { RecurringTask } from '../../../../kernel/recurring.ts'
import { runInSavepoint } from '../../../../kernel/savepoint.ts'
import { eventDb } from '../../../../kernel/scoped-db.ts'
import { findUserPermissions, toUserContext } from '../../../access/event-people.ts'
import { checkRecipients, type RunRecipient } from '../../runs/recipients.ts'
import { startRun } from '../../runs/start-run.ts'
import { previewReport, getDefaultParameterValues } from '../preview.ts'
import type { ReportDeliveryRow, DesignedReportRow } from '../tables.ts'
import { endDelivery, type DeliverySuspensionReason, suspendDelivery, toSchedule } from './save.ts'
import { findNextDeliveryTime, moveDeliveryTimeToZone } from './schedule.ts'

/** How often an active delivery is checked while it is not due, because permissions and recipients may have changed. */
const CHECK_HOURS = 1

/**
 * Starts the run of each due delivery once, and suspends deliveries whose saver or recipients lost a permission. After an outage, only the
 * latest missed delivery is sent.
 */
export const sendReportDeliveries: RecurringTask = {
  name: 'report_deliveries',
  schedule: { everySeconds: 60 },
  async run({ transact, commitEach, slot }) {
    const checksAll = slot.getTime() % (CHECK_HOURS * 3_600_000) === 0
    const found = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string; reportId: string }>`
        select d.tenant_id as "tenantId", d.event_id as "eventId", d.id as "reportId"
        from report_deliveries d join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
        where d.state = 'active' and (d.next_at <= lanyard_now() or d.zone <> e.timezone or ${checksAll}) order by 1, 2, 3`.execute(db)
      return rows
    })
    await commitEach(found, (ctx, { reportId }) => sendReportDeliveryIfDue(ctx, reportId))
    return { deliveries: found.length }
  },
}

/**
 * Checks one scheduled delivery of a report and sends it if it is due. Its row is locked, so that two workers never process the same one.
 */
export async function sendReportDeliveryIfDue(ctx: EventContext, reportId: string): Promise<void> {
  const found = await eventDb(ctx).selectFrom('report_deliveries').selectAll().where('id', '=', reportId).forUpdate().executeTakeFirst()
  if (found?.state !== 'active') return
  const delivery = await followTimezone(ctx, found)
  const report = await eventDb(ctx).selectFrom('reports').selectAll().where('id', '=', reportId).executeTakeFirstOrThrow()
  const checked = await checkDelivery(ctx, report, delivery)
  if ('reason' in checked) {
    await suspendDelivery(ctx, delivery, checked.reason)
    return
  }
  const now = await getDatabaseTime(ctx)
  if (delivery.next_at !== null && delivery.next_at <= now) await send(ctx, report, delivery, checked.recipients, now)
}

/** Moves the next delivery to the same time of the same day in the time zone of the event, if the zone of the event has changed. */
async function followTimezone(ctx: EventContext, delivery: ReportDeliveryRow): Promise<ReportDeliveryRow> {
  const { timezone } = ctx.event
  if (delivery.zone === null || delivery.zone === timezone || delivery.next_at === null) return delivery
  return eventDb(ctx)
    .updateTable('report_deliveries')
    .set({ zone: timezone, next_at: moveDeliveryTimeToZone(toSchedule(delivery), delivery.next_at, delivery.zone, timezone) })
    .where('id', '=', delivery.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The permissions that sending a delivery requires, regardless of its content. */
const SENDER_PERMISSIONS: readonly Permission[] = ['reports.read', 'email.send']

type Checked = { reason: DeliverySuspensionReason } | { recipients: RunRecipient[] }

/** Checks whether the report may still be sent, by the current permissions of the user who saved the delivery and of its recipients. */
async function checkDelivery(ctx: EventContext, report: DesignedReportRow, delivery: ReportDeliveryRow): Promise<Checked> {
  if (ctx.event.status === 'archived') return { reason: 'eventArchived' }
  const saver = await findUserPermissions(ctx, { userId: delivery.saved_by })
  if (!saver || !SENDER_PERMISSIONS.every((permission) => saver.permissions.has(permission))) return { reason: 'permissionsChanged' }
  const found = await findNeeds(toUserContext(ctx, saver), report)
  if ('reason' in found) return found
  if (![...delivery.needs, ...found.needs].every((permission) => saver.permissions.has(permission as Permission)))
    return { reason: 'permissionsChanged' }
  const { allowed, addresses } = await checkRecipients(ctx, delivery.recipients, found.needs)
  return addresses.every(({ known }) => known) ? { recipients: allowed } : { reason: 'recipientNotAllowed' }
}

/** Finds the permissions that the content of the report currently requires. */
async function findNeeds(
  asSaver: EventContext,
  report: DesignedReportRow,
): Promise<{ needs: Permission[] } | { reason: DeliverySuspensionReason }> {
  // A rejected query leaves the transaction in the restricted database role of reports. Only rolling back to the savepoint resets it.
  const tried = await runInSavepoint(asSaver, () => previewReport(asSaver, 'design_report', report))
  if (!tried.refused) return { needs: tried.done.needs }
  // A query that takes too long is retried later.
  if (tried.refused.code === 'limit_exceeded' || tried.refused.code === 'internal') throw tried.refused
  return { reason: tried.refused.code === 'forbidden' ? 'permissionsChanged' : 'reportFails' }
}

/**
 * Starts the run for the latest due time and schedules the next delivery. The run's idempotency key contains the due time, so that each
 * delivery is sent once.
 */
async function send(
  ctx: EventContext,
  report: DesignedReportRow,
  delivery: ReportDeliveryRow,
  recipients: readonly RunRecipient[],
  now: Date,
): Promise<void> {
  await startRun(ctx, {
    kind: 'report',
    report: { code: report.code, name: report.name },
    parameters: getDefaultParameterValues(report.parameters),
    format: delivery.format,
    recipients,
    options: { isScheduled: true },
    sourceKey: `delivery ${report.id} ${delivery.next_at!.toISOString()}`,
    requestedBy: { id: delivery.saved_by, name: delivery.saved_by_name },
  })
  const next = findNextDeliveryTime(toSchedule(delivery), ctx.event.timezone, now)
  const sent = await eventDb(ctx)
    .updateTable('report_deliveries')
    .set({ last_at: delivery.next_at, zone: ctx.event.timezone, ...(next ? { next_at: next } : {}) })
    .where('id', '=', report.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (!next) await endDelivery(ctx, sent)
}
