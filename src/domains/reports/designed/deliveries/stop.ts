import type { EventContext } from '../../../../kernel/context.ts'
import { preconditionFailed } from '../../../../kernel/errors.ts'
import { findReportDelivery, lockDesignedReport } from '../reports.ts'
import type { ReportDeliveryRow } from '../tables.ts'
import { endDelivery, suspendDelivery } from './save.ts'

/** Pauses or ends the delivery of a report for an organizer. It can only be reactivated with design_report, which asks for confirmation. */
export async function pauseOrEndReportDelivery(ctx: EventContext, code: string, how: 'pause' | 'end'): Promise<ReportDeliveryRow> {
  const report = await lockDesignedReport(ctx, code)
  const delivery = await findReportDelivery(ctx, report.id)
  if (!delivery) throw preconditionFailed(`Report ${report.code} has no delivery`)
  return how === 'pause' ? suspendDelivery(ctx, delivery, 'paused') : endDelivery(ctx, delivery)
}
