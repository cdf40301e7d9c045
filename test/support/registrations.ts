import { sql } from 'kysely'
import {
  applyCreditToOpenInvoices,
  type LedgerEntry,
  listOpenInvoicesOfOrder,
  postLedgerEntries,
  allocateAmountToReceivables,
} from '../../src/domains/orders/ledger.ts'
import type { InvoiceDateSettings } from '../../src/domains/orders/due-date.ts'
import { creditOrderLines, addAndInvoiceOrderLines } from '../../src/domains/orders/invoices.ts'
import { listOrderLinesWithCredits } from '../../src/domains/orders/lines.ts'
import { takeNextRecordNumber } from '../../src/domains/orders/numbers.ts'
import { findOrder, getOrCreateOrder, type OrderContext, type OrderRow, type OrderOwner } from '../../src/domains/orders/orders.ts'
import { newId } from '../../src/kernel/ids.ts'
import type { Db, Tables } from '../../src/kernel/columns.ts'
import type { Insertable } from 'kysely'
import type { EventHandle, World } from './world.ts'

type Columns = Partial<Insertable<Tables['participants']>>

interface Bought {
  product?: string | null
  quantity?: number
  net: number
  tax?: number
  discount?: number
  kind?: 'sale' | 'fee' | 'deposit'
  for?: string
}

/** Creates registrations, orders and payments at an event with the product's functions, without going through the registration form. */
export interface Registrations {
  person: (columns?: Columns) => Promise<string>
  buys: (owner: string | OrderOwner, lines: readonly Bought[], options?: { test?: boolean }) => Promise<OrderRow>
  /** Removes units from the order line of a product (of the fee if `product` is null), and credits the given percentage of their price. */
  returns: (owner: string | OrderOwner, product: string | null, quantity?: number, percent?: number) => Promise<void>
  pays: (owner: string | OrderOwner, amount: number) => Promise<string>
  reverses: (owner: string, paymentId: string, amount: number) => Promise<void>
  refunds: (owner: string, amount: number) => Promise<void>
  writesOff: (owner: string) => Promise<void>
  waits: (participantId: string, target: string, options?: { test?: boolean }) => Promise<string>
  group: (code: string, more?: object) => Promise<string>
}

let made = 0

