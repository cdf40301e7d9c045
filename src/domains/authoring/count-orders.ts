import type { EventContext } from '../../kernel/context.ts'
import { eventDb } from '../../kernel/scoped-db.ts'

/** Counts the orders of the event, including imported ones: real orders, or test orders. */
export async function countOrders(ctx: EventContext, { isTestData = false } = {}): Promise<number> {
  const { orders } = await eventDb(ctx)
    .selectFrom('orders')
    .select((eb) => eb.fn.countAll<number>().as('orders'))
    .where('is_test_data', '=', isTestData)
    .executeTakeFirstOrThrow()
  return orders
}
