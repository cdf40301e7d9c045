import { LINE_KINDS, PAYMENT_METHODS } from '../../orders/tables.ts'
import {
  choice,
  code,
  country,
  day,
  decimal,
  defineEntity,
  eventToday,
  flag,
  instant,
  integer,
  lookup,
  toMany,
  money,
  toOne,
  text,
} from './define.ts'
import type { Entity } from './types.ts'

const identity = { class: 'identity' } as const
const personal = { class: 'personal' } as const

/** SQL for the sum of a column over the lines of an order. */
const ofLines = (column: string) => lookup(`coalesce(sum(ol.${column}), 0)::bigint`, 'order_lines ol', (row) => `ol.order_id = ${row}.id`)

const order = defineEntity({
  name: 'order',
  label: 'Orders',
  rowIs: 'one order of a participant, a group or a company',
  area: 'registration',
  source: 'orders',
  fields: {
    number: code('Number', 'number'),
    payer: choice(
      'Payer',
      (row) =>
        `case when ${row}.participant_id is not null then 'participant' when ${row}.group_id is not null then 'group' else 'company' end`,
      ['participant', 'group', 'company'],
    ),
    status: choice('Status', 'status', ['open', 'paid', 'void']),
    discountCode: code('Discount code', 'discount_code', { synonyms: ['promo code', 'coupon'] }),
    list: money('List price', ofLines('list_amount'), { derived: true, help: 'Before discounts' }),
    discount: money('Discount', ofLines('discount'), { derived: true }),
    net: money('Net', ofLines('net'), { derived: true, synonyms: ['revenue', 'turnover'] }),
    tax: money('Tax', ofLines('tax'), { derived: true, synonyms: ['vat'] }),
    total: money('Total', 'total', { synonyms: ['gross'] }),
    paid: money('Paid', 'paid', { help: 'Payments less refunds and reversals' }),
    balance: money('Balance', 'balance', { synonyms: ['owed', 'outstanding'] }),
    unapplied: money('Unapplied', 'unapplied', { help: 'Money of this order that is on no invoice; zero or negative' }),
    billName: text('Billing name', (row) => `${row}.bill_to ->> 'name'`, identity),
    billCompany: text('Billing company', (row) => `${row}.bill_to ->> 'company'`, identity),
    billCountry: country('Billing country', (row) => `${row}.bill_to ->> 'country'`),
    taxId: text('Tax id', (row) => `${row}.bill_to ->> 'taxId'`, { ...personal, synonyms: ['vat number'] }),
    taxIdStatus: choice('Check of the tax id', (row) => `${row}.bill_to ->> 'taxIdStatus'`, ['unchecked', 'format_ok', 'valid', 'invalid']),
  },
  one: { participant: toOne('participant', 'participant_id'), group: toOne('group', 'group_id'), company: toOne('company', 'company_id') },
  relations: {
    lines: toMany('orderLine', 'order_id'),
    invoices: toMany('invoice', 'order_id'),
    entries: toMany('ledgerEntry', 'order_id'),
  },
})

const orderLine = defineEntity({
  name: 'orderLine',
  label: 'Order lines',
  rowIs: 'one line of an order; credits are negative',
  area: 'registration',
  source: 'order_lines',
  updated: 'created_at',
  fields: {
    kind: choice('Kind', 'kind', LINE_KINDS),
    soldKind: choice(
      'Kind of sale',
      (row) => `case when ${row}.kind <> 'credit' then ${row}.kind when ${row}.product_code is not null then 'sale'
        else ${lookup('rl.kind', 'order_lines rl', (of) => `rl.id = ${of}.reverses_line_id`)(row)} end`,
      ['sale', 'fee', 'deposit'],
      { derived: true, help: 'The kind of the line, or of the line that a credit takes back' },
    ),
    productCode: code('Product', 'product_code', { isFolded: true, synonyms: ['item', 'ticket'] }),
    quantity: integer('Quantity', 'quantity'),
    unitPrice: money('Unit price', 'unit_price'),
    listAmount: money('List amount', 'list_amount', { help: 'Before discounts' }),
    discount: money('Discount', 'discount'),
    net: money('Net', 'net', { synonyms: ['revenue', 'turnover'] }),
    tax: money('Tax', 'tax', { synonyms: ['vat'] }),
    total: money('Total', 'total', { synonyms: ['gross'] }),
    taxCode: code('Tax code', 'tax_code'),
    taxRate: decimal('Tax rate', 'tax_rate', { help: 'In percent' }),
    taxInclusive: flag('Tax in the price', 'tax_inclusive'),
    taxNote: code('Tax note', 'tax_note', { help: 'Such as reverse_charge' }),
    pricedAt: instant('Priced', 'priced_at', { synonyms: ['sold', 'sale date'] }),
  },
  one: {
    order: toOne('order', 'order_id'),
    invoice: toOne('invoice', 'invoice_id'),
    participant: toOne('participant', 'participant_id'),
    product: toOne('product', 'product_code'),
  },
})

const overdueDays = (row: string): string => `(${eventToday(row)} - ${row}.due_on)`

export const AGE_BUCKETS = ['current', 'd1to30', 'd31to60', 'd61to90', 'over90'] as const

