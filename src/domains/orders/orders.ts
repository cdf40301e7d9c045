import { type Selectable, sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import type { EventContext } from '../../kernel/context.ts'
import type { Tables } from '../../kernel/columns.ts'
import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildNextRecordNumberSql, type RecordNumberOrigin } from './numbers.ts'
import type { BillTo } from './tables.ts'

export type OrderRow = Selectable<Tables['orders']>
export type OrderContext = Pick<EventContext, 'tenantId' | 'event' | 'db' | 'actor' | 'announced' | 'beginCommit'>

/** The owner of an order: a participant, a group or a company. Each owner has at most one order. */
export type OrderOwner = { participantId: string } | { groupId: string } | { companyId: string }

const toOwnerColumn = (owner: OrderOwner) =>
  'participantId' in owner
    ? (['participant_id', owner.participantId] as const)
    : 'groupId' in owner
      ? (['group_id', owner.groupId] as const)
      : (['company_id', owner.companyId] as const)

const selectOrders = (ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>) => eventDb(ctx).selectFrom('orders').selectAll()

export async function findOrder(ctx: OrderContext, owner: OrderOwner): Promise<OrderRow | null> {
  return (
    (await selectOrders(ctx)
      .where(...toOwnerCondition(owner))
      .executeTakeFirst()) ?? null
  )
}

const toOwnerCondition = (owner: OrderOwner) => {
  const [column, id] = toOwnerColumn(owner)
  return [column, '=', id] as const
}

export async function getOrderByNumber(ctx: OrderContext, number: string): Promise<OrderRow> {
  const row = await selectOrders(ctx).where('number', '=', number.toUpperCase()).executeTakeFirst()
  if (!row) throw notFound(`No order ${number.toUpperCase()} here. Use list_order_invoices to find order numbers`)
  return row
}

/** Locks the order row until the transaction ends. */
export const lockOrder = (ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>, id: string): Promise<OrderRow> =>
  selectOrders(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow()

/** Locks order rows until the transaction ends, sorted by id to avoid deadlocks. */
export const lockOrders = (ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>, ids: readonly string[]): Promise<OrderRow[]> =>
  selectOrders(ctx)
    .where('id', '=', sql<string>`any(${ids})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

type OrderColumns = { bill_to: string } | { discount_code: string | null }

export async function updateOrder(ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>, id: string, columns: OrderColumns): Promise<void> {
  await eventDb(ctx).updateTable('orders').set(columns).where('id', '=', id).execute()
}

/** Changes the billing address of an order. Future invoices use the new address; issued invoices keep theirs. */
export async function setOrderBillTo(
  ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>,
  owner: OrderOwner,
  billTo: BillTo,
): Promise<void> {
  await eventDb(ctx)
    .updateTable('orders')
    .set({ bill_to: JSON.stringify(billTo) })
    .where(...toOwnerCondition(owner))
    .execute()
}

/** Transfers a company's order to another company that has no order. Returns the number of transferred orders, 0 or 1. */
export async function transferCompanyOrder(ctx: OrderContext, fromId: string, toId: string): Promise<number> {
  if (await findOrder(ctx, { companyId: toId })) return 0
  const orders = await eventDb(ctx)
    .updateTable('orders')
    .set({ company_id: toId })
    .where('company_id', '=', fromId)
    .returning(['id', 'is_test_data as isTestData'])
    .execute()
  for (const order of orders) announceToWebhooks(ctx, { kind: 'order.updated', entity: 'order', ...order, changed: ['companyId'] })
  return orders.length
}

/** Reassigns a participant's order and order lines to another participant; amounts do not change. Returns the number of order lines. */
export async function transferOrder(ctx: OrderContext, fromId: string, toId: string): Promise<number> {
  const orders = await eventDb(ctx)
    .updateTable('orders')
    .set({ participant_id: toId })
    .where('participant_id', '=', fromId)
    .returning(['id', 'is_test_data as isTestData'])
    .execute()
  for (const order of orders)
    announceToWebhooks(ctx, { kind: 'order.updated', entity: 'order', ...order, changed: ['participantId', 'lines'] })
  const { numUpdatedRows } = await eventDb(ctx)
    .updateTable('order_lines')
    .set({ participant_id: toId })
    .where('participant_id', '=', fromId)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

interface NewOrder {
  owner: OrderOwner
  origin: RecordNumberOrigin
  billTo?: BillTo
  discountCode?: string | null
  externalNumber?: string | null
  createdAt?: Date
  /** True if the owner of the order was created in this transaction, so that no order of the owner can exist yet. */
  isFirst?: boolean
}

/** Returns the owner's order, locked; creates the order if it is missing. */
export async function getOrCreateOrder(
  ctx: OrderContext,
  { owner, origin, billTo = {}, discountCode = null, isFirst = false, ...more }: NewOrder,
): Promise<OrderRow> {
  const existing = isFirst
    ? null
    : await selectOrders(ctx)
        .where(...toOwnerCondition(owner))
        .forNoKeyUpdate()
        .executeTakeFirst()
  if (existing) return existing
  const [column, id] = toOwnerColumn(owner)
  const opened = await ctx.db
    .insertInto('orders')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      number: buildNextRecordNumberSql(ctx, 'R', origin),
      external_number: more.externalNumber ?? null,
      [column]: id,
      is_test_data: origin === 'test',
      currency: ctx.event.currency,
      bill_to: JSON.stringify(billTo),
      discount_code: discountCode,
      ...(more.createdAt ? { created_at: more.createdAt } : {}),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  announceToWebhooks(ctx, { kind: 'order.created', entity: 'order', id: opened.id, isTestData: opened.is_test_data })
  return opened
}
