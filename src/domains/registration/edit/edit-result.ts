import { toOneLine, money, object, text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { toMoney } from '../../../kernel/money.ts'
import type { ParticipantEditResult } from './participant-edit.ts'
import { toParticipant } from '../participant-shape.ts'

const documentShape = () => object({ number: text(), total: money() }).optional()

export const ParticipantEditBalancesSchema = toOneLine(
  object({ creditNote: documentShape(), invoice: documentShape(), balanceBefore: money(), balanceAfter: money(), creditHeld: money() }),
  'creditNote, invoice (number, total), balanceBefore, balanceAfter, creditHeld',
)

/** Builds the tool result of an edit. If the edit issued several invoices or credit notes, the last one is shown. */
export function toEditResult(
  ctx: EventContext,
  { participant, changed, creditNotes, invoices, before, after, notRestored }: ParticipantEditResult,
) {
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
