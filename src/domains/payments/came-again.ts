import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { originOf } from '../orders/invoices.ts'
import { applyCredit, post } from '../orders/ledger.ts'
import { takeNumber } from '../orders/numbers.ts'
import { lockOrder } from '../orders/orders.ts'

interface CameAgain {
  orderId: string
  amount: number
  provider: string | null
  /** What came again, by a name that is its own: it comes once. */
  ref: string
  note: string
}

/**
 * Nothing written about money is taken back: what left the books and did not stay away is money that came in again, and credit as before.
 * Returns whether it was not there yet.
 */
export async function bookCameAgain(ctx: EventContext, { orderId, amount, provider, ref, note }: CameAgain): Promise<boolean> {
  const order = await lockOrder(ctx, orderId)
  const before = await ctx.db
    .selectFrom('payments')
    .select('id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('provider', 'is not distinct from', provider)
    .where('provider_ref', '=', ref)
    .executeTakeFirst()
  if (before) return false
  const id = newId()
  await ctx.db
    .insertInto('payments')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      order_id: order.id,
      is_test_data: order.is_test_data,
      method: 'other',
      amount,
      note,
      receipt_number: await takeNumber(ctx, 'RC', originOf(order)),
      received_at: sql<Date>`lanyard_now()`,
      provider,
      provider_ref: ref,
      recorded_by: ctx.actor.id,
    })
    .execute()
  await post(ctx, order, [{ kind: 'payment', amount: -amount, sourceId: id, invoiceId: null, note }])
  announce(ctx, { kind: 'payment.received', entity: 'payment', id, isTestData: order.is_test_data })
  await applyCredit(ctx, order.id)
  return true
}
