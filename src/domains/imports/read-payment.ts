import { dayIn } from '../../kernel/time.ts'
import type { SheetRow } from '../sheets/cells.ts'
import { amountAt, errorsOf, momentAt, type ReadingRules } from './reading.ts'
import { lineAt, type ReadLine, type ReadRow } from './read-person.ts'
import type { PaymentMethod } from '../orders/tables.ts'
import { type SheetPlan, textAt } from './sheet-plan.ts'
import { methodOf } from './statuses.ts'

export interface ReadPayment {
  row: number
  sheet: string
  /** Of the person who paid. */
  personKey: string | null
  key: string
  amount: number
  method: PaymentMethod
  reference: string | null
  receivedAt: Date | null
}

/** A row of payments. `personKey` is null for one whose person nobody knows. */
export function readPayment(plan: SheetPlan, row: SheetRow, rules: ReadingRules, personKey: string | null): ReadRow<ReadPayment> {
  const { errors, refuse } = errorsOf(plan, row)
  const amount = amountAt(plan, row, 'amountPaid', rules, refuse)
  const receivedAt = momentAt(plan, row, 'paidAt', rules, refuse)
  if (errors.length === 0 && (amount === null || amount === 0)) refuse('amountPaid', 'amount', 'There is no amount.')
  if (errors.length > 0) return { ok: false, errors }
  const reference = textAt(plan, row, 'paymentRef') || null
  const method = methodOf(textAt(plan, row, 'paymentMethod'))
  return {
    ok: true,
    value: {
      row: row.number,
      sheet: plan.name,
      personKey,
      key: paymentKey(reference, personKey, amount!, receivedAt, rules),
      amount: amount!,
      method,
      reference,
      receivedAt,
    },
  }
}

/** Without a number of its own a payment is the same when the same person paid the same on the same day. */
export const paymentKey = (
  reference: string | null,
  personKey: string | null,
  amount: number,
  at: Date | null,
  { timezone }: Pick<ReadingRules, 'timezone'>,
) => (reference === null ? `of:${personKey ?? ''}|${amount}|${at ? dayIn(timezone, at) : ''}` : `ref:${reference.toLowerCase()}`)

export interface ReadOrderLine extends ReadLine {
  row: number
  personKey: string | null
}

export function readOrderLine(plan: SheetPlan, row: SheetRow, rules: ReadingRules, personKey: string | null): ReadRow<ReadOrderLine> {
  const { errors, refuse } = errorsOf(plan, row)
  const [due, paid] = [amountAt(plan, row, 'amountDue', rules, refuse), amountAt(plan, row, 'amountPaid', rules, refuse)]
  const line = lineAt(plan, row, rules, refuse, due ?? paid)
  if (line === null && errors.length === 0) refuse('productName', 'product', 'There is neither a product nor an amount.')
  return errors.length > 0 || line === null ? { ok: false, errors } : { ok: true, value: { ...line, row: row.number, personKey } }
}
