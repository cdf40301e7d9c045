import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinor, toMoney } from '../../kernel/money.ts'
import type { EventContext } from '../../kernel/context.ts'
import { type InvoiceRow, originOf } from './invoices.ts'
import { allocate, applyCredit, type Entry, postAll } from './ledger.ts'
import { invoicesOf, lockInvoicesByNumber } from './named-invoices.ts'
import { type Origin, takeNumber } from './numbers.ts'
import { getOrderByNumber, lockOrder, type OrderRow } from './orders.ts'
import type { PaymentMethod } from './tables.ts'
import { contraEntries } from './write-offs.ts'

/** What is paid: invoices in the order given, or an order's, the oldest due first. */
export type Payee = { invoiceNumbers: readonly string[] } | { orderNumber: string }

export interface NewPayment {
  payee: Payee
  amount: number
  method: PaymentMethod
  reference: string | null
  note: string | null
  receivedAt: Date
  allowOverpayment: boolean
  allowDuplicate: boolean
}

/** What one receipt came to. */
export interface Recorded {
  receiptNumber: string
  orderIds: readonly string[]
  payments: { id: string; orderId: string; invoiceId: string | null; amount: number }[]
  allocations: { invoiceId: string; amount: number }[]
}

/**
 * Records money that came by itself. Open claims take it first, then what was written off: a payment of that takes the write-off back by
 * its amount. What is left over is credit of the order, or of the last one where there are several.
 */
export async function recordPayment(ctx: EventContext, payment: NewPayment): Promise<Recorded> {
  const { invoices, orders } = await lockPayee(ctx, payment.payee)
  invoices.forEach(refuseClosed)
  if (!payment.allowDuplicate) await refuseDuplicate(ctx, payment, [...orders.keys()])

  const shares = allocate(claimsOn(invoices), payment.amount)
  const excess = payment.amount - sumMinor(shares.map(({ amount }) => amount))
  if (excess > 0 && !payment.allowOverpayment) throw tooMuch(ctx, payment.amount, invoices)

  const last = orders.get(invoices.at(-1)?.order_id ?? '') ?? [...orders.values()].at(-1)!
  const perInvoice = Map.groupBy(shares, ({ claim }) => claim.invoice)
  const parts: { id: string; order: OrderRow; invoice: InvoiceRow | null; amount: number }[] = [...perInvoice].map(([invoice, own]) => ({
    id: newId(),
    order: orders.get(invoice.order_id)!,
    invoice,
    amount: sumMinor(own.map(({ amount }) => amount)),
  }))
  if (excess > 0) parts.push({ id: newId(), order: last, invoice: null, amount: excess })

  const revived = await contraEntries(
    ctx,
    shares.flatMap(({ claim, amount }) => (claim.givenUp ? [{ invoice: claim.invoice, amount }] : [])),
    payment.note,
  )
  const receiptNumber = await takeNumber(ctx, 'RC', commonOrigin([...orders.values()]))
  await ctx.db
    .insertInto('payments')
    .values(
      parts.map(({ id, order, invoice, amount }) => ({
        tenant_id: ctx.tenantId,
        event_id: ctx.event.id,
        id,
        order_id: order.id,
        invoice_id: invoice?.id ?? null,
        is_test_data: order.is_test_data,
        method: payment.method,
        amount,
        reference: payment.reference,
        note: payment.note,
        receipt_number: receiptNumber,
        received_at: payment.receivedAt,
        recorded_by: ctx.actor.id,
      })),
    )
    .execute()
  const orderOf = new Map(invoices.map((invoice) => [invoice.id, orders.get(invoice.order_id)!]))
  await postAll(ctx, [
    ...revived.map((entry) => ({ order: orderOf.get(entry.invoiceId!)!, entry })),
    ...parts.map(({ id, order, invoice, amount }) => {
      const entry: Entry = { kind: 'payment', amount: -amount, sourceId: id, invoiceId: invoice?.id ?? null, note: payment.note }
      return { order, entry }
    }),
  ])
  if (excess > 0) await applyCredit(ctx, last.id)
  for (const { id, order, invoice, amount } of parts) {
    const { amount: text } = toMoney(amount, ctx.event.currency)
    announce(ctx, { kind: 'payment.received', entity: 'payment', id, isTestData: order.is_test_data })
    recordChange(ctx, {
      kind: 'payment',
      id,
      after: { receiptNumber, orderNumber: order.number, invoiceNumber: invoice?.number ?? null, amount: text, method: payment.method },
    })
    ctx.effects.add('changes', `payment ${order.number} ${invoice?.number ?? 'credit'} ${amount} of ${invoice?.balance ?? 0}`, {
      order: order.number,
      ...(invoice ? { invoice: invoice.number } : {}),
      amount: text,
    })
  }
  return {
    receiptNumber,
    orderIds: [...orders.keys()],
    payments: parts.map(({ id, order, invoice, amount }) => ({ id, orderId: order.id, invoiceId: invoice?.id ?? null, amount })),
    allocations: parts.flatMap(({ invoice, amount }) => (invoice ? [{ invoiceId: invoice.id, amount }] : [])),
  }
}

