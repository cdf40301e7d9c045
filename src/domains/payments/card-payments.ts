import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { toMoney } from '../../kernel/money.ts'
import { getOrderOrigin } from '../orders/invoices.ts'
import { listOpenInvoicesOfOrder, postLedgerEntries } from '../orders/ledger.ts'
import { takeNextRecordNumber } from '../orders/numbers.ts'
import type { OrderRow } from '../orders/orders.ts'
import { insertPayments } from '../orders/payment-rows.ts'
import type { PaidCharge } from './charges.ts'

/** Books a successful charge on a locked order: on its invoice first, the rest as credit of the order. Returns the receipt number. */
export async function recordCardPayment(
  ctx: EventContext,
  order: OrderRow,
  invoiceId: string | null,
  { charge, amount, providerRef }: PaidCharge,
): Promise<string> {
  const claim = (await listOpenInvoicesOfOrder(ctx, order.id)).find(({ id }) => id === invoiceId)
  const id = newId()
  const receiptNumber = await takeNextRecordNumber(ctx, 'RC', getOrderOrigin(order))
  await insertPayments(ctx, [
    {
      id,
      order,
      invoice_id: claim?.id ?? null,
      method: 'card',
      amount,
      receipt_number: receiptNumber,
      received_at: sql<Date>`lanyard_now()`,
      provider: charge.provider,
      provider_ref: providerRef,
    },
  ])
  const claimed = Math.min(amount, claim?.balance ?? 0)
  await postLedgerEntries(ctx, order, [
    { kind: 'payment', amount: -claimed, sourceId: id, invoiceId: claim?.id ?? null },
    { kind: 'payment', amount: -(amount - claimed), sourceId: id, invoiceId: null },
  ])
  announceToWebhooks(ctx, { kind: 'payment.received', entity: 'payment', id, isTestData: order.is_test_data })
  recordChange(ctx, {
    kind: 'payment',
    id,
    after: { receiptNumber, orderNumber: order.number, amount: toMoney(amount, charge.currency).amount, method: 'card' },
  })
  return receiptNumber
}
