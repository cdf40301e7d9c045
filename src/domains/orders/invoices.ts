import type { Selectable } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import type { Tables } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { toDayInZone } from '../../kernel/time.ts'
import { computeDueDate, type InvoiceDateSettings } from './due-date.ts'
import { applyCreditToOpenInvoices, postLedgerEntries } from './ledger.ts'
import { appendCreditLines, type OrderLineCredit, type NewOrderLine } from './lines.ts'
import { buildNextRecordNumberSql, type RecordNumberOrigin } from './numbers.ts'
import type { OrderContext, OrderRow } from './orders.ts'
import { recordSale, type RecordedSale, sumLineAmounts } from './record-sale.ts'
import { buildWriteOffReversals } from './write-offs.ts'

export type InvoiceRow = Selectable<Tables['invoices']>

export const getOrderOrigin = ({ number, is_test_data }: OrderRow): RecordNumberOrigin =>
  is_test_data ? 'test' : number.startsWith('IMP-') ? 'import' : 'real'

async function issueCreditNote(
  ctx: OrderContext,
  order: OrderRow,
  terms: InvoiceDateSettings,
  { net, tax, total }: Pick<InvoiceRow, 'net' | 'tax' | 'total'>,
): Promise<{ id: string; number: string }> {
  const year = toDayInZone(ctx.event.timezone, terms.at).slice(0, 4)
  const issued = await ctx.db
    .insertInto('invoices')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      number: buildNextRecordNumberSql(ctx, 'CN', getOrderOrigin(order), year),
      kind: 'credit_note',
      order_id: order.id,
      is_test_data: order.is_test_data,
      issued_at: terms.at,
      due_on: computeDueDate(terms, ctx.event.timezone),
      bill_to: JSON.stringify(order.bill_to),
      net,
      tax,
      total,
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow()
  announceToWebhooks(ctx, { kind: 'invoice.issued', entity: 'invoice', id: issued.id, isTestData: order.is_test_data })
  return issued
}

/** Adds order lines to an order whose row is locked, and issues an invoice. Free lines are added without an invoice. */
export async function addAndInvoiceOrderLines(
  ctx: OrderContext,
  { id }: Pick<OrderRow, 'id'>,
  lines: readonly NewOrderLine[],
  terms: InvoiceDateSettings,
): Promise<RecordedSale['invoice']> {
  return (await recordSale(ctx, { order: { id }, lines, terms })).invoice
}

/**
 * Credits lines of an order whose row is locked. The amount reduces each line's invoice first, including what was written off of it,
 * which was never paid. The rest becomes credit on the order and is applied to its other open invoices.
 */
export async function creditOrderLines(
  ctx: OrderContext,
  order: OrderRow,
  credits: readonly OrderLineCredit[],
  terms: InvoiceDateSettings,
  reason: string | null = null,
): Promise<{ id: string; number: string; total: number } | null> {
  const given = sumLineAmounts(credits.map(({ amounts }) => amounts))
  if (given.total === 0) {
    await appendCreditLines(ctx, order, credits, null)
    return null
  }
  const note = await issueCreditNote(ctx, order, terms, given)
  await appendCreditLines(ctx, order, credits, note.id)
  const corrected = Map.groupBy(
    credits.filter(({ amounts }) => amounts.total !== 0),
    ({ line }) => line.invoice_id,
  )
  const invoices = await readOpenAmounts(
    ctx,
    [...corrected.keys()].filter((id) => id !== null),
  )
  const parts = [...corrected].map(([invoiceId, credited]) => {
    const amount = sumMinorUnits(credited.map(({ amounts }) => amounts.total))
    const { balance = 0, written_off: writtenOff = 0 } = invoices.get(invoiceId) ?? {}
    return {
      invoiceId,
      amount,
      reopened: Math.min(Math.max(0, amount - balance), writtenOff),
      applied: Math.min(amount, balance + writtenOff),
    }
  })
  const reversals = await buildWriteOffReversals(
    ctx,
    parts.flatMap(({ invoiceId, reopened }) =>
      invoiceId === null || reopened === 0 ? [] : [{ invoice: { id: invoiceId }, amount: reopened }],
    ),
    reason,
  )
  const entries = parts.flatMap(({ invoiceId, amount, applied }) => {
    const of = { kind: 'credit_note' as const, sourceId: note.id, note: reason }
    return [
      { ...of, amount: -applied, invoiceId },
      { ...of, amount: -(amount - applied), invoiceId: null },
    ]
  })
  await postLedgerEntries(ctx, order, [...reversals, ...entries])
  await applyCreditToOpenInvoices(ctx, order.id)
  return { ...note, total: given.total }
}

/** Reads how much of each invoice is unpaid or written off. */
async function readOpenAmounts(
  ctx: OrderContext,
  ids: readonly string[],
): Promise<Map<string | null, Pick<InvoiceRow, 'balance' | 'written_off'>>> {
  if (ids.length === 0) return new Map()
  const rows = await eventDb(ctx).selectFrom('invoices').select(['id', 'balance', 'written_off']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}
