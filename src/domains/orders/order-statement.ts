import { eventDb } from '../../kernel/scoped-db.ts'
import { buildPriceStatement, type PriceStatement, STATEMENT_LINE_COLUMNS } from '../pricing/statement.ts'
import type { OrderContext, OrderRow } from './orders.ts'

/** An order with its current items, and which part of it is paid. Amounts are in minor units. */
export interface OrderStatement extends PriceStatement<OrderStatementLine> {
  discountCode: string | null
  /** The payments and write-offs that settle the order's total. The balance is the total less both. A negative balance is credit. */
  settled: { paid: number; writtenOff: number; balance: number }
  /** Whether all items of the order were cancelled. */
  isCancelled: boolean
}

type OrderStatementLine = Awaited<ReturnType<typeof listStatementLines>>[number]

type ReadScope = Pick<OrderContext, 'tenantId' | 'event' | 'db'>

export async function readOrderStatement(ctx: ReadScope, order: OrderRow): Promise<OrderStatement> {
  const lines = await listStatementLines(ctx, order.id)
  const statement = buildPriceStatement(lines)
  return {
    ...statement,
    discountCode: order.discount_code,
    settled: { paid: order.paid, writtenOff: order.total - order.paid - order.balance, balance: order.balance },
    isCancelled: lines.length > 0 && statement.items.every(({ quantity }) => quantity === 0),
  }
}

const listStatementLines = (ctx: ReadScope, orderId: string) =>
  eventDb(ctx)
    .selectFrom('order_lines')
    .select([...STATEMENT_LINE_COLUMNS, 'product_code as productCode', 'participant_id as participantId'])
    .where('order_id', '=', orderId)
    .orderBy('position')
    .execute()
