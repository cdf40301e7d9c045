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
  /** Whether the amount is in the person's own row, which gives the whole amount that the person paid, and not in a sheet of payments. */
  inPersonRow: boolean
}

/** Reads a payment row. `personKey` is null if no person matches. */
export function readPaymentRow(
  plan: SheetReadingPlan,
  row: SheetRow,
  rules: ImportReadingContext,
  { personKey, inPersonRow }: Pick<ParsedPayment, 'personKey' | 'inPersonRow'>,
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
      inPersonRow,
    },
  }
}

/** Returns the payment of a person's own row that says that the person paid nothing. It matters only if an earlier import gave an amount. */
export function readMissingPayment(plan: SheetReadingPlan, row: SheetRow, rules: ImportReadingContext, personKey: string): ParsedPayment {
  const reference = readCellText(plan, row, 'paymentRef') || null
  const key = toUniquePaymentKey(reference, personKey, 0, null, rules)
  return { row: row.number, sheet: plan.name, personKey, key, amount: 0, method: 'other', reference, receivedAt: null, inPersonRow: true }
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
) =>
  reference === null
    ? `${toPaymentKeyPrefix(personKey ?? '')}${amount}|${at ? toDayInZone(timezone, at) : ''}`
    : `ref:${reference.toLowerCase()}`

/** The beginning of the unique keys of all payments of a person without a reference. */
export const toPaymentKeyPrefix = (personKey: string): string => `of:${personKey}|`

/** Returns the key of the person from the unique key of a payment without a reference. The person's key may contain the separator. */
export const toPersonKeyOfPayment = (key: string): string | undefined => /^of:(.*)\|\d+\|(?:\d{4}-\d\d-\d\d)?$/s.exec(key)?.[1]

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
