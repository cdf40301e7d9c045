import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { sumLineAmounts } from '../../orders/record-sale.ts'
import { findOrder } from '../../orders/orders.ts'
import { listOrderLinesWithCredits } from '../../orders/lines.ts'
import { startBoothAssignment, requireAssignableBooth, requireCompanyNotCancelled } from '../booths/assign.ts'
import { lockBooths } from '../booths/lock.ts'
import { loadBoothPriceContext, type BoothOrderChange, sellBooths, toOrderChangeLine } from '../booths/sell.ts'
import { vacateBooths } from '../booths/vacate.ts'
import type { ExhibitorContext } from '../context.ts'
import { listStaffAboveAllotment } from './staff-allotment.ts'
import { APPLICATION_STATES } from '../states.ts'
import { requireOpenOffer } from './offers.ts'
import { describeApplications, type LockedApplication, lockApplication, toBoothOrderChangeResult } from './read.ts'

/** Accepts an open booth offer on behalf of the company. A repeated call returns the same result. */
export async function acceptOffer(ctx: ExhibitorContext, number: string) {
  const locked = await lockApplication(ctx, number)
  const isRepeated = locked.row.status === 'accepted'
  const order = isRepeated ? await readAcceptedOfferOrder(ctx, locked) : await acceptLockedApplication(ctx, locked)
  if (!isRepeated) ctx.effects.add('changes', `accept ${number} ${order?.total ?? 0}`, { application: number })
  return {
    ...(await describeApplications(ctx, [number])),
    changed: isRepeated ? [] : ['status', 'assigned'],
    ...(order ? { order: toBoothOrderChangeResult(ctx, order) } : {}),
  }
}

/** Assigns the offered booths to the company, which the caller has locked, and charges the offered prices on its order with one invoice. */
export async function acceptLockedApplication(
  ctx: ExhibitorContext,
  { row, company }: LockedApplication,
): Promise<BoothOrderChange | null> {
  await requireOpenOffer(ctx, row)
  requireCompanyNotCancelled(company)
  const booths = await lockBooths(ctx, row.offer_booth_ids)
  for (const booth of booths) await requireAssignableBooth(ctx, booth, company.id)
  const { lineIds, orderNumber } = await sellBooths(ctx, await loadBoothPriceContext(ctx, company), company, row.offer_lines)
  for (const booth of booths)
    await startBoothAssignment(ctx, booth, company, { applicationId: row.id, orderLineIds: lineIds.get(booth.id) ?? [] })
  await changeRecordState(ctx, APPLICATION_STATES, row, 'accepted', { audited: { boothIds: row.offer_booth_ids }, changed: ['assigned'] })
  const lines = row.offer_lines.flatMap((booth) => booth.lines)
  return orderNumber === null ? null : { companyId: company.id, orderNumber, lines: lines.map(toOrderChangeLine), ...sumLineAmounts(lines) }
}

/**
 * Returns the order lines that an accepted application was charged for booths that the company still has. A repeated call to accept the
 * offer responds with them.
 */
export async function readAcceptedOfferOrder(ctx: ExhibitorContext, { row, company }: LockedApplication): Promise<BoothOrderChange | null> {
  const order = await findOrder(ctx, { companyId: company.id })
  if (!order) return null
  const assignments = await eventDb(ctx)
    .selectFrom('booth_assignments')
    .select('order_line_ids')
    .where('application_id', '=', row.id)
    .where('until', 'is', null)
    .execute()
  const ids = assignments.flatMap(({ order_line_ids }) => order_line_ids)
  const lines = (await listOrderLinesWithCredits(ctx, { orderId: order.id }))
    .filter(({ id }) => ids.includes(id))
    .map(({ product_code, description, quantity, net, tax, total }) => ({
      productCode: product_code,
      description,
      quantity,
      net,
      tax,
      total,
    }))
  return lines.length === 0 ? null : { companyId: company.id, orderNumber: order.number, lines, ...sumLineAmounts(lines) }
}

/** Cancels an accepted application: its booths become available, and their order lines are credited according to the refund rules. */
export async function cancelApplication(ctx: ExhibitorContext, number: string, reason: string) {
  const { row, company } = await lockApplication(ctx, number)
  APPLICATION_STATES.move(row.status, 'cancelled')
  const assignments = await eventDb(ctx)
    .selectFrom('booth_assignments')
    .select('booth_id')
    .where('application_id', '=', row.id)
    .where('until', 'is', null)
    .orderBy('booth_id')
    .execute()
  const { booths, orderChange } = await vacateBooths(ctx, {
    boothIds: assignments.map(({ booth_id }) => booth_id),
    companyId: company.id,
    reason,
  })
  await changeRecordState(ctx, APPLICATION_STATES, row, 'cancelled', {
    columns: { decision_note: reason },
    audited: { reason },
    changed: ['assigned'],
  })
  for (const booth of booths) ctx.effects.add('deletes', `vacate ${booth.number}`, { application: number, booth: booth.number })
  const staff = await listStaffAboveAllotment(ctx, company)
  return {
    ...(await describeApplications(ctx, [number])),
    changed: ['status', 'assigned'],
    ...(orderChange ? { order: toBoothOrderChangeResult(ctx, orderChange) } : {}),
    ...(staff.length > 0 ? { staffAboveAllotment: staff } : {}),
  }
}
