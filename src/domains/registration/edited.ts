import { brief, money, object, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import type { Edited } from './edit.ts'
import { toParticipant } from './participant-shape.ts'

const document = () => object({ number: text(), total: money() }).optional()

/** What an edit did to what is owed. */
export const EditMoney = brief(
  object({ creditNote: document(), invoice: document(), balanceBefore: money(), balanceAfter: money(), creditHeld: money() }),
  'creditNote, invoice (number, total), balanceBefore, balanceAfter, creditHeld',
)

/** What an organizer is told of an edit. Of several documents of a kind, the last is the one it ended with. */
export function toEdited(ctx: EventContext, { participant, changed, creditNotes, invoices, before, after, notRestored }: Edited) {
  const inCurrency = (minor: number) => toMoney(minor, ctx.event.currency)
  const lastOf = (list: readonly { number: string; total: number }[]) => {
    const last = list.at(-1)
    return last ? { number: last.number, total: inCurrency(last.total) } : undefined
  }
  return {
    participant: toParticipant(participant, ctx.permissions),
    changed: [...new Set(changed)],
    ...(notRestored.length > 0 ? { notRestored: [...notRestored] } : {}),
    money: {
      creditNote: lastOf(creditNotes),
      invoice: lastOf(invoices),
      balanceBefore: inCurrency(before?.balance ?? 0),
      balanceAfter: inCurrency(after?.balance ?? 0),
      creditHeld: inCurrency(-(after?.unapplied ?? 0)),
    },
  }
}
