import { addDays, toDayInZone } from '../../kernel/time.ts'

/** The settings of the event and the client that determine an invoice's date and due date. */
export interface InvoiceDateSettings {
  at: Date
  startsOn: string
  paymentTermsDays: number
}

/**
 * Returns the due date of an invoice: after the client's payment term, but at the latest on the event's first day. Invoices issued after
 * the event has started get the full term.
 */
export function computeDueDate({ at, startsOn, paymentTermsDays }: InvoiceDateSettings, timezone: string): string {
  const issued = toDayInZone(timezone, at)
  const due = addDays(issued, paymentTermsDays)
  return issued > startsOn || due < startsOn ? due : startsOn
}
