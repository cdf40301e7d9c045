import { z } from 'zod'
import { count, day, instant, list, money, object, oneOf, untrustedText, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { daysBetween, formatInstant } from '../../kernel/time.ts'
import type { InvoiceRow } from './invoices.ts'
import { type BillTo, type LedgerEntryKind, ORDER_LINE_KINDS } from './tables.ts'
import { INVOICE_STATES } from './states.ts'

/** An order line, selected in the same statement as its invoice; amounts in minor units. */
export interface ListedInvoiceLine {
  kind: (typeof ORDER_LINE_KINDS)[number]
  productCode: string | null
  description: string
  quantity: number
  discount: number
  net: number
  tax: number
  total: number
  taxRate: string
}

export interface ListedLedgerEntry {
  kind: LedgerEntryKind
  amount: number
  at: string
  sourceId: string
}

export const InvoiceSummary = {
  number: text(),
  kind: oneOf(['invoice', 'credit_note']),
  orderNumber: text(),
  billTo: object({
    name: untrustedText().optional(),
    company: untrustedText().optional(),
    email: untrustedText().optional(),
    address1: untrustedText().optional(),
    address2: untrustedText().optional(),
    city: untrustedText().optional(),
    region: untrustedText().optional(),
    postalCode: untrustedText().optional(),
    country: text().optional(),
    taxId: untrustedText().optional(),
    taxIdStatus: text().optional(),
  }),
  issuedAt: instant(),
  dueOn: day(),
  net: money(),
  tax: money(),
  total: money(),
  paid: money(),
  credited: money(),
  writtenOff: money(),
  balance: money(),
  status: oneOf(INVOICE_STATES.all),
  daysOverdue: count(),
  pdfUrl: text(4000).optional(),
  lines: list(z.looseObject({})).optional(),
  entries: list(z.looseObject({})).optional(),
}

export const InvoiceTotals = object({
  count: count(),
  total: money(),
  balance: money(),
  aging: object({ current: money(), d1to30: money(), d31to60: money(), d61to90: money(), over90: money() }),
})

interface ListedInvoice extends InvoiceRow {
  order_number: string
  lines: ListedInvoiceLine[] | null
  entries: ListedLedgerEntry[] | null
}

export function toInvoice(
  ctx: EventContext,
  row: ListedInvoice,
  { today, linkTo }: { today: string; linkTo: ((invoice: { id: string }) => string) | null },
) {
  const shown = (minor: number) => toMoney(minor, ctx.event.currency)
  return {
    number: row.number,
    kind: row.kind,
    orderNumber: row.order_number,
    billTo: toBillTo(ctx, row.bill_to),
    issuedAt: formatInstant(row.issued_at),
    dueOn: row.due_on,
    net: shown(row.net),
    tax: shown(row.tax),
    total: shown(row.total),
    paid: shown(row.paid),
    credited: shown(row.credited),
    writtenOff: shown(row.written_off),
    balance: shown(row.balance),
    status: row.status,
    daysOverdue: row.balance > 0 ? Math.max(0, daysBetween(row.due_on, today)) : 0,
    ...(linkTo ? { pdfUrl: linkTo(row) } : {}),
    ...(row.lines
      ? {
          lines: row.lines.map(({ discount, net, tax, total, productCode, ...line }) => ({
            ...line,
            ...(productCode === null ? {} : { productCode }),
            discount: shown(discount),
            net: shown(net),
            tax: shown(tax),
            total: shown(total),
          })),
        }
      : {}),
    ...(row.entries
      ? { entries: row.entries.map(({ amount, at, ...entry }) => ({ ...entry, amount: shown(amount), at: formatInstant(new Date(at)) })) }
      : {}),
  }
}

/** Converts the billing address for tool results. Address and tax number require the permission personal.read. */
function toBillTo({ permissions }: EventContext, billTo: BillTo) {
  const { name, company, email, country, taxIdStatus } = billTo
  const seen = permissions.has('personal.read') ? billTo : { name, company, email, country, taxIdStatus }
  return Object.fromEntries(Object.entries(seen).filter(([, value]) => value !== undefined))
}
