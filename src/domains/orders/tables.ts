import type { TaxComponentAmount } from '../pricing/lines.ts'

export const PAYMENT_METHODS = ['card', 'bank', 'cheque', 'cash', 'other'] as const
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]

/** The billing address of an invoice. */
export interface BillTo {
  name?: string | undefined
  company?: string | undefined
  address1?: string | undefined
  address2?: string | undefined
  city?: string | undefined
  region?: string | undefined
  postalCode?: string | undefined
  country?: string | undefined
  email?: string | undefined
  taxId?: string | undefined
  taxIdStatus?: 'unchecked' | 'format_ok' | 'valid' | 'invalid' | undefined
}

export const ORDER_LINE_KINDS = ['sale', 'credit', 'fee', 'deposit'] as const

export type LedgerEntryKind =
  | 'invoice'
  | 'credit_note'
  | 'payment'
  | 'payment_reversal'
  | 'refund'
  | 'write_off'
  | 'write_off_reversal'
  | 'transfer'

/** The seller as of the day of issue, as printed on an invoice or credit note. A database trigger sets this column. */
export interface Seller {
  name: string
  address: string | null
  taxNumber: string | null
}

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'orders.bill_to': BillTo
    'orders.status': 'open' | 'paid' | 'void'
    'invoices.bill_to': BillTo
    'invoices.seller': Seller
    'order_lines.tax_components': TaxComponentAmount[]
    'order_lines.tax_note': 'reverse_charge'
  }
}
