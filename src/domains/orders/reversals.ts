import type { Selectable } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import type { Tables } from '../../kernel/columns.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { getOrderOrigin } from './invoices.ts'
import { allocateAmountToReceivables, applyCreditToOpenInvoices, postLedgerEntries } from './ledger.ts'
import { listOrderInvoices } from './named-invoices.ts'
import { takeNextRecordNumber } from './numbers.ts'
import { lockOrder, type OrderContext, type OrderRow } from './orders.ts'

type PaymentRow = Selectable<Tables['payments']>

export async function getPayment(ctx: OrderContext, id: string): Promise<PaymentRow> {
  const row = await eventDb(ctx).selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No payment ${id} at this event. Use list_order_invoices with include entries to find payment ids`)
  return row
}

/** The amount of a payment that was neither refunded nor reversed. */
export const computeUnrefundedAmount = ({ amount, returned }: Pick<PaymentRow, 'amount' | 'returned'>): number => amount - returned

export interface RecordedReversal {
  id: string
  receiptNumber: string
  orderId: string
  allocations: { invoiceId: string; amount: number }[]
}

interface NewReversal {
  paymentId: string
  amount: number
  note: string | null
  /** The name and reference of the card processor, if it reversed the payment. */
  provider?: { name: string; ref: string }
}

/**
 * Reverses a payment that bounced, was charged back or was recorded by mistake. The reversed amount is open again on the payment's
 * invoices.
 */
export async function reversePayment(ctx: EventContext, of: NewReversal): Promise<RecordedReversal> {
  const { order_id } = await getPayment(ctx, of.paymentId)
  const order = await lockOrder(ctx, order_id)
  const payment = await getPayment(ctx, of.paymentId)
  if (of.amount > computeUnrefundedAmount(payment)) throw reversalTooHighError(ctx, payment, of.amount)
  const parts = await allocateReversal(ctx, order, payment, of.amount)
  const { id: reversesId } = await eventDb(ctx)
    .selectFrom('ledger_entries')
    .select('id')
    .where('source_id', '=', payment.id)
    .where('kind', '=', 'payment')
    .orderBy('id')
    .executeTakeFirstOrThrow()

  const id = newId()
  const receiptNumber = await takeNextRecordNumber(ctx, 'RC', getOrderOrigin(order))
  await ctx.db
    .insertInto('payment_reversals')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      order_id: order.id,
      payment_id: payment.id,
      is_test_data: order.is_test_data,
      amount: of.amount,
      note: of.note,
      receipt_number: receiptNumber,
      provider: of.provider?.name ?? null,
      provider_ref: of.provider?.ref ?? null,
      recorded_by: ctx.actor.id,
    })
    .execute()
  const entries = parts.map(({ claim, amount }) => ({ invoiceId: claim.invoiceId, amount }))
  await postLedgerEntries(
    ctx,
    order,
    entries.map((entry) => ({ ...entry, kind: 'payment_reversal', sourceId: id, reversesId, note: of.note })),
  )
  await applyCreditToOpenInvoices(ctx, order.id)
  const { amount: text } = toMoney(of.amount, ctx.event.currency)
  recordChange(ctx, { kind: 'payment', id: payment.id, after: { reversed: text, receiptNumber, orderNumber: order.number } })
  ctx.effects.add('changes', `reversal ${payment.id} ${of.amount} of ${computeUnrefundedAmount(payment)}`, {
    order: order.number,
    reversed: text,
  })
  return {
    id,
    receiptNumber,
    orderId: order.id,
    allocations: entries.flatMap(({ invoiceId, amount }) => (invoiceId === null ? [] : [{ invoiceId, amount: -amount }])),
  }
}

/**
 * Determines which balances a reversed payment reduces: first its invoice, then the order's credit. Credit that was used or refunded since
 * is claimed on the invoices of the same receipt and then on the order's latest due invoices, as far as they are paid, because credit must
 * not become negative. An amount refunded beyond all payments is claimed on the first of these invoices, beyond its total.
 */
async function allocateReversal(ctx: EventContext, order: OrderRow, payment: PaymentRow, amount: number) {
  const invoices = await listOrderInvoices(ctx, order.id)
  const together = await eventDb(ctx)
    .selectFrom('payments')
    .select('invoice_id')
    .where('receipt_number', '=', payment.receipt_number)
    .execute()
  const sameReceipt = new Set(together.map(({ invoice_id }) => invoice_id))
  const rank = (id: string) => (id === payment.invoice_id ? 0 : sameReceipt.has(id) ? 2 : 3)
  const claims = invoices
    .toReversed()
    .map(({ id, paid }) => ({ invoiceId: id, balance: Math.max(0, paid), rank: rank(id) }))
    .toSorted((a, b) => a.rank - b.rank)
  const credit = { invoiceId: null, balance: -order.unapplied, rank: 1 }
  const parts = allocateAmountToReceivables(
    [...claims, credit].toSorted((a, b) => a.rank - b.rank),
    amount,
  )
  const missing = amount - sumMinorUnits(parts.map((part) => part.amount))
  const [first] = claims
  if (missing > 0 && !first) throw noInvoiceError(ctx, amount, missing)
  return missing > 0 ? [...parts, { claim: first!, amount: missing }] : parts
}

function noInvoiceError(ctx: EventContext, amount: number, missing: number) {
  const [most, gone] = [amount - missing, missing].map((minor) => toMoney(minor, ctx.event.currency))
  return preconditionFailed(
    `${gone!.amount} ${gone!.currency} of this was refunded, and the order has no invoice to claim it on. Reverse at most ${most!.amount} ${most!.currency}`,
  )
}

function reversalTooHighError(ctx: EventContext, payment: PaymentRow, amount: number) {
  const [requested, left] = [amount, computeUnrefundedAmount(payment)].map((minor) => toMoney(minor, ctx.event.currency))
  return preconditionFailed(
    `${requested!.amount} ${requested!.currency} is more than the rest of the payment of receipt ${payment.receipt_number}, which is ${left!.amount} ${left!.currency}`,
  )
}
