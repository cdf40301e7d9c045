import type { Insertable } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import type { Tables } from '../../kernel/columns.ts'
import { splitIntoInsertBatches } from '../../kernel/insert-batches.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { lockOrder, type OrderContext, type OrderRow } from './orders.ts'
import type { LedgerEntryKind } from './tables.ts'

/** An entry of an order's ledger. Triggers add the amount to the balances of its invoice and order, and reject a wrong balance. */
export interface LedgerEntry {
  kind: LedgerEntryKind
  amount: number
  sourceId: string
  /** The invoice that the amount is applied to; null for credit on the order that is not applied to an invoice. */
  invoiceId: string | null
  reversesId?: number | null
  note?: string | null
}

type EntryOrder = Pick<OrderRow, 'id' | 'is_test_data'>

/** Writes ledger entries in the given sequence, without zero amounts. Returns the order's credit before these entries. */
export const postLedgerEntries = (ctx: OrderContext, order: EntryOrder, entries: readonly LedgerEntry[]): Promise<number> =>
  postLedgerEntriesOfOrders(
    ctx,
    entries.map((entry) => ({ order, entry })),
  )

/** Writes ledger entries of several orders whose rows are locked. Returns the total credit of the orders before these entries. */
export async function postLedgerEntriesOfOrders(
  ctx: OrderContext,
  given: readonly { order: EntryOrder; entry: LedgerEntry }[],
): Promise<number> {
  const rows = given.filter(({ entry }) => entry.amount !== 0)
  if (rows.length === 0) return 0
  const entries = rows.map(({ order, entry: { kind, amount, sourceId, invoiceId, reversesId = null, note = null } }) => ({
    tenant_id: ctx.tenantId,
    event_id: ctx.event.id,
    order_id: order.id,
    is_test_data: order.is_test_data,
    invoice_id: invoiceId,
    kind,
    amount,
    source_id: sourceId,
    reverses_id: reversesId,
    by: ctx.actor.id,
    note,
  }))
  const before = new Map<string, { unapplied: number; balance: number }>()
  for (const part of splitIntoInsertBatches(entries))
    for (const one of await insertEntries(ctx, part))
      if (!before.has(one.order_id)) before.set(one.order_id, { unapplied: one.unapplied ?? 0, balance: one.balance ?? 0 })
  for (const [orderId, posted] of Map.groupBy(rows, ({ order }) => order.id)) announceOrderChange(ctx, posted, before.get(orderId)!.balance)
  return -sumMinorUnits([...before.values()].map(({ unapplied }) => unapplied))
}

const insertEntries = (ctx: OrderContext, entries: readonly Insertable<Tables['ledger_entries']>[]) =>
  ctx.db
    .insertInto('ledger_entries')
    .values(entries)
    // Subqueries in RETURNING see the orders as they were before this statement.
    .returning((eb) => [
      'order_id',
      eb
        .selectFrom('orders')
        .select('unapplied')
        .whereRef('orders.tenant_id', '=', 'ledger_entries.tenant_id')
        .whereRef('orders.event_id', '=', 'ledger_entries.event_id')
        .whereRef('orders.id', '=', 'ledger_entries.order_id')
        .as('unapplied'),
      eb
        .selectFrom('orders')
        .select('balance')
        .whereRef('orders.tenant_id', '=', 'ledger_entries.tenant_id')
        .whereRef('orders.event_id', '=', 'ledger_entries.event_id')
        .whereRef('orders.id', '=', 'ledger_entries.order_id')
        .as('balance'),
    ])
    .execute()

/** Announces changed orders to integrations. An order counts as paid only if a payment, not a correction, settles its balance. */
function announceOrderChange(ctx: OrderContext, posted: readonly { order: EntryOrder; entry: LedgerEntry }[], before: number): void {
  const { id, is_test_data: isTestData } = posted[0]!.order
  const has = (...kinds: LedgerEntryKind[]) => posted.some(({ entry }) => kinds.includes(entry.kind))
  const after = before + sumMinorUnits(posted.map(({ entry }) => entry.amount))
  const changed = [
    ...(after === before ? [] : ['balance', 'status']),
    ...(posted.some(({ entry }) => entry.invoiceId !== null) ? ['invoices'] : []),
    ...(has('payment', 'payment_reversal', 'refund') ? ['paid', 'payments'] : []),
  ]
  announceToWebhooks(ctx, { kind: 'order.updated', entity: 'order', id, changed, isTestData })
  if (before > 0 && after <= 0 && has('payment')) announceToWebhooks(ctx, { kind: 'order.paid', entity: 'order', id, changed, isTestData })
}

export interface OpenInvoiceOfOrder {
  id: string
  number: string
  balance: number
  written_off: number
}

/** Lists the order's open invoices in the sequence in which money is allocated to them. */
export const listOpenInvoicesOfOrder = (ctx: OrderContext, orderId: string): Promise<OpenInvoiceOfOrder[]> =>
  eventDb(ctx)
    .selectFrom('invoices')
    .select(['id', 'number', 'balance', 'written_off'])
    .where('order_id', '=', orderId)
    .where('balance', '>', 0)
    .orderBy('due_on')
    .orderBy('number')
    .execute()

/** Distributes an amount over claims, such as open invoices, in the given sequence. */
export function allocateAmountToReceivables<T extends { balance: number }>(
  claims: readonly T[],
  amount: number,
): { claim: T; amount: number }[] {
  let left = amount
  return claims.flatMap((claim) => {
    const share = Math.min(left, claim.balance)
    left -= share
    return share > 0 ? [{ claim, amount: share }] : []
  })
}

/** Applies the order's credit to its open invoices. Returns the updated order. */
export async function applyCreditToOpenInvoices(ctx: OrderContext, orderId: string): Promise<OrderRow> {
  const order = await lockOrder(ctx, orderId)
  if (order.unapplied >= 0) return order
  const moved = allocateAmountToReceivables(await listOpenInvoicesOfOrder(ctx, orderId), -order.unapplied)
  if (moved.length === 0) return order
  await postLedgerEntries(ctx, order, [
    ...moved.map(({ claim, amount }) => ({ kind: 'transfer' as const, amount: -amount, sourceId: claim.id, invoiceId: claim.id })),
    { kind: 'transfer', amount: sumMinorUnits(moved.map(({ amount }) => amount)), sourceId: orderId, invoiceId: null },
  ])
  return lockOrder(ctx, orderId)
}
