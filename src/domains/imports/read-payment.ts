import { toDayInZone } from '../../kernel/time.ts'
import type { SheetRow } from '../sheets/cells.ts'
import { readAmountCell, createRowErrorCollector, readDateTimeCell, type ImportReadingContext } from './reading.ts'
import { readPurchaseOfRow, type ImportedPurchase, type RowParseResult } from './read-person.ts'
import type { PaymentMethod } from '../orders/tables.ts'
import { type SheetReadingPlan, readCellText } from './sheet-plan.ts'
import { toPaymentMethod } from './statuses.ts'

export interface ParsedPayment {
  row: number
  sheet: string
  /** Source key (identifier in the imported system) of the person who paid; null if no person matches. */
  personKey: string | null
  key: string
  amount: number
  method: PaymentMethod
  reference: string | null
  receivedAt: Date | null
}

/** Reads a payment row. `personKey` is null if no person matches. */
export function readPaymentRow(
  plan: SheetReadingPlan,
  row: SheetRow,
  rules: ImportReadingContext,
  personKey: string | null,
): RowParseResult<ParsedPayment> {
  const { errors, refuse } = createRowErrorCollector(plan, row)
  const amount = readAmountCell(plan, row, 'amountPaid', rules, refuse)
  const receivedAt = readDateTimeCell(plan, row, 'paidAt', rules, refuse)
  if (errors.length === 0 && (amount === null || amount === 0)) refuse('amountPaid', 'amount', 'The amount is missing.')
  if (errors.length > 0) return { ok: false, errors }
  const reference = readCellText(plan, row, 'paymentRef') || null
  const method = toPaymentMethod(readCellText(plan, row, 'paymentMethod'))
  return {
    ok: true,
    value: {
      row: row.number,
      sheet: plan.name,
      personKey,
      key: toUniquePaymentKey(reference, personKey, amount!, receivedAt, rules),
      amount: amount!,
      method,
      reference,
      receivedAt,
    },
  }
}

/**
 * Returns the unique key of a payment. Without a reference, payments of the same person, amount and day are taken to be the same payment.
 */
export const toUniquePaymentKey = (
  reference: string | null,
  personKey: string | null,
  amount: number,
  at: Date | null,
  { timezone }: Pick<ImportReadingContext, 'timezone'>,
) => (reference === null ? `of:${personKey ?? ''}|${amount}|${at ? toDayInZone(timezone, at) : ''}` : `ref:${reference.toLowerCase()}`)

export interface ParsedOrderLine extends ImportedPurchase {
  row: number
  personKey: string | null
}

export function readOrderLine(
  plan: SheetReadingPlan,
  row: SheetRow,
  rules: ImportReadingContext,
  personKey: string | null,
): RowParseResult<ParsedOrderLine> {
  const { errors, refuse } = createRowErrorCollector(plan, row)
  const [due, paid] = [readAmountCell(plan, row, 'amountDue', rules, refuse), readAmountCell(plan, row, 'amountPaid', rules, refuse)]
  const line = readPurchaseOfRow(plan, row, rules, refuse, due ?? paid)
  if (line === null && errors.length === 0) refuse('productName', 'product', 'Product and amount are both missing.')
  return errors.length > 0 || line === null ? { ok: false, errors } : { ok: true, value: { ...line, row: row.number, personKey } }
}
