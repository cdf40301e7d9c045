import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { AddedParticipant } from './add.ts'
import { issueFinishLink } from './links.ts'
import { toParticipant } from './participant-shape.ts'

/** The tool result for a participant that was added or already existed. */
export async function toAddedResult(ctx: EventContext, { status, participant, orderId, invoice, waitsFor }: AddedParticipant) {
  const { number, total, balance, ...row } = await eventDb(ctx)
    .selectFrom('participants')
    .leftJoin('orders', (join) =>
      join
        .onRef('orders.tenant_id', '=', 'participants.tenant_id')
        .onRef('orders.event_id', '=', 'participants.event_id')
        .on('orders.id', '=', orderId),
    )
    .selectAll('participants')
    .select(['orders.number', 'orders.total', 'orders.balance'])
    .where('participants.id', '=', participant.id)
    .executeTakeFirstOrThrow()
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  return {
    status,
    participant: toParticipant(row, ctx.permissions),
    ...(number === null ? {} : { order: { number, total: money(total!), balance: money(balance!) } }),
    ...(invoice ? { invoice: { number: invoice.number, total: money(invoice.total) } } : {}),
    ...(participant.status === 'incomplete' ? { url: await issueFinishLink(ctx, participant) } : {}),
    ...(waitsFor.length > 0 ? { waitsFor: [...waitsFor] } : {}),
  }
}
