import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, list, money, object, oneOf, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { type Money, sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { lockInvoicesByNumber, toPositiveMinorUnits } from './named-invoices.ts'
import { getOrderByNumber, lockOrder } from './orders.ts'
import { recordPayment } from './payments.ts'
import { sendReceipt } from './receipts.ts'
import { type NewRefund, recordRefund, type RefundCreditToCardsFunction } from './refunds.ts'
import { getPayment, reversePayment } from './reversals.ts'
import { PAYMENT_METHODS, type PaymentMethod } from './tables.ts'

export const MANUAL_PAYMENT_KINDS = ['payment', 'refund', 'reversal'] as const
export const PAYMENT_AND_REFUND_METHODS = [...PAYMENT_METHODS, 'original'] as const

interface ManualPaymentRequest {
  kind: (typeof MANUAL_PAYMENT_KINDS)[number]
  amount: Money
  invoiceNumbers?: readonly string[] | undefined
  orderNumber?: string | undefined
  paymentId?: string | undefined
  method?: (typeof PAYMENT_AND_REFUND_METHODS)[number] | undefined
  reference?: string | undefined
  receivedAt?: string | undefined
  note?: string | undefined
  allowOverpayment: boolean
  allowDuplicate: boolean
  sendReceipt: boolean
}

export const ManualPayment = {
  receiptNumber: text(),
  payments: list(
    toOneLine(
      object({ id: text(), orderNumber: text(), invoiceNumber: text().optional(), amount: money() }),
      'id, orderNumber, invoiceNumber, amount',
    ),
  ),
  refund: toOneLine(object({ id: text(), amount: money(), method: oneOf(PAYMENT_METHODS) }), 'id, amount, method').optional(),
  allocations: list(
    toOneLine(object({ invoiceNumber: text(), amount: money(), balanceAfter: money() }), 'invoiceNumber, amount, balanceAfter'),
  ),
  unapplied: money(),
  order: object({ balance: money(), status: oneOf(['open', 'paid', 'void']) }),
  /** The number of receipt emails that were queued. */
  queued: count().optional(),
}

/** Validates the arguments that only some of the kinds (payment, refund, reversal) need. */
export function validateManualPayment(sent: Record<string, unknown>): FieldError[] {
  const { kind, method, invoiceNumbers, orderNumber, paymentId, reference, sendReceipt: sendsReceipt } = sent
  const given = [invoiceNumbers, orderNumber].filter((name) => name !== undefined).length
  const problems: FieldError[] = []
  const addError = (path: string, message: string) => void problems.push({ path, message })
  if (given > 1) addError('orderNumber', 'pass invoiceNumbers or orderNumber, not both')
  if (kind === 'payment' && given === 0) addError('invoiceNumbers', 'pass invoiceNumbers or orderNumber of what was paid')
  if (kind === 'payment' && paymentId !== undefined)
    addError('paymentId', 'is for refunds and reversals, where it names the earlier payment')
  if (kind === 'payment' && method === 'original') addError('method', 'original is for refunds')
  if (kind === 'refund' && given === 0 && paymentId === undefined)
    addError('orderNumber', 'pass orderNumber, invoiceNumbers or paymentId of the credit')
  if (kind === 'reversal' && paymentId === undefined) addError('paymentId', 'pass the id of the payment to reverse')
  if (kind === 'reversal' && sendsReceipt === true) addError('sendReceipt', 'is for payments and refunds')
  if (kind !== 'reversal' && method === undefined) addError('method', `required: one of ${PAYMENT_AND_REFUND_METHODS.join(', ')}`)
  if (kind !== 'reversal' && (method === 'bank' || method === 'cheque') && reference === undefined)
    addError('reference', `required for ${method}: the reference text or number`)
  return problems
}

/** Records a payment, refund or reversal that was made outside of Lanyard. */
export async function recordManualPayment(ctx: EventContext, request: ManualPaymentRequest, refundToCard: RefundCreditToCardsFunction) {
  const { kind, paymentId } = request
  const amount = toPositiveMinorUnits(ctx, request.amount, 'amount')
  const at = await parseReceivedAt(ctx, request.receivedAt)
  const kept = { amount, reference: request.reference ?? null, note: request.note ?? null }
  if (kind === 'payment') {
    const { orderNumber, invoiceNumbers = [], allowOverpayment, allowDuplicate } = request
    const payee = orderNumber === undefined ? { invoiceNumbers } : { orderNumber }
    const method = request.method as PaymentMethod
    const recorded = await recordPayment(ctx, { ...kept, payee, method, receivedAt: at, allowOverpayment, allowDuplicate })
    return { ...(await toResult(ctx, recorded)), ...(request.sendReceipt ? { queued: await sendReceipts(ctx, recorded) } : {}) }
  }
  const orderId = await findReferencedOrderId(ctx, request)
  if (kind === 'reversal') {
    const reversed = await reversePayment(ctx, { ...kept, paymentId: paymentId! })
    return toResult(ctx, { ...reversed, orderIds: [orderId], payments: [] })
  }
  const refund = await refunded(
    ctx,
    { ...kept, orderId, paymentId: paymentId ?? null, method: request.method!, refundedAt: at },
    refundToCard,
  )
  const { id: sourceId, receiptNumber } = refund
  return {
    ...(await toResult(ctx, { receiptNumber, orderIds: [orderId], payments: [], allocations: [] })),
    ...(request.sendReceipt
      ? { queued: await sendReceipt(ctx, { trigger: 'payment.refunded', receiptNumber, orderId, sourceId, amount }) }
      : {}),
    refund: { id: refund.id, amount: toMoney(amount, ctx.event.currency), method: refund.method },
  }
}

type AnyRefund = Omit<NewRefund, 'method'> & { method: PaymentMethod | 'original' }

async function refunded(ctx: EventContext, { method, ...refund }: AnyRefund, refundToCard: RefundCreditToCardsFunction) {
  if (method !== 'original') return { ...(await recordRefund(ctx, { ...refund, method })), method }
  const { receiptNumber, refunds } = await refundToCard(ctx, await lockOrder(ctx, refund.orderId), refund)
  return { id: refunds[0]!.id, receiptNumber, method: 'card' as const }
}

/** Sends one receipt per order, because the orders may have different owners. */
async function sendReceipts(ctx: EventContext, { receiptNumber, payments }: RecordedMovement): Promise<number> {
  let queued = 0
  for (const [orderId, own] of Map.groupBy(payments, (payment) => payment.orderId)) {
    const amount = sumMinorUnits(own.map((payment) => payment.amount))
    queued += await sendReceipt(ctx, { trigger: 'payment.received', receiptNumber, orderId, sourceId: own[0]!.id, amount })
  }
  return queued
}

const MAX_AGE_YEARS = 2

async function parseReceivedAt(ctx: EventContext, receivedAt: string | undefined): Promise<Date> {
  const now = await getDatabaseTime(ctx)
  if (receivedAt === undefined) return now
  const at = new Date(receivedAt)
  const earliest = new Date(now)
  earliest.setUTCFullYear(now.getUTCFullYear() - MAX_AGE_YEARS)
  if (at > now) throw invalidArguments([{ path: 'receivedAt', message: `must not be after now, ${now.toISOString()}` }])
  if (at < earliest) throw invalidArguments([{ path: 'receivedAt', message: `must not be before ${earliest.toISOString()}` }])
  return at
}

/** Finds the order of a refund or reversal from its order number, invoice numbers or payment id. */
async function findReferencedOrderId(ctx: EventContext, { orderNumber, invoiceNumbers, paymentId }: ManualPaymentRequest): Promise<string> {
  const named = new Set<string>()
  if (orderNumber !== undefined) named.add((await getOrderByNumber(ctx, orderNumber)).id)
  if (invoiceNumbers !== undefined) for (const id of (await lockInvoicesByNumber(ctx, invoiceNumbers)).orders.keys()) named.add(id)
  const [order, ...others] = named
  if (others.length > 0)
    throw invalidArguments([{ path: 'invoiceNumbers', message: 'belong to several orders; credit belongs to a single order' }])
  if (paymentId === undefined) return order!
  const { order_id, receipt_number } = await getPayment(ctx, paymentId)
  if (order !== undefined && order !== order_id)
    throw preconditionFailed(`The payment of receipt ${receipt_number} belongs to another order. Leave out orderNumber and invoiceNumbers`)
  return order_id
}

interface RecordedMovement {
  receiptNumber: string
  orderIds: readonly string[]
  payments: readonly { id: string; orderId: string; invoiceId: string | null; amount: number }[]
  allocations: readonly { invoiceId: string; amount: number }[]
}

type ManualPaymentResult = z.input<ReturnType<typeof object<typeof ManualPayment>>>

/** Builds the result of a manual payment from the current state of its orders; amounts of several orders are added up. */
async function toResult(
  ctx: EventContext,
  { receiptNumber, orderIds, payments, allocations }: RecordedMovement,
): Promise<ManualPaymentResult> {
  const shown = (minor: number) => toMoney(minor, ctx.event.currency)
  const orders = await eventDb(ctx)
    .selectFrom('orders')
    .select(['id', 'number', 'balance', 'unapplied', 'status'])
    .where('id', '=', sql<string>`any(${orderIds})`)
    .execute()
  const invoices = await eventDb(ctx)
    .selectFrom('invoices')
    .select(['id', 'number', 'balance'])
    .where('order_id', '=', sql<string>`any(${orderIds})`)
    .execute()
  const orderNumber = new Map(orders.map(({ id, number }) => [id, number]))
  const invoice = new Map(invoices.map((row) => [row.id, row]))
  const statuses = new Set(orders.map(({ status }) => status))
  return {
    receiptNumber,
    payments: payments.map(({ id, orderId, invoiceId, amount }) => ({
      id,
      orderNumber: orderNumber.get(orderId)!,
      ...(invoiceId === null ? {} : { invoiceNumber: invoice.get(invoiceId)!.number }),
      amount: shown(amount),
    })),
    allocations: allocations.map(({ invoiceId, amount }) => {
      const { number, balance } = invoice.get(invoiceId)!
      return { invoiceNumber: number, amount: shown(amount), balanceAfter: shown(balance) }
    }),
    unapplied: shown(sumMinorUnits(orders.map(({ unapplied }) => unapplied))),
    order: {
      balance: shown(sumMinorUnits(orders.map(({ balance }) => balance))),
      status: statuses.has('open') ? 'open' : statuses.has('paid') ? 'paid' : 'void',
    },
  }
}