const invoice = defineEntity({
  name: 'invoice',
  label: 'Invoices',
  rowIs: 'one invoice or credit note',
  area: 'registration',
  source: 'invoices',
  created: 'issued_at',
  updated: null,
  fields: {
    number: code('Number', 'number'),
    kind: choice('Kind', 'kind', ['invoice', 'credit_note']),
    issuedAt: instant('Issued', 'issued_at'),
    dueOn: day('Due', 'due_on'),
    net: money('Net', 'net'),
    tax: money('Tax', 'tax', { synonyms: ['vat'] }),
    total: money('Total', 'total', { help: 'Positive for credit notes too', synonyms: ['gross'] }),
    paid: money('Paid', 'paid'),
    credited: money('Credited', 'credited'),
    writtenOff: money('Written off', 'written_off'),
    balance: money('Balance', 'balance', { synonyms: ['owed', 'outstanding', 'open amount'] }),
    status: choice('Status', 'status', ['open', 'paid', 'written_off', 'void']),
    daysOverdue: integer('Days overdue', (row) => `case when ${row}.balance > 0 then greatest(${overdueDays(row)}, 0) else 0 end`, {
      derived: true,
      synonyms: ['late'],
    }),
    ageBucket: choice(
      'Age',
      (
        row,
      ) => `case when ${row}.balance <= 0 then null when ${overdueDays(row)} <= 0 then 'current' when ${overdueDays(row)} <= 30 then 'd1to30'
        when ${overdueDays(row)} <= 60 then 'd31to60' when ${overdueDays(row)} <= 90 then 'd61to90' else 'over90' end`,
      AGE_BUCKETS,
      { derived: true, help: 'Days since the due date of an invoice with a balance', synonyms: ['aging'] },
    ),
  },
  one: { order: toOne('order', 'order_id') },
  relations: { lines: toMany('orderLine', 'invoice_id'), entries: toMany('ledgerEntry', 'invoice_id') },
})

const ENTRY_KINDS = [
  'invoice',
  'credit_note',
  'payment',
  'payment_reversal',
  'refund',
  'write_off',
  'write_off_reversal',
  'transfer',
] as const

const receiptIn = (table: string, alias: string) =>
  lookup(`${alias}.receipt_number`, `${table} ${alias}`, (row) => `${alias}.id = ${row}.source_id`)

const ledgerEntry = defineEntity({
  name: 'ledgerEntry',
  label: 'Ledger entries',
  rowIs: 'one movement of money; what is owed is positive',
  area: 'registration',
  source: `(select le.tenant_id, le.event_id, le.id::text as id, le.order_id, le.invoice_id, le.is_test_data, le.kind, le.amount, le.source_id,
  le.at, le.by, le.note from ledger_entries le)`,
  created: 'at',
  updated: 'at',
  fields: {
    kind: choice('Kind', 'kind', ENTRY_KINDS),
    amount: money('Amount', 'amount', { help: 'Positive if it raises what is owed' }),
    at: instant('When', 'at'),
    by: text('Recorded by', 'by'),
    note: text('Note', 'note'),
    receiptNumber: code(
      'Receipt number',
      (row) =>
        `coalesce(${receiptIn('payments', 'rp')(row)}, ${receiptIn('refunds', 'rf')(row)}, ${receiptIn('payment_reversals', 'rv')(row)})`,
      { derived: true },
    ),
  },
  one: { order: toOne('order', 'order_id'), invoice: toOne('invoice', 'invoice_id') },
})

const payment = defineEntity({
  name: 'payment',
  label: 'Payments',
  rowIs: 'one payment',
  area: 'registration',
  source: 'payments',
  updated: 'created_at',
  fields: {
    method: choice('Method', 'method', PAYMENT_METHODS),
    amount: money('Amount', 'amount'),
    reference: text('Reference', 'reference', personal),
    receivedAt: instant('Received', 'received_at'),
    provider: code('Provider', 'provider'),
    receiptNumber: code('Receipt number', 'receipt_number'),
    recordedBy: text('Recorded by', 'recorded_by'),
  },
  one: { order: toOne('order', 'order_id'), invoice: toOne('invoice', 'invoice_id') },
})

const refund = defineEntity({
  name: 'refund',
  label: 'Refunds',
  rowIs: 'one refund',
  area: 'registration',
  source: 'refunds',
  updated: 'created_at',
  fields: {
    amount: money('Amount', 'amount'),
    method: choice('Method', 'method', PAYMENT_METHODS),
    at: instant('When', 'refunded_at'),
    reference: text('Reference', 'reference', personal),
  },
  one: {
    order: toOne('order', 'order_id'),
    invoice: toOne(
      'invoice',
      lookup('ip.invoice_id', 'payments ip', (row) => `ip.id = ${row}.payment_id`),
    ),
  },
})

const writeOff = defineEntity({
  name: 'writeOff',
  label: 'Write-offs',
  rowIs: 'one amount that was written off',
  area: 'registration',
  source: 'write_offs',
  updated: 'created_at',
  fields: { amount: money('Amount', 'amount'), reason: text('Reason', 'reason'), at: instant('When', 'created_at') },
  one: { order: toOne('order', 'order_id'), invoice: toOne('invoice', 'invoice_id') },
})

const charge = defineEntity({
  name: 'charge',
  label: 'Card charges',
  rowIs: 'one attempt to charge a card',
  area: 'registration',
  source: 'charges',
  updated: (row) => `coalesce(${row}.settled_at, ${row}.created_at)`,
  fields: {
    amount: money('Amount', 'amount', { currency: (row) => `${row}.currency` }),
    purpose: code('Purpose', 'purpose'),
    status: choice('Status', 'status', ['pending', 'succeeded', 'failed', 'unknown']),
    failureCode: code('Reason of the failure', 'failure_code'),
    attempts: integer('Attempts', 'attempts'),
  },
  one: { order: toOne('order', 'order_id'), invoice: toOne('invoice', 'invoice_id') },
})

export const MONEY_ENTITIES: readonly Entity[] = [order, orderLine, invoice, ledgerEntry, payment, refund, writeOff, charge]
