import { newId } from '../../kernel/ids.ts'
import { postLedgerEntries } from './ledger.ts'
import { takeNextRecordNumber } from './numbers.ts'
import { lockOrder, type OrderContext } from './orders.ts'

/** Pays an invoice of test data without a card processor. */
export async function payInvoiceByTestCard(
  ctx: OrderContext,
  orderId: string,
  invoice: { id: string; total: number },
  at: Date,
): Promise<void> {
  const order = await lockOrder(ctx, orderId)
  if (!order.is_test_data) throw new Error('only test data can be paid with the test card')
  const id = newId()
  await ctx.db
    .insertInto('payments')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      order_id: orderId,
      invoice_id: invoice.id,
      is_test_data: true,
      method: 'card',
      amount: invoice.total,
      receipt_number: await takeNextRecordNumber(ctx, 'RC', 'test'),
      received_at: at,
      provider: 'sandbox',
      recorded_by: ctx.actor.id,
    })
    .execute()
  await postLedgerEntries(ctx, order, [{ kind: 'payment', amount: -invoice.total, sourceId: id, invoiceId: invoice.id }])
}
