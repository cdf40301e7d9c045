import type { InsertObject } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { splitIntoInsertBatches } from '../../kernel/insert-batches.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { OrderContext, OrderRow } from './orders.ts'

type Derived = 'tenant_id' | 'event_id' | 'order_id' | 'is_test_data' | 'recorded_by'
type NewRow<T extends 'payments' | 'refunds'> = Omit<InsertObject<Tables, T>, Derived> & { order: Pick<OrderRow, 'id' | 'is_test_data'> }

const toRow = <R extends { order: Pick<OrderRow, 'id' | 'is_test_data'> }>(ctx: OrderContext, { order, ...columns }: R) => ({
  ...columns,
  tenant_id: ctx.tenantId,
  event_id: ctx.event.id,
  order_id: order.id,
  is_test_data: order.is_test_data,
  recorded_by: ctx.actor.id,
})

export async function insertPayments(ctx: OrderContext, payments: readonly NewRow<'payments'>[]): Promise<void> {
  const rows = payments.map((payment) => toRow(ctx, payment))
  for (const part of splitIntoInsertBatches(rows)) await ctx.db.insertInto('payments').values(part).execute()
}

export async function insertRefunds(ctx: OrderContext, refunds: readonly NewRow<'refunds'>[]): Promise<void> {
  const rows = refunds.map((refund) => toRow(ctx, refund))
  for (const part of splitIntoInsertBatches(rows)) await ctx.db.insertInto('refunds').values(part).execute()
}

/** Stores the payment processor's reference of a refund that succeeded. */
export async function setRefundReference(ctx: OrderContext, refundId: string, providerRef: string | null): Promise<void> {
  await eventDb(ctx).updateTable('refunds').set({ provider_ref: providerRef }).where('id', '=', refundId).execute()
}
