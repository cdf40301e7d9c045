import type { Selectable } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import type { Tables } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinor } from '../../kernel/money.ts'
import { addDays, dayIn } from '../../kernel/time.ts'
import { applyCredit, post } from './ledger.ts'
import { appendCredits, appendLines, type Credit, type NewLine } from './lines.ts'
import { nextNumber, type Origin } from './numbers.ts'
import type { OrderContext, OrderRow } from './orders.ts'

export type InvoiceRow = Selectable<Tables['invoices']>

/** What an invoice needs of the event and its client. */
export interface Terms {
  at: Date
  startsOn: string
  paymentTermsDays: number
}

/** Payable within the client's terms, but before the event; what is issued during or after it has the whole term. */
export function dueOn({ at, startsOn, paymentTermsDays }: Terms, timezone: string): string {
  const issued = dayIn(timezone, at)
  const due = addDays(issued, paymentTermsDays)
  return issued > startsOn || due < startsOn ? due : startsOn
}

export const originOf = ({ number, is_test_data }: OrderRow): Origin =>
  is_test_data ? 'test' : number.startsWith('IMP-') ? 'import' : 'real'

async function issue(
  ctx: OrderContext,
  order: OrderRow,
  terms: Terms,
  { kind, net, tax, total }: Pick<InvoiceRow, 'kind' | 'net' | 'tax' | 'total'>,
): Promise<{ id: string; number: string }> {
  const year = dayIn(ctx.event.timezone, terms.at).slice(0, 4)
  const issued = await ctx.db
    .insertInto('invoices')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      number: nextNumber(ctx, kind === 'invoice' ? 'INV' : 'CN', originOf(order), year),
      kind,
      order_id: order.id,
      is_test_data: order.is_test_data,
      issued_at: terms.at,
      due_on: dueOn(terms, ctx.event.timezone),
      bill_to: JSON.stringify(order.bill_to),
      net,
      tax,
      total,
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow()
  announce(ctx, { kind: 'invoice.issued', entity: 'invoice', id: issued.id, isTestData: order.is_test_data })
  return issued
}

const sums = (lines: readonly { net: number; tax: number; total: number }[]) => ({
  net: sumMinor(lines.map(({ net }) => net)),
  tax: sumMinor(lines.map(({ tax }) => tax)),
  total: sumMinor(lines.map(({ total }) => total)),
})

/** Adds lines to an order that is locked and claims their money; what costs nothing is added without an invoice. */
export async function sell(
  ctx: OrderContext,
  order: OrderRow,
  lines: readonly NewLine[],
  terms: Terms,
): Promise<{ id: string; number: string; total: number } | null> {
  const claimed = sums(lines)
  if (claimed.total === 0) {
    await appendLines(ctx, order, lines, null)
    return null
  }
  const invoice = await issue(ctx, order, terms, { kind: 'invoice', ...claimed })
  await appendLines(ctx, order, lines, invoice.id)
  const held = await post(ctx, order, [{ kind: 'invoice', amount: claimed.total, sourceId: invoice.id, invoiceId: invoice.id }])
  if (held > 0) await applyCredit(ctx, order.id)
  return { ...invoice, total: claimed.total }
}

/**
 * Takes units and money off lines of an order that is locked. The money goes to what is still open on the invoice of each line; the rest is
 * credit on the order, which its other open invoices take.
 */
export async function credit(
  ctx: OrderContext,
  order: OrderRow,
  credits: readonly Credit[],
  terms: Terms,
): Promise<{ id: string; number: string; total: number } | null> {
  const given = sums(credits.map(({ amounts }) => amounts))
  if (given.total === 0) {
    await appendCredits(ctx, order, credits, null)
    return null
  }
  const note = await issue(ctx, order, terms, { kind: 'credit_note', ...given })
  await appendCredits(ctx, order, credits, note.id)
  const corrected = Map.groupBy(
    credits.filter(({ amounts }) => amounts.total !== 0),
    ({ line }) => line.invoice_id,
  )
  const balances = await balancesOf(
    ctx,
    [...corrected.keys()].filter((id) => id !== null),
  )
  const entries = [...corrected].flatMap(([invoiceId, parts]) => {
    const amount = sumMinor(parts.map(({ amounts }) => amounts.total))
    const open = Math.min(amount, invoiceId === null ? 0 : (balances.get(invoiceId) ?? 0))
    const of = { kind: 'credit_note' as const, sourceId: note.id }
    return [
      { ...of, amount: -open, invoiceId },
      { ...of, amount: -(amount - open), invoiceId: null },
    ]
  })
  await post(ctx, order, entries)
  await applyCredit(ctx, order.id)
  return { ...note, total: given.total }
}

async function balancesOf(ctx: OrderContext, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('invoices')
    .select(['id', 'balance'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, balance }) => [id, balance]))
}
