import type { Selectable } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import type { Tables } from '../../kernel/columns.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinor, toMoney } from '../../kernel/money.ts'
import { originOf } from './invoices.ts'
import { allocate, applyCredit, post } from './ledger.ts'
import { invoicesOf } from './named-invoices.ts'
import { takeNumber } from './numbers.ts'
import { lockOrder, type OrderContext, type OrderRow } from './orders.ts'

type PaymentRow = Selectable<Tables['payments']>

export async function getPayment(ctx: OrderContext, id: string): Promise<PaymentRow> {
  const row = await ctx.db
    .selectFrom('payments')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound(`No payment ${id} at this event — list_order_invoices with include entries shows their ids`)
  return row
}

/** Neither refunded nor reversed yet. */
export const leftOf = ({ amount, returned }: Pick<PaymentRow, 'amount' | 'returned'>): number => amount - returned

export interface Reversed {
  id: string
  receiptNumber: string
  orderId: string
  allocations: { invoiceId: string; amount: number }[]
}

interface Reversal {
  paymentId: string
  amount: number
  note: string | null
  /** Of a card processor that took it back by itself, and its name of that. */
  provider?: { name: string; ref: string }
}

/** Takes a payment back that bounced, was charged back or never was. Its invoices are open again by as much. */
export async function reversePayment(ctx: EventContext, of: Reversal): Promise<Reversed> {
  const { order_id } = await getPayment(ctx, of.paymentId)
  const order = await lockOrder(ctx, order_id)
  const payment = await getPayment(ctx, of.paymentId)
  if (of.amount > leftOf(payment)) throw tooMuch(ctx, payment, of.amount)
  const parts = await partsOf(ctx, order, payment, of.amount)
  const { id: reversesId } = await ctx.db
    .selectFrom('ledger_entries')
    .select('id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('source_id', '=', payment.id)
    .where('kind', '=', 'payment')
    .orderBy('id')
    .executeTakeFirstOrThrow()

  const id = newId()
  const receiptNumber = await takeNumber(ctx, 'RC', originOf(order))
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
  await post(
    ctx,
    order,
    entries.map((entry) => ({ ...entry, kind: 'payment_reversal', sourceId: id, reversesId, note: of.note })),
  )
  await applyCredit(ctx, order.id)
  const { amount: text } = toMoney(of.amount, ctx.event.currency)
  recordChange(ctx, { kind: 'payment', id: payment.id, after: { reversed: text, receiptNumber, orderNumber: order.number } })
  ctx.effects.add('changes', `reversal ${payment.id} ${of.amount} of ${leftOf(payment)}`, { order: order.number, reversed: text })
  return {
    id,
    receiptNumber,
    orderId: order.id,
    allocations: entries.flatMap(({ invoiceId, amount }) => (invoiceId === null ? [] : [{ invoiceId, amount: -amount }])),
  }
}

/**
 * Where the money is missed: on the payment's own invoice, or in the credit it became. Credit that was paid out or used since is claimed on
 * the invoices of the same receipt, and then on those of the order that are due last, as far as each was paid: credit never falls below
 * nothing. Whoever got more back than they ever paid owes it on the first of these, beyond its total.
 */
async function partsOf(ctx: EventContext, order: OrderRow, payment: PaymentRow, amount: number) {
  const invoices = await invoicesOf(ctx, order.id)
  const together = await ctx.db
    .selectFrom('payments')
    .select('invoice_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('receipt_number', '=', payment.receipt_number)
    .execute()
  const sameReceipt = new Set(together.map(({ invoice_id }) => invoice_id))
  const rank = (id: string) => (id === payment.invoice_id ? 0 : sameReceipt.has(id) ? 2 : 3)
  const claims = invoices
    .toReversed()
    .map(({ id, paid }) => ({ invoiceId: id, balance: Math.max(0, paid), rank: rank(id) }))
    .toSorted((a, b) => a.rank - b.rank)
  const credit = { invoiceId: null, balance: -order.unapplied, rank: 1 }
  const parts = allocate(
    [...claims, credit].toSorted((a, b) => a.rank - b.rank),
    amount,
  )
  const missing = amount - sumMinor(parts.map((part) => part.amount))
  const [first] = claims
  if (missing > 0 && !first) throw neverClaimed(ctx, amount, missing)
  return missing > 0 ? [...parts, { claim: first!, amount: missing }] : parts
}

function neverClaimed(ctx: EventContext, amount: number, missing: number) {
  const [most, gone] = [amount - missing, missing].map((minor) => toMoney(minor, ctx.event.currency))
  return preconditionFailed(
    `${gone!.amount} ${gone!.currency} of this was refunded, and the order has no invoice to claim it on: reverse at most ${most!.amount} ${most!.currency}`,
  )
}

function tooMuch(ctx: EventContext, payment: PaymentRow, amount: number) {
  const [asked, left] = [amount, leftOf(payment)].map((minor) => toMoney(minor, ctx.event.currency))
  return preconditionFailed(
    `${asked!.amount} ${asked!.currency} is more than is left of this payment of receipt ${payment.receipt_number}, which is ${left!.amount} ${left!.currency}`,
  )
}
