import type { ColumnType, Generated } from 'kysely'
import type { Kept } from '../../kernel/columns.ts'
import type { TaxShare } from '../pricing/lines.ts'

type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>
/** Written once: the database refuses to change it. */
type Written<T> = ColumnType<T, T, never>
type OptionalWritten<T> = ColumnType<T | null, T | null | undefined, never>

export const PAYMENT_METHODS = ['card', 'bank', 'cheque', 'cash', 'other'] as const
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]

/** Who an invoice is for. */
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

interface Owned {
  tenant_id: number
  event_id: string
  is_test_data: Written<boolean>
}

interface OrdersTable extends Owned {
  id: string
  number: Written<string>
  external_number: OptionalWritten<string>
  participant_id: Optional<string>
  group_id: OptionalWritten<string>
  company_id: OptionalWritten<string>
  currency: Written<string>
  bill_to: ColumnType<BillTo, string | undefined, string>
  discount_code: Optional<string>
  total: Kept<number>
  paid: Kept<number>
  balance: Kept<number>
  unapplied: Kept<number>
  units: Kept<number>
  credited: Kept<boolean>
  status: Kept<'open' | 'paid' | 'void'>
  revision: Kept<number>
  created_at: Generated<Date>
  updated_at: Kept<Date>
}

interface InvoicesTable extends Owned {
  id: string
  number: Written<string>
  external_number: OptionalWritten<string>
  kind: Written<'invoice' | 'credit_note'>
  order_id: Written<string>
  issued_at: Generated<Date>
  due_on: Written<string>
  bill_to: ColumnType<BillTo, string, never>
  net: Written<number>
  tax: Written<number>
  total: Written<number>
  paid: Kept<number>
  credited: Kept<number>
  written_off: Kept<number>
  balance: Kept<number>
  status: Kept<'open' | 'paid' | 'written_off' | 'void'>
}

export const LINE_KINDS = ['sale', 'credit', 'fee', 'deposit'] as const

interface OrderLinesTable extends Owned {
  id: string
  order_id: Written<string>
  position: Written<number>
  kind: Written<(typeof LINE_KINDS)[number]>
  product_code: OptionalWritten<string>
  description: Written<string>
  quantity: Written<number>
  unit_price: Written<number>
  list_amount: Written<number>
  discount: Written<number>
  net: Written<number>
  tax: Written<number>
  total: Written<number>
  tax_code: OptionalWritten<string>
  tax_rate: Written<string>
  tax_inclusive: Written<boolean>
  tax_components: ColumnType<TaxShare[], string, never>
  tax_note: OptionalWritten<'reverse_charge'>
  participant_id: Optional<string>
  reservation_id: OptionalWritten<string>
  reverses_line_id: OptionalWritten<string>
  priced_at: Written<Date>
  invoice_id: OptionalWritten<string>
  created_at: Kept<Date>
}

interface PaymentsTable extends Owned {
  id: string
  order_id: Written<string>
  invoice_id: OptionalWritten<string>
  method: Written<PaymentMethod>
  amount: Written<number>
  returned: Kept<number>
  reference: OptionalWritten<string>
  note: OptionalWritten<string>
  receipt_number: Written<string>
  received_at: ColumnType<Date, Date | string, never>
  provider: OptionalWritten<string>
  provider_ref: OptionalWritten<string>
  recorded_by: Written<string>
  created_at: Kept<Date>
}

interface RefundsTable extends Owned {
  id: string
  order_id: Written<string>
  payment_id: OptionalWritten<string>
  amount: Written<number>
  method: Written<PaymentMethod>
  reference: OptionalWritten<string>
  note: OptionalWritten<string>
  receipt_number: Written<string>
  provider: OptionalWritten<string>
  /** Null until the processor has answered. */
  provider_ref: Optional<string>
  call_id: OptionalWritten<string>
  refunded_at: ColumnType<Date, Date | string, never>
  recorded_by: Written<string>
  created_at: Kept<Date>
}

interface PaymentReversalsTable extends Owned {
  id: string
  order_id: Written<string>
  payment_id: Written<string>
  amount: Written<number>
  note: OptionalWritten<string>
  receipt_number: Written<string>
  provider: OptionalWritten<string>
  provider_ref: OptionalWritten<string>
  recorded_by: Written<string>
  created_at: Kept<Date>
}

interface WriteOffsTable extends Owned {
  id: string
  order_id: Written<string>
  invoice_id: Written<string>
  amount: Written<number>
  reason: Written<string>
  written_by: Written<string>
  created_at: Kept<Date>
}

export type EntryKind =
  | 'invoice'
  | 'credit_note'
  | 'payment'
  | 'payment_reversal'
  | 'refund'
  | 'write_off'
  | 'write_off_reversal'
  | 'transfer'

interface LedgerEntriesTable extends Owned {
  id: Kept<number>
  order_id: Written<string>
  invoice_id: OptionalWritten<string>
  kind: Written<EntryKind>
  amount: Written<number>
  source_id: Written<string>
  reverses_id: OptionalWritten<number>
  at: Kept<Date>
  by: Written<string>
  note: OptionalWritten<string>
}

interface NumberSeriesTable {
  tenant_id: number
  event_id: string
  series: string
  last: number
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    orders: OrdersTable
    invoices: InvoicesTable
    order_lines: OrderLinesTable
    payments: PaymentsTable
    refunds: RefundsTable
    payment_reversals: PaymentReversalsTable
    write_offs: WriteOffsTable
    ledger_entries: LedgerEntriesTable
    number_series: NumberSeriesTable
  }
}
