import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits, toMoney } from '../../kernel/money.ts'
import type { EventContext } from '../../kernel/context.ts'
import { type InvoiceRow, getOrderOrigin } from './invoices.ts'
import { allocateAmountToReceivables, applyCreditToOpenInvoices, type LedgerEntry, postLedgerEntriesOfOrders } from './ledger.ts'
import { listOrderInvoices, lockInvoicesByNumber } from './named-invoices.ts'
import { type RecordNumberOrigin, takeNextRecordNumber } from './numbers.ts'
import { insertPayments } from './payment-rows.ts'
import { getOrderByNumber, lockOrder, type OrderRow } from './orders.ts'
import type { PaymentMethod } from './tables.ts'
import { buildWriteOffReversals } from './write-offs.ts'

/** The invoices that a payment settles: the given ones in the given sequence, or all open invoices of an order, earliest due date first. */
export type PaymentTarget = { invoiceNumbers: readonly string[] } | { orderNumber: string }

export interface NewPayment {
  payee: PaymentTarget
  amount: number
  method: PaymentMethod
  reference: string | null
  note: string | null
  receivedAt: Date
  allowOverpayment: boolean
  allowDuplicate: boolean
}

export interface RecordedPayment {
  receiptNumber: string
  orderIds: readonly string[]
  payments: { id: string; orderId: string; invoiceId: string | null; amount: number }[]
  allocations: { invoiceId: string; amount: number }[]
}

/**
 * Records a payment that was received outside of Lanyard. It is applied to open invoices first, then to written-off amounts, whose
 * write-off is reversed accordingly. An excess becomes credit of the order, or of the last order if there are several.
 */
export async function recordPayment(ctx: EventContext, payment: NewPayment): Promise<RecordedPayment> {
  const { invoices, orders } = await lockTarget(ctx, payment.payee)
  invoices.forEach(refuseClosedInvoice)
  if (!payment.allowDuplicate) await refuseDuplicate(ctx, payment, [...orders.keys()])

  const shares = allocateAmountToReceivables(listClaims(invoices), payment.amount)
  const excess = payment.amount - sumMinorUnits(shares.map(({ amount }) => amount))
  if (excess > 0 && !payment.allowOverpayment) throw overpaymentError(ctx, payment.amount, invoices)

  const last = orders.get(invoices.at(-1)?.order_id ?? '') ?? [...orders.values()].at(-1)!
  const perInvoice = Map.groupBy(shares, ({ claim }) => claim.invoice)
  const parts: { id: string; order: OrderRow; invoice: InvoiceRow | null; amount: number }[] = [...perInvoice].map(([invoice, own]) => ({
    id: newId(),
    order: orders.get(invoice.order_id)!,
    invoice,
    amount: sumMinorUnits(own.map(({ amount }) => amount)),
  }))
  if (excess > 0) parts.push({ id: newId(), order: last, invoice: null, amount: excess })

  const writeOffReversals = await buildWriteOffReversals(
    ctx,
    shares.flatMap(({ claim, amount }) => (claim.isWrittenOff ? [{ invoice: claim.invoice, amount }] : [])),
    payment.note,
  )
  const receiptNumber = await takeNextRecordNumber(ctx, 'RC', getCommonOrigin([...orders.values()]))
  await insertPayments(
    ctx,
    parts.map(({ id, order, invoice, amount }) => ({
      id,
      order,
      invoice_id: invoice?.id ?? null,
      method: payment.method,
      amount,
      reference: payment.reference,
      note: payment.note,
      receipt_number: receiptNumber,
      received_at: payment.receivedAt,
    })),
  )
  const orderOf = new Map(invoices.map((invoice) => [invoice.id, orders.get(invoice.order_id)!]))
  await postLedgerEntriesOfOrders(ctx, [
    ...writeOffReversals.map((entry) => ({ order: orderOf.get(entry.invoiceId!)!, entry })),
    ...parts.map(({ id, order, invoice, amount }) => {
      const entry: LedgerEntry = { kind: 'payment', amount: -amount, sourceId: id, invoiceId: invoice?.id ?? null, note: payment.note }
      return { order, entry }
    }),
  ])
  if (excess > 0) await applyCreditToOpenInvoices(ctx, last.id)
  for (const { id, order, invoice, amount } of parts) {
    const { amount: text } = toMoney(amount, ctx.event.currency)
    announceToWebhooks(ctx, { kind: 'payment.received', entity: 'payment', id, isTestData: order.is_test_data })
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

async function lockTarget(ctx: EventContext, payee: PaymentTarget) {
  if ('invoiceNumbers' in payee) return lockInvoicesByNumber(ctx, payee.invoiceNumbers)
  const order = await lockOrder(ctx, (await getOrderByNumber(ctx, payee.orderNumber)).id)
  const all = await listOrderInvoices(ctx, order.id)
  return { invoices: all.filter(({ balance, written_off }) => balance > 0 || written_off > 0), orders: new Map([[order.id, order]]) }
}

const listClaims = (invoices: readonly InvoiceRow[]) => [
  ...invoices.map((invoice) => ({ invoice, balance: invoice.balance, isWrittenOff: false })),
  ...invoices.map((invoice) => ({ invoice, balance: invoice.written_off, isWrittenOff: true })),
]

function refuseClosedInvoice({ number, kind, status }: InvoiceRow): void {
  if (kind === 'credit_note')
    throw preconditionFailed(`${number} is a credit note and takes no payment. To pay it out, use kind refund with its orderNumber`)
  if (status === 'void') throw preconditionFailed(`${number} is void because it was credited in full. It takes no payment`)
}

function overpaymentError(ctx: EventContext, amount: number, invoices: readonly InvoiceRow[]) {
  const claimed = toMoney(sumMinorUnits(listClaims(invoices).map(({ balance }) => balance)), ctx.event.currency)
  const paid = toMoney(amount, ctx.event.currency)
  return preconditionFailed(
    `${paid.amount} ${paid.currency} is more than is owed: balance is ${claimed.amount} ${claimed.currency}. Pass allowOverpayment: true to keep the rest as credit`,
    { reason: 'overpaid' },
  )
}

/**
 * Rejects a payment that looks like a duplicate. Earlier payments that were reversed in full do not count, because a cheque may be
 * presented again.
 */
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
    `${text} ${currency} by ${method} with this reference is already recorded as receipt ${earlier.receipt}. Pass allowDuplicate: true if it was received twice`,
    { reason: 'alreadyRecorded' },
  )
}

/** Returns whether the orders of a receipt are real or test data. Rejects a mix, because a receipt has one number. */
function getCommonOrigin(orders: readonly OrderRow[]): RecordNumberOrigin {
  const origins = new Set(orders.map(getOrderOrigin))
  if (origins.size > 1 && origins.has('test'))
    throw invalidArguments([{ path: 'invoiceNumbers', message: 'mix test data and real orders; make a separate call for each' }])
  return origins.size === 1 ? [...origins][0]! : 'real'
}
