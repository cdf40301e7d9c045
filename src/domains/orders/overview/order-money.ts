import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { type Money, toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { buildEventCondition } from '../event-scope.ts'
import { toOrderRecord } from '../order-record.ts'
import type { OrderRow } from '../orders.ts'
import type { PaymentMethod } from '../tables.ts'

/** A refund, reversal or write-off of an order. */
export interface RefundOrWriteOff {
  kind: 'refund' | 'reversal' | 'writeOff' | 'writeOffReversal'
  at: Date
  amount: Money
  /** The receipt number; null for write-offs, which have no receipt. */
  receiptNumber: string | null
  method: PaymentMethod | null
  reference: string | null
  invoiceNumber: string | null
  note: string | null
  recordedBy: string
}

/** Details of a payment in addition to those that the record of its order contains. */
export interface PaymentDetails {
  id: string
  provider: string | null
  invoiceNumber: string | null
  note: string | null
  recordedBy: string
  /** The amount that can be refunded to the card through the payment processor. */
  refundable: Money
}

/** Reads an order with all payments, refunds, reversals and write-offs. */
export async function readOrderWithPayments(ctx: EventContext, order: OrderRow) {
  const { event, db } = ctx
  const amount = (minor: number) => toMoney(minor, event.currency)
  const [record, payments, movements, writtenOff, notes] = await Promise.all([
    toOrderRecord(ctx, order),
    sql<Omit<PaymentDetails, 'refundable'> & { refundable: number }>`
      select p.id, p.provider, i.number as "invoiceNumber", p.note, p.recorded_by as "recordedBy",
        case when p.method = 'card' and p.provider_ref is not null then p.amount - p.returned else 0 end as refundable
      from payments p left join invoices i on ${buildEventCondition(ctx, 'i')} and i.id = p.invoice_id
      where ${buildEventCondition(ctx, 'p')} and p.order_id = ${order.id}`.execute(db),
    sql<Omit<RefundOrWriteOff, 'amount'> & { amount: number }>`
      select 'refund' as kind, r.refunded_at as at, r.amount, r.receipt_number as "receiptNumber", r.method, r.reference, null as "invoiceNumber",
        r.note, r.recorded_by as "recordedBy" from refunds r where ${buildEventCondition(ctx, 'r')} and r.order_id = ${order.id}
      union all
      select 'reversal', v.created_at, v.amount, v.receipt_number, p.method, p.reference, null, v.note, v.recorded_by
        from payment_reversals v join payments p on ${buildEventCondition(ctx, 'p')} and p.id = v.payment_id where ${buildEventCondition(ctx, 'v')} and v.order_id = ${order.id}
      union all
      select case e.kind when 'write_off' then 'writeOff' else 'writeOffReversal' end, e.at, abs(e.amount), null, null, null, i.number, e.note, e.by
        from ledger_entries e join invoices i on ${buildEventCondition(ctx, 'i')} and i.id = e.invoice_id
        where ${buildEventCondition(ctx, 'e')} and e.order_id = ${order.id} and e.kind in ('write_off', 'write_off_reversal')`.execute(db),
    eventDb(ctx)
      .selectFrom('invoices')
      .select(['number', 'written_off'])
      .where('order_id', '=', order.id)
      .where('written_off', '>', 0)
      .execute(),
    sql<{ number: string; note: string }>`
      select distinct i.number, e.note from ledger_entries e join invoices i on ${buildEventCondition(ctx, 'i')} and i.id = e.source_id
      where ${buildEventCondition(ctx, 'e')} and e.order_id = ${order.id} and e.kind = 'credit_note' and e.note is not null`.execute(db),
  ])
  return {
    record,
    payments: new Map(payments.rows.map((row): [string, PaymentDetails] => [row.id, { ...row, refundable: amount(row.refundable) }])),
    movements: movements.rows.map((row): RefundOrWriteOff => ({ ...row, amount: amount(row.amount) })),
    writtenOff: new Map(writtenOff.map(({ number, written_off }) => [number, amount(written_off)])),
    /** The reasons of the order's credit notes, by credit note number. */
    reasons: new Map(notes.rows.map(({ number, note }) => [number, note])),
  }
}

export type OrderWithPayments = Awaited<ReturnType<typeof readOrderWithPayments>>
