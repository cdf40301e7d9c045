import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { getOrderOrigin } from '../orders/invoices.ts'
import { applyCreditToOpenInvoices, postLedgerEntries } from '../orders/ledger.ts'
import { takeNextRecordNumber } from '../orders/numbers.ts'
import { lockOrder } from '../orders/orders.ts'
import { insertPayments } from '../orders/payment-rows.ts'

interface ReturnedMoney {
  orderId: string
  amount: number
  provider: string | null
  /** The unique reference of the returned amount, so that it is booked only once. */
  ref: string
  note: string
}

/**
 * Books money that came back after it was paid out, such as a failed refund or a won dispute. Financial records are immutable, so the money
 * is booked as a new payment that becomes credit. Returns false if it was already booked.
 */
export async function bookReturnedRefundAsCredit(
  ctx: EventContext,
  { orderId, amount, provider, ref, note }: ReturnedMoney,
): Promise<boolean> {
  const order = await lockOrder(ctx, orderId)
  const before = await eventDb(ctx)
    .selectFrom('payments')
    .select('id')
    .where('provider', 'is not distinct from', provider)
    .where('provider_ref', '=', ref)
    .executeTakeFirst()
  if (before) return false
  const id = newId()
  await insertPayments(ctx, [
    {
      id,
      order,
      method: 'other',
      amount,
      note,
      receipt_number: await takeNextRecordNumber(ctx, 'RC', getOrderOrigin(order)),
      received_at: sql<Date>`lanyard_now()`,
      provider,
      provider_ref: ref,
    },
  ])
  await postLedgerEntries(ctx, order, [{ kind: 'payment', amount: -amount, sourceId: id, invoiceId: null, note }])
  announceToWebhooks(ctx, { kind: 'payment.received', entity: 'payment', id, isTestData: order.is_test_data })
  await applyCreditToOpenInvoices(ctx, order.id)
  return true
}
