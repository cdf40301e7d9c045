import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import type { AddedParticipant } from './add.ts'
import { issueResumeRegistrationLink } from './links.ts'
import { getParticipant } from './participant-rows.ts'
import { toParticipant } from './participant-shape.ts'

/** Builds the tool result for a participant that was added or already existed. */
export async function toAddParticipantResult(ctx: EventContext, added: AddedParticipant) {
  const { status, participant, order, invoice, waitsFor } = added
  const row = added.isCurrent ? participant : await getParticipant(ctx, participant.id)
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  return {
    status,
    participant: toParticipant(row, ctx.permissions),
    ...(order ? { order: { number: order.number, total: money(order.total), balance: money(order.balance) } } : {}),
    ...(invoice ? { invoice: { number: invoice.number, total: money(invoice.total) } } : {}),
    ...(participant.status === 'incomplete' ? { url: await issueResumeRegistrationLink(ctx, participant) } : {}),
    ...(waitsFor.length > 0 ? { waitsFor: [...waitsFor] } : {}),
  }
}
