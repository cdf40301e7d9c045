import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import type { Edited } from './edit.ts'
import { toParticipant } from './participant-shape.ts'

/** What an organizer is told of an edit. Of several documents of a kind, the last is the one it ended with. */
export function toEdited(ctx: EventContext, { participant, changed, creditNotes, invoices, before, after, notRestored }: Edited) {
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  const document = (list: readonly { number: string; total: number }[]) => {
    const last = list.at(-1)
    return last ? { number: last.number, total: money(last.total) } : undefined
  }
  return {
    participant: toParticipant(participant, ctx.permissions),
    changed: [...new Set(changed)],
    ...(notRestored.length > 0 ? { notRestored: [...notRestored] } : {}),
    money: {
      creditNote: document(creditNotes),
      invoice: document(invoices),
      balanceBefore: money(before?.balance ?? 0),
      balanceAfter: money(after?.balance ?? 0),
      creditHeld: money(-(after?.unapplied ?? 0)),
    },
  }
}