export function createRegistrationFixtures({ database }: World, { tenantId, eventId, eventCode }: EventHandle): Registrations {
  const at = { tenant_id: tenantId, event_id: eventId }
  const ownerOf = (owner: string | OrderOwner): OrderOwner => (typeof owner === 'string' ? { participantId: owner } : owner)
  const change = <T>(run: (ctx: OrderContext, terms: InvoiceDateSettings) => Promise<T>): Promise<T> =>
    database.transact(async (db) => {
      const { rows } = await sql<{ timezone: string; currency: string; starts_on: string; now: Date }>`
        select timezone, currency, starts_on, lanyard_now() as now from events where tenant_id = ${tenantId} and id = ${eventId}`.execute(
        db,
      )
      const { timezone, currency, starts_on, now } = rows[0]!
      const event = { id: eventId, code: eventCode, name: eventCode, status: 'published' as const, timezone, currency, testMode: false }
      const actor = { kind: 'organizer' as const, id: 'a'.repeat(24), name: 'Olga', app: { id: null, name: 'Test app' } }
      return run({ tenantId, event, db, actor, announced: [] }, { at: now, startsOn: starts_on, paymentTermsDays: 30 })
    })
  const orderOf = async (ctx: OrderContext, owner: string | OrderOwner) => {
    const order = await findOrder(ctx, ownerOf(owner))
    if (!order) throw new Error('the order has no such line')
    return order
  }
  return {
    async person(columns = {}) {
      const id = columns.id ?? newId()
      const number = ++made
      const { status = 'complete' } = columns
      const finished = status === 'complete' || status === 'cancelled'
      await database.write
        .insertInto('participants')
        .values({
          ...at,
          id,
          first_name: `First ${number}`,
          last_name: `Last ${number}`,
          email: `person-${number}@example.org`,
          ...(finished
            ? {
                confirmation_number: `C${String(number).padStart(5, '0')}`,
                badge_id: `b${number}`,
                completed_at: new Date('2027-01-10T12:00:00Z'),
              }
            : {}),
          ...(status === 'cancelled' ? { cancelled_at: new Date('2027-02-10T12:00:00Z') } : {}),
          ...columns,
          status,
        })
        .execute()
      return id
    },
    buys: (owner, lines, { test = false } = {}) =>
      change(async (ctx, terms) => {
        const order = await getOrCreateOrder(ctx, { owner: ownerOf(owner), origin: test ? 'test' : 'real' })
        await addAndInvoiceOrderLines(
          ctx,
          order,
          lines.map(({ product = null, quantity = 1, net, tax = 0, discount = 0, kind = 'sale', for: whom }) => ({
            kind,
            productCode: product,
            description: product ?? kind,
            quantity,
            unitPrice: Math.round((net + discount) / quantity),
            listAmount: net + discount,
            discount,
            net,
            tax,
            total: net + tax,
            taxCode: null,
            taxRate: '0',
            taxInclusive: false,
            taxComponents: [],
            taxNote: null,
            participantId: whom ?? (typeof owner === 'string' ? owner : null),
            pricedAt: terms.at,
          })),
          terms,
        )
        return orderOf(ctx, owner)
      }),
    returns: (owner, product, quantity, percent = 100) =>
      change(async (ctx, terms) => {
        const order = await orderOf(ctx, owner)
        const line = (await listOrderLinesWithCredits(ctx, { orderId: order.id })).find((one) => one.product_code === product)!
        const units = quantity ?? line.remaining
        const share = (amount: number) => Math.round((amount * units * percent) / line.quantity / 100)
        const [net, tax] = [share(line.net), share(line.tax)]
        const amounts = { listAmount: share(line.list_amount), discount: share(line.discount), net, tax, total: net + tax }
        await creditOrderLines(ctx, order, [{ line, quantity: units, amounts }], terms)
      }),
    pays: (owner, amount) =>
      change(async (ctx, terms) => {
        const order = await orderOf(ctx, owner)
        const id = await paymentRow(ctx, order, amount, terms)
        const shares = allocateAmountToReceivables(await listOpenInvoicesOfOrder(ctx, order.id), amount)
        const left = amount - shares.reduce((sum, one) => sum + one.amount, 0)
        await postLedgerEntries(ctx, order, [
          ...shares.map((one): LedgerEntry => ({ kind: 'payment', amount: -one.amount, sourceId: id, invoiceId: one.claim.id })),
          { kind: 'payment', amount: -left, sourceId: id, invoiceId: null },
        ])
        await applyCreditToOpenInvoices(ctx, order.id)
        return id
      }),
    reverses: (owner, paymentId, amount) =>
      change(async (ctx) => {
        const order = await orderOf(ctx, owner)
        const id = newId()
        const receipt_number = await takeNextRecordNumber(ctx, 'RC', 'real')
        await ctx.db
          .insertInto('payment_reversals')
          .values({
            ...at,
            id,
            order_id: order.id,
            payment_id: paymentId,
            is_test_data: false,
            amount,
            receipt_number,
            recorded_by: 'Olga',
          })
          .execute()
        const [paid] = await ctx.db
          .selectFrom('ledger_entries')
          .select('invoice_id')
          .where('event_id', '=', eventId)
          .where('source_id', '=', paymentId)
          .execute()
        await postLedgerEntries(ctx, order, [{ kind: 'payment_reversal', amount, sourceId: id, invoiceId: paid!.invoice_id }])
      }),
    refunds: (owner, amount) =>
      change(async (ctx, terms) => {
        const order = await orderOf(ctx, owner)
        const id = newId()
        const receipt_number = await takeNextRecordNumber(ctx, 'RC', 'real')
        await ctx.db
          .insertInto('refunds')
          .values({
            ...at,
            id,
            order_id: order.id,
            is_test_data: false,
            amount,
            method: 'bank',
            receipt_number,
            refunded_at: terms.at,
            recorded_by: 'Olga',
          })
          .execute()
        await postLedgerEntries(ctx, order, [{ kind: 'refund', amount, sourceId: id, invoiceId: null }])
      }),
    writesOff: (owner) =>
      change(async (ctx) => {
        const order = await orderOf(ctx, owner)
        for (const { id: invoiceId, balance } of await listOpenInvoicesOfOrder(ctx, order.id)) {
          await postLedgerEntries(ctx, order, [{ kind: 'write_off', amount: -balance, sourceId: newId(), invoiceId }])
        }
      }),
    waits: (participantId, target, { test = false } = {}) =>
      change(async (ctx) => {
        const id = newId()
        await ctx.db
          .insertInto('waitlist_entries')
          .values({ ...at, id, participant_id: participantId, is_test_data: test, target, position: ++made })
          .execute()
        return id
      }),
    async group(code, more = {}) {
      const id = newId()
      await database.write
        .insertInto('managed_groups')
        .values({ ...at, id, code, name: code, kind: 'company', pay_by: 'members', flow_slug: 'attendee', ...more })
        .execute()
      return id
    },
  }
}

async function paymentRow(ctx: OrderContext & { db: Db }, order: OrderRow, amount: number, { at }: InvoiceDateSettings): Promise<string> {
  const id = newId()
  await ctx.db
    .insertInto('payments')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      order_id: order.id,
      is_test_data: order.is_test_data,
      method: 'bank',
      amount,
      reference: 'transfer',
      receipt_number: await takeNextRecordNumber(ctx, 'RC', order.is_test_data ? 'test' : 'real'),
      received_at: at,
      recorded_by: 'Olga',
    })
    .execute()
  return id
}
