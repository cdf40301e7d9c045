import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import type { PrefetchContext } from '../../../kernel/tool.ts'
import { addAndInvoiceOrderLines } from '../../orders/invoices.ts'
import { findOrder, lockOrder, type OrderRow, updateOrder } from '../../orders/orders.ts'
import type { BillTo } from '../../orders/tables.ts'
import { queryTaxOffice, type TaxOfficeAnswer, setTaxIdStatus } from '../../orders/tax-ids.ts'
import { buildFeeLine } from './fees.ts'
import type { ParticipantEditStepInput } from './participant-edit.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getOrderOwner, getOrCreatePayerOrder } from '../sale/payer.ts'

/** Checks the buyer's tax number with the tax office of their country, before the transaction of the edit. */
export const checkEditedTaxId = async (
  ctx: PrefetchContext<EventContext>,
  row: ParticipantRow,
  billTo: BillTo,
): Promise<TaxOfficeAnswer | null> =>
  queryTaxOffice(ctx.taxNumberVerifier, billTo, (await findOrder(ctx, await getOrderOwner(ctx, row)))?.bill_to)

/**
 * Sets the new billing address on the payer's order, and invoices the fee that the organizer charges for the edit. Creates the order if the
 * payer has none.
 */
export async function updateOrderBillingAndEditFee(
  ctx: EventContext,
  { snapshot, row, edit, outcome }: ParticipantEditStepInput,
  before: OrderRow | null,
): Promise<void> {
  const { fee, billTo, askedTaxId = null } = edit
  if (!fee && !billTo) return
  const order = before ? await lockOrder(ctx, before.id) : await getOrCreatePayerOrder(ctx, row)
  const billed = billTo ? await changeBillTo(ctx, order, billTo, askedTaxId) : order
  if (!fee) return
  const line = buildFeeLine(ctx, snapshot, { fee, taxCode: edit.feeTaxCode ?? null, description: edit.reason ?? 'Fee' })
  const invoice = await addAndInvoiceOrderLines(ctx, billed, [{ ...line, participantId: row.id }], snapshot)
  if (invoice) outcome.invoices.push(invoice)
  outcome.changed.push('fee')
}

async function changeBillTo(ctx: EventContext, order: OrderRow, billTo: BillTo, asked: TaxOfficeAnswer | null): Promise<OrderRow> {
  const merged = setTaxIdStatus({ ...order.bill_to, ...billTo }, { before: order.bill_to, asked })
  await updateOrder(ctx, order.id, { bill_to: JSON.stringify(merged) })
  recordChange(ctx, { kind: 'order', id: order.id, before: { billTo: order.bill_to }, after: { billTo: merged } })
  return lockOrder(ctx, order.id)
}

/**
 * Saves the participant's discount code on their own order, which shows it. A group's order is shared, so it has no code.
 */
export async function saveDiscountCodeOnOrder(ctx: EventContext, { id, discount_code }: ParticipantRow): Promise<void> {
  const order = await findOrder(ctx, { participantId: id })
  if (!order || order.discount_code === discount_code) return
  await lockOrder(ctx, order.id)
  await updateOrder(ctx, order.id, { discount_code })
  recordChange(ctx, {
    kind: 'order',
    id: order.id,
    before: { discountCode: order.discount_code },
    after: { discountCode: discount_code },
  })
}
