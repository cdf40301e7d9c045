import type { EventContext } from '../../../../kernel/context.ts'
import { preconditionFailed } from '../../../../kernel/errors.ts'
import { findDelivery, lockReport } from '../reports.ts'
import type { DeliveryRow } from '../tables.ts'
import { endDelivery, suspendDelivery } from './save.ts'

/** Pauses or ends the delivery of a report for an organizer. It can only be reactivated with design_report, which asks for confirmation. */
export async function stopDelivery(ctx: EventContext, code: string, how: 'pause' | 'end'): Promise<DeliveryRow> {
  const report = await lockReport(ctx, code)
  const delivery = await findDelivery(ctx, report.id)
  if (!delivery) throw preconditionFailed(`Report ${report.code} has no delivery`)
  return how === 'pause' ? suspendDelivery(ctx, delivery, 'paused') : endDelivery(ctx, delivery)
}
