import type { EventContext } from '../../kernel/context.ts'
import type {} from '../orders/tables.ts'

/** How many orders the event has, real and imported ones. */
export async function ordersExist(ctx: EventContext): Promise<number> {
  const { orders } = await ctx.db
    .selectFrom('orders')
    .select((eb) => eb.fn.countAll<number>().as('orders'))
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('is_test_data', '=', false)
    .executeTakeFirstOrThrow()
  return orders
}
