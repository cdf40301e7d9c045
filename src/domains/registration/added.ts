import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import type { Added } from './add.ts'
import { finishLink } from './links.ts'
import { toParticipant } from './participant-shape.ts'

/** What an organizer is told of a registration that was made, or was there. */
export async function toAdded(ctx: EventContext, { status, participant, orderId, invoice, waitsFor }: Added) {
  const { number, total, balance, ...row } = await ctx.db
    .selectFrom('participants')
    .leftJoin('orders', (join) =>
      join
        .onRef('orders.tenant_id', '=', 'participants.tenant_id')
        .onRef('orders.event_id', '=', 'participants.event_id')
        .on('orders.id', '=', orderId),
    )
    .selectAll('participants')
    .select(['orders.number', 'orders.total', 'orders.balance'])
    .where('participants.tenant_id', '=', ctx.tenantId)
    .where('participants.event_id', '=', ctx.event.id)
    .where('participants.id', '=', participant.id)
    .executeTakeFirstOrThrow()
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  return {
    status,
    participant: toParticipant(row, ctx.permissions),
    ...(number === null ? {} : { order: { number, total: money(total!), balance: money(balance!) } }),
    ...(invoice ? { invoice: { number: invoice.number, total: money(invoice.total) } } : {}),
    ...(participant.status === 'incomplete' ? { url: await finishLink(ctx, participant) } : {}),
    ...(waitsFor.length > 0 ? { waitsFor: [...waitsFor] } : {}),
  }
}