async function lockPayee(ctx: EventContext, payee: Payee) {
  if ('invoiceNumbers' in payee) return lockInvoicesByNumber(ctx, payee.invoiceNumbers)
  const order = await lockOrder(ctx, (await getOrderByNumber(ctx, payee.orderNumber)).id)
  const all = await invoicesOf(ctx, order.id)
  return { invoices: all.filter(({ balance, written_off }) => balance > 0 || written_off > 0), orders: new Map([[order.id, order]]) }
}

const claimsOn = (invoices: readonly InvoiceRow[]) => [
  ...invoices.map((invoice) => ({ invoice, balance: invoice.balance, givenUp: false })),
  ...invoices.map((invoice) => ({ invoice, balance: invoice.written_off, givenUp: true })),
]

function refuseClosed({ number, kind, status }: InvoiceRow): void {
  if (kind === 'credit_note')
    throw preconditionFailed(`${number} is a credit note, which takes no payment — pay it out with kind refund and its orderNumber`)
  if (status === 'void') throw preconditionFailed(`${number} is void: it was credited in full, so nothing can be paid on it`)
}

function tooMuch(ctx: EventContext, amount: number, invoices: readonly InvoiceRow[]) {
  const claimed = toMoney(sumMinor(claimsOn(invoices).map(({ balance }) => balance)), ctx.event.currency)
  const paid = toMoney(amount, ctx.event.currency)
  return preconditionFailed(
    `${paid.amount} ${paid.currency} is more than is owed: balance is ${claimed.amount} ${claimed.currency} — pass allowOverpayment: true to keep the rest as credit`,
  )
}

/** Whoever is told of one transfer twice records it twice. What was reversed in full since does not count: a cheque may be presented again. */
async function refuseDuplicate(ctx: EventContext, { amount, method, reference }: NewPayment, orderIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ receipt: string; receivedAt: Date }>`
    select p.receipt_number as receipt, min(p.received_at) as "receivedAt" from payments p
    where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.receipt_number in (
        select o.receipt_number from payments o where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.order_id = any(${orderIds}))
      and p.method = ${method} and p.reference is not distinct from ${reference}
    group by p.receipt_number
    having sum(p.amount) = ${amount} and sum(p.amount) > coalesce((
      select sum(r.amount) from payment_reversals r join payments x on x.tenant_id = r.tenant_id and x.event_id = r.event_id and x.id = r.payment_id
      where x.tenant_id = ${ctx.tenantId} and x.event_id = ${ctx.event.id} and x.receipt_number = p.receipt_number), 0)
    order by p.receipt_number limit 1`.execute(ctx.db)
  const [earlier] = rows
  if (!earlier) return
  const { amount: text, currency } = toMoney(amount, ctx.event.currency)
  throw conflict(
    `${text} ${currency} by ${method} with this reference is already recorded as receipt ${earlier.receipt} — pass allowDuplicate: true if it came a second time`,
  )
}

/** One receipt has one number, so it is for real orders or for those of test data. */
function commonOrigin(orders: readonly OrderRow[]): Origin {
  const origins = new Set(orders.map(originOf))
  if (origins.size > 1 && origins.has('test'))
    throw invalidArguments([{ path: 'invoiceNumbers', message: 'are of test data and of real orders; make one call for each' }])
  return origins.size === 1 ? [...origins][0]! : 'real'
}
