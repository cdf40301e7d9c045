import type { EventContext } from '../../kernel/context.ts'
import { eventDb } from '../../kernel/scoped-db.ts'

/** The number of orders of the event, including imported ones, without test data. */
export async function countOrders(ctx: EventContext): Promise<number> {
  const { orders } = await eventDb(ctx)
    .selectFrom('orders')
    .select((eb) => eb.fn.countAll<number>().as('orders'))
    .where('is_test_data', '=', false)
    .executeTakeFirstOrThrow()
  return orders
}
