import { announce } from '../../kernel/announce.ts'
import { sumMinor } from '../../kernel/money.ts'
import { lockOrder, type OrderContext, type OrderRow } from './orders.ts'
import type { EntryKind } from './tables.ts'

/** One movement of money. The database adds it to the balances of its invoice and order, and refuses what would leave one wrong. */
export interface Entry {
  kind: EntryKind
  amount: number
  sourceId: string
  /** Null: of no invoice yet. */
  invoiceId: string | null
  reversesId?: number | null
  note?: string | null
}

type Carrier = Pick<OrderRow, 'id' | 'is_test_data'>

/** Writes entries in the order given, those of 0 left out. Returns the credit that lay on the order before them. */
export const post = (ctx: OrderContext, order: Carrier, entries: readonly Entry[]): Promise<number> =>
  postAll(
    ctx,
    entries.map((entry) => ({ order, entry })),
  )

/** The same over several orders, all of them locked; the credit is that of all together. */
export async function postAll(ctx: OrderContext, posted: readonly { order: Carrier; entry: Entry }[]): Promise<number> {
  const rows = posted.filter(({ entry }) => entry.amount !== 0)
  if (rows.length === 0) return 0
  const kept = await ctx.db
    .insertInto('ledger_entries')
    .values(
      rows.map(({ order, entry: { kind, amount, sourceId, invoiceId, reversesId = null, note = null } }) => ({
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
      })),
    )
    // A statement sees its orders as they were when it began.
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
  for (const [orderId, { balance }] of new Map(kept.map((one) => [one.order_id, one])))
    announceMoved(
      ctx,
      rows.filter(({ order }) => order.id === orderId),
      balance ?? 0,
    )
  return -sumMinor([...new Map(kept.map(({ order_id, unapplied }) => [order_id, unapplied ?? 0])).values()])
}

/** An order is paid when money, and not a correction, leaves nothing open on it. */
function announceMoved(ctx: OrderContext, posted: readonly { order: Carrier; entry: Entry }[], before: number): void {
  const { id, is_test_data: isTestData } = posted[0]!.order
  const has = (...kinds: EntryKind[]) => posted.some(({ entry }) => kinds.includes(entry.kind))
  const after = before + sumMinor(posted.map(({ entry }) => entry.amount))
  const changed = [
    ...(after === before ? [] : ['balance', 'status']),
    ...(posted.some(({ entry }) => entry.invoiceId !== null) ? ['invoices'] : []),
    ...(has('payment', 'payment_reversal', 'refund') ? ['paid', 'payments'] : []),
  ]
  announce(ctx, { kind: 'order.updated', entity: 'order', id, changed, isTestData })
  if (before > 0 && after <= 0 && has('payment')) announce(ctx, { kind: 'order.paid', entity: 'order', id, changed, isTestData })
}

export interface OpenInvoice {
  id: string
  number: string
  balance: number
  written_off: number
}

/** What is still claimed on an order, in the order in which money goes to it. */
export const openInvoices = (ctx: OrderContext, orderId: string): Promise<OpenInvoice[]> =>
  ctx.db
    .selectFrom('invoices')
    .select(['id', 'number', 'balance', 'written_off'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('order_id', '=', orderId)
    .where('balance', '>', 0)
    .orderBy('due_on')
    .orderBy('number')
    .execute()

/** Spreads an amount over claims, the first ones first. */
export function allocate<T extends { balance: number }>(claims: readonly T[], amount: number): { claim: T; amount: number }[] {
  let left = amount
  return claims.flatMap((claim) => {
    const share = Math.min(left, claim.balance)
    left -= share
    return share > 0 ? [{ claim, amount: share }] : []
  })
}

/** Credit that lies on an order goes to its open invoices by itself, whenever there are both. Returns the order as it is then. */
export async function applyCredit(ctx: OrderContext, orderId: string): Promise<OrderRow> {
  const order = await lockOrder(ctx, orderId)
  if (order.unapplied >= 0) return order
  const moved = allocate(await openInvoices(ctx, orderId), -order.unapplied)
  if (moved.length === 0) return order
  await post(ctx, order, [
    ...moved.map(({ claim, amount }) => ({ kind: 'transfer' as const, amount: -amount, sourceId: claim.id, invoiceId: claim.id })),
    { kind: 'transfer', amount: sumMinor(moved.map(({ amount }) => amount)), sourceId: orderId, invoiceId: null },
  ])
  return lockOrder(ctx, orderId)
}
