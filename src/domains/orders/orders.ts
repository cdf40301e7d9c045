import { type Selectable, sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import type { EventContext } from '../../kernel/context.ts'
import type { Tables } from '../../kernel/columns.ts'
import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { nextNumber, type Origin } from './numbers.ts'
import type { BillTo } from './tables.ts'

export type OrderRow = Selectable<Tables['orders']>
export type OrderContext = Pick<EventContext, 'tenantId' | 'event' | 'db' | 'actor' | 'announced'>

/** Whose order it is: one of them has exactly one. */
export type Owner = { participantId: string } | { groupId: string } | { companyId: string }

const ownedBy = (owner: Owner) =>
  'participantId' in owner
    ? (['participant_id', owner.participantId] as const)
    : 'groupId' in owner
      ? (['group_id', owner.groupId] as const)
      : (['company_id', owner.companyId] as const)

const ordersOf = ({ db, tenantId, event }: Pick<OrderContext, 'db' | 'tenantId' | 'event'>) =>
  db.selectFrom('orders').selectAll().where('tenant_id', '=', tenantId).where('event_id', '=', event.id)

export async function findOrderOf(ctx: OrderContext, owner: Owner): Promise<OrderRow | null> {
  return (
    (await ordersOf(ctx)
      .where(...asCondition(owner))
      .executeTakeFirst()) ?? null
  )
}

const asCondition = (owner: Owner) => {
  const [column, id] = ownedBy(owner)
  return [column, '=', id] as const
}

export async function getOrderByNumber(ctx: OrderContext, number: string): Promise<OrderRow> {
  const row = await ordersOf(ctx).where('number', '=', number.toUpperCase()).executeTakeFirst()
  if (!row) throw notFound(`No order ${number.toUpperCase()} here — list_order_invoices shows their numbers`)
  return row
}

/** The order as it is now; nobody else changes what is owed on it until this transaction has ended. */
export const lockOrder = (ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>, id: string): Promise<OrderRow> =>
  ordersOf(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow()

/** Several at once are locked in the order of their ids. */
export const lockOrders = (ctx: Pick<OrderContext, 'db' | 'tenantId' | 'event'>, ids: readonly string[]): Promise<OrderRow[]> =>
  ordersOf(ctx)
    .where('id', '=', sql<string>`any(${ids})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

interface NewOrder {
  owner: Owner
  origin: Origin
  billTo?: BillTo
  discountCode?: string | null
  externalNumber?: string | null
  createdAt?: Date
  /** Who was made by this transaction has none yet, and nobody else makes one for them. */
  isFirst?: boolean
}

/** The owner's order, locked; made when there is none yet. */
export async function openOrder(
  ctx: OrderContext,
  { owner, origin, billTo = {}, discountCode = null, isFirst = false, ...more }: NewOrder,
): Promise<OrderRow> {
  const existing = isFirst
    ? null
    : await ordersOf(ctx)
        .where(...asCondition(owner))
        .forNoKeyUpdate()
        .executeTakeFirst()
  if (existing) return existing
  const [column, id] = ownedBy(owner)
  const opened = await ctx.db
    .insertInto('orders')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      number: nextNumber(ctx, 'R', origin),
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
  announce(ctx, { kind: 'order.created', entity: 'order', id: opened.id, isTestData: opened.is_test_data })
  return opened
}
