import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { day, flag, instant, list, money, object, oneOf, untrustedText, text } from '../../kernel/args.ts'
import { toMoney } from '../../kernel/money.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { OrderContext, OrderRow } from './orders.ts'
import { ORDER_LINE_KINDS, PAYMENT_METHODS } from './tables.ts'
import { INVOICE_STATES } from './states.ts'

const quantity = () => z.int()

export const OrderLine = object({
  id: text(),
  kind: oneOf(ORDER_LINE_KINDS),
  productCode: text().nullable(),
  description: text(),
  quantity: quantity(),
  unitPrice: money(),
  listAmount: money(),
  discount: money(),
  net: money(),
  tax: money(),
  total: money(),
  taxCode: text().nullable(),
  taxRate: text(),
  taxInclusive: flag(),
  taxNote: text().nullable(),
  participantId: text().nullable(),
  reversesLineId: text().nullable(),
  pricedAt: instant(),
  invoiceNumber: text().nullable(),
})

/** An order with lines, invoices and payments in chronological order. */
export const OrderRecord = object({
  number: text(),
  status: oneOf(['open', 'paid', 'void']),
  discountCode: text().nullable(),
  total: money(),
  paid: money(),
  balance: money(),
  unapplied: money(),
  lines: list(OrderLine, 10_000),
  invoices: list(
    object({
      number: text(),
      kind: oneOf(['invoice', 'credit_note']),
      issuedAt: instant(),
      dueOn: day(),
      net: money(),
      tax: money(),
      total: money(),
      balance: money(),
      status: oneOf(INVOICE_STATES.all),
    }),
    10_000,
  ),
  payments: list(
    object({
      id: text(),
      receiptNumber: text(),
      method: oneOf(PAYMENT_METHODS),
      amount: money(),
      /** The amount of the payment that was refunded or reversed. */
      returned: money(),
      reference: untrustedText().nullable(),
      receivedAt: instant(),
    }),
    10_000,
  ),
})

type OrderReadScope = Pick<OrderContext, 'tenantId' | 'event' | 'db'>

/** Reads order lines by an SQL condition on their table, which has the alias `l`. */
export async function listOrderLines(ctx: OrderReadScope, which: RawBuilder<boolean>): Promise<z.input<typeof OrderLine>[]> {
  const lines = await eventDb(ctx)
    .selectFrom('order_lines as l')
    .leftJoin('invoices as i', (join) => joinRowsOfSameEvent(join, 'i.id', 'l.invoice_id'))
    .selectAll('l')
    .select('i.number as invoice_number')
    .where(which)
    .orderBy('l.order_id')
    .orderBy('l.position')
    .execute()
  const amount = (minor: number) => toMoney(minor, ctx.event.currency)
  return lines.map((line) => ({
    id: line.id,
    kind: line.kind,
    productCode: line.product_code,
    description: line.description,
    quantity: line.quantity,
    unitPrice: amount(line.unit_price),
    listAmount: amount(line.list_amount),
    discount: amount(line.discount),
    net: amount(line.net),
    tax: amount(line.tax),
    total: amount(line.total),
    taxCode: line.tax_code,
    taxRate: line.tax_rate,
    taxInclusive: line.tax_inclusive,
    taxNote: line.tax_note,
    participantId: line.participant_id,
    reversesLineId: line.reverses_line_id,
    pricedAt: formatInstant(line.priced_at),
    invoiceNumber: line.invoice_number,
  }))
}

export async function toOrderRecord(ctx: OrderReadScope, order: OrderRow): Promise<z.input<typeof OrderRecord>> {
  const amount = (minor: number) => toMoney(minor, ctx.event.currency)
  const [lines, invoices, payments] = await Promise.all([
    listOrderLines(ctx, sql<boolean>`l.order_id = ${order.id}`),
    eventDb(ctx)
      .selectFrom('invoices')
      .select(['number', 'kind', 'issued_at', 'due_on', 'net', 'tax', 'total', 'balance', 'status'])
      .where('order_id', '=', order.id)
      .orderBy('issued_at')
      .orderBy('id')
      .execute(),
    eventDb(ctx)
      .selectFrom('payments')
      .select(['id', 'receipt_number', 'method', 'amount', 'returned', 'reference', 'received_at'])
      .where('order_id', '=', order.id)
      .orderBy('received_at')
      .orderBy('id')
      .execute(),
  ])
  return {
    number: order.number,
    status: order.status,
    discountCode: order.discount_code,
    total: amount(order.total),
    paid: amount(order.paid),
    balance: amount(order.balance),
    unapplied: amount(order.unapplied),
    lines,
    invoices: invoices.map(({ issued_at, due_on, net, tax, total, balance, ...invoice }) => ({
      ...invoice,
      issuedAt: formatInstant(issued_at),
      dueOn: due_on,
      net: amount(net),
      tax: amount(tax),
      total: amount(total),
      balance: amount(balance),
    })),
    payments: payments.map((payment) => ({
      id: payment.id,
      receiptNumber: payment.receipt_number,
      method: payment.method,
      amount: amount(payment.amount),
      returned: amount(payment.returned),
      reference: payment.reference,
      receivedAt: formatInstant(payment.received_at),
    })),
  }
}
