import { ORDER_LINE_KINDS, PAYMENT_METHODS } from '../../orders/tables.ts'
import {
  choiceField,
  codeField,
  countryField,
  dayField,
  decimalField,
  defineQueryEntity,
  buildEventLocalTodaySql,
  booleanField,
  instantField,
  integerField,
  buildLookupSql,
  defineToManyRelation,
  moneyField,
  defineToOneRelation,
  textField,
} from './define.ts'
import type { QueryEntity } from './types.ts'

const identity = { class: 'identity' } as const
const personal = { class: 'personal' } as const

/** SQL for the sum of a column over the lines of an order. */
const ofLines = (column: string) =>
  buildLookupSql(`coalesce(sum(ol.${column}), 0)::bigint`, 'order_lines ol', (row) => `ol.order_id = ${row}.id`)

const order = defineQueryEntity({
  name: 'order',
  label: 'Orders',
  rowIs: 'one order of a participant, a group or a company',
  area: 'registration',
  source: 'orders',
  fields: {
    number: codeField('Number', 'number'),
    payer: choiceField(
      'Payer',
      (row) =>
        `case when ${row}.participant_id is not null then 'participant' when ${row}.group_id is not null then 'group' else 'company' end`,
      ['participant', 'group', 'company'],
    ),
    status: choiceField('Status', 'status', ['open', 'paid', 'void']),
    discountCode: codeField('Discount code', 'discount_code', { synonyms: ['promo code', 'coupon'] }),
    list: moneyField('List price', ofLines('list_amount'), { derived: true, help: 'Before discounts' }),
    discount: moneyField('Discount', ofLines('discount'), { derived: true }),
    net: moneyField('Net', ofLines('net'), { derived: true, synonyms: ['revenue', 'turnover'] }),
    tax: moneyField('Tax', ofLines('tax'), { derived: true, synonyms: ['vat'] }),
    total: moneyField('Total', 'total', { synonyms: ['gross'] }),
    paid: moneyField('Paid', 'paid', { help: 'Payments less refunds and reversals' }),
    balance: moneyField('Balance', 'balance', { synonyms: ['owed', 'outstanding'] }),
    unapplied: moneyField('Unapplied', 'unapplied', { help: 'Money of this order that is on no invoice; zero or negative' }),
    billName: textField('Billing name', (row) => `${row}.bill_to ->> 'name'`, identity),
    billCompany: textField('Billing company', (row) => `${row}.bill_to ->> 'company'`, identity),
    billCountry: countryField('Billing country', (row) => `${row}.bill_to ->> 'country'`),
    taxId: textField('Tax id', (row) => `${row}.bill_to ->> 'taxId'`, { ...personal, synonyms: ['vat number'] }),
    taxIdStatus: choiceField('Check of the tax id', (row) => `${row}.bill_to ->> 'taxIdStatus'`, [
      'unchecked',
      'format_ok',
      'valid',
      'invalid',
    ]),
  },
  one: {
    participant: defineToOneRelation('participant', 'participant_id'),
    group: defineToOneRelation('group', 'group_id'),
    company: defineToOneRelation('company', 'company_id'),
  },
  relations: {
    lines: defineToManyRelation('orderLine', 'order_id'),
    invoices: defineToManyRelation('invoice', 'order_id'),
    entries: defineToManyRelation('ledgerEntry', 'order_id'),
  },
})

const orderLine = defineQueryEntity({
  name: 'orderLine',
  label: 'Order lines',
  rowIs: 'one line of an order; credits are negative',
  area: 'registration',
  source: 'order_lines',
  updated: 'created_at',
  fields: {
    kind: choiceField('Kind', 'kind', ORDER_LINE_KINDS),
    soldKind: choiceField(
      'Kind of sale',
      (row) => `case when ${row}.kind <> 'credit' then ${row}.kind when ${row}.product_code is not null then 'sale'
        else ${buildLookupSql('rl.kind', 'order_lines rl', (of) => `rl.id = ${of}.reverses_line_id`)(row)} end`,
      ['sale', 'fee', 'deposit'],
      { derived: true, help: 'The kind of the line, or of the line that a credit takes back' },
    ),
    productCode: codeField('Product', 'product_code', { isFolded: true, synonyms: ['item', 'ticket'] }),
    quantity: integerField('Quantity', 'quantity'),
    unitPrice: moneyField('Unit price', 'unit_price'),
    listAmount: moneyField('List amount', 'list_amount', { help: 'Before discounts' }),
    discount: moneyField('Discount', 'discount'),
    net: moneyField('Net', 'net', { synonyms: ['revenue', 'turnover'] }),
    tax: moneyField('Tax', 'tax', { synonyms: ['vat'] }),
    total: moneyField('Total', 'total', { synonyms: ['gross'] }),
    taxCode: codeField('Tax code', 'tax_code'),
    taxRate: decimalField('Tax rate', 'tax_rate', { help: 'In percent' }),
    taxInclusive: booleanField('Tax in the price', 'tax_inclusive'),
    taxNote: codeField('Tax note', 'tax_note', { help: 'Such as reverse_charge' }),
    pricedAt: instantField('Priced', 'priced_at', { synonyms: ['sold', 'sale date'] }),
  },
  one: {
    order: defineToOneRelation('order', 'order_id'),
    invoice: defineToOneRelation('invoice', 'invoice_id'),
    participant: defineToOneRelation('participant', 'participant_id'),
    product: defineToOneRelation('product', 'product_code'),
  },
})

const overdueDays = (row: string): string => `(${buildEventLocalTodaySql(row)} - ${row}.due_on)`

export const RECEIVABLES_AGING_BUCKETS = ['current', 'd1to30', 'd31to60', 'd61to90', 'over90'] as const

const invoice = defineQueryEntity({
  name: 'invoice',
  label: 'Invoices',
  rowIs: 'one invoice or credit note',
  area: 'registration',
  source: 'invoices',
  created: 'issued_at',
  updated: null,
  fields: {
    number: codeField('Number', 'number'),
    kind: choiceField('Kind', 'kind', ['invoice', 'credit_note']),
    issuedAt: instantField('Issued', 'issued_at'),
    dueOn: dayField('Due', 'due_on'),
    net: moneyField('Net', 'net'),
    tax: moneyField('Tax', 'tax', { synonyms: ['vat'] }),
    total: moneyField('Total', 'total', { help: 'Positive for credit notes too', synonyms: ['gross'] }),
    paid: moneyField('Paid', 'paid'),
    credited: moneyField('Credited', 'credited'),
    writtenOff: moneyField('Written off', 'written_off'),
    balance: moneyField('Balance', 'balance', { synonyms: ['owed', 'outstanding', 'open amount'] }),
    status: choiceField('Status', 'status', ['open', 'paid', 'written_off', 'void']),
    daysOverdue: integerField('Days overdue', (row) => `case when ${row}.balance > 0 then greatest(${overdueDays(row)}, 0) else 0 end`, {
      derived: true,
      synonyms: ['late'],
    }),
    ageBucket: choiceField(
      'Age',
      (
        row,
      ) => `case when ${row}.balance <= 0 then null when ${overdueDays(row)} <= 0 then 'current' when ${overdueDays(row)} <= 30 then 'd1to30'
        when ${overdueDays(row)} <= 60 then 'd31to60' when ${overdueDays(row)} <= 90 then 'd61to90' else 'over90' end`,
      RECEIVABLES_AGING_BUCKETS,
      { derived: true, help: 'Days since the due date of an invoice with a balance', synonyms: ['aging'] },
    ),
  },
  one: { order: defineToOneRelation('order', 'order_id') },
  relations: { lines: defineToManyRelation('orderLine', 'invoice_id'), entries: defineToManyRelation('ledgerEntry', 'invoice_id') },
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
  buildLookupSql(`${alias}.receipt_number`, `${table} ${alias}`, (row) => `${alias}.id = ${row}.source_id`)

const ledgerEntry = defineQueryEntity({
  name: 'ledgerEntry',
  label: 'Ledger entries',
  rowIs: 'one movement of money; what is owed is positive',
  area: 'registration',
  source: `(select le.tenant_id, le.event_id, le.id::text as id, le.order_id, le.invoice_id, le.is_test_data, le.kind, le.amount, le.source_id,
  le.at, le.by, le.note from ledger_entries le)`,
  created: 'at',
  updated: 'at',
  fields: {
    kind: choiceField('Kind', 'kind', ENTRY_KINDS),
    amount: moneyField('Amount', 'amount', { help: 'Positive if it raises what is owed' }),
    at: instantField('When', 'at'),
    by: textField('Recorded by', 'by'),
    note: textField('Note', 'note'),
    receiptNumber: codeField(
      'Receipt number',
      (row) =>
        `coalesce(${receiptIn('payments', 'rp')(row)}, ${receiptIn('refunds', 'rf')(row)}, ${receiptIn('payment_reversals', 'rv')(row)})`,
      { derived: true },
    ),
  },
  one: { order: defineToOneRelation('order', 'order_id'), invoice: defineToOneRelation('invoice', 'invoice_id') },
})

const payment = defineQueryEntity({
  name: 'payment',
  label: 'Payments',
  rowIs: 'one payment',
  area: 'registration',
  source: 'payments',
  updated: 'created_at',
  fields: {
    method: choiceField('Method', 'method', PAYMENT_METHODS),
    amount: moneyField('Amount', 'amount'),
    reference: textField('Reference', 'reference', personal),
    receivedAt: instantField('Received', 'received_at'),
    provider: codeField('Provider', 'provider'),
    receiptNumber: codeField('Receipt number', 'receipt_number'),
    recordedBy: textField('Recorded by', 'recorded_by'),
  },
  one: { order: defineToOneRelation('order', 'order_id'), invoice: defineToOneRelation('invoice', 'invoice_id') },
})

const refund = defineQueryEntity({
  name: 'refund',
  label: 'Refunds',
  rowIs: 'one refund',
  area: 'registration',
  source: 'refunds',
  updated: 'created_at',
  fields: {
    amount: moneyField('Amount', 'amount'),
    method: choiceField('Method', 'method', PAYMENT_METHODS),
    at: instantField('When', 'refunded_at'),
    reference: textField('Reference', 'reference', personal),
  },
  one: {
    order: defineToOneRelation('order', 'order_id'),
    invoice: defineToOneRelation(
      'invoice',
      buildLookupSql('ip.invoice_id', 'payments ip', (row) => `ip.id = ${row}.payment_id`),
    ),
  },
})

const writeOff = defineQueryEntity({
  name: 'writeOff',
  label: 'Write-offs',
  rowIs: 'one amount that was written off',
  area: 'registration',
  source: 'write_offs',
  updated: 'created_at',
  fields: { amount: moneyField('Amount', 'amount'), reason: textField('Reason', 'reason'), at: instantField('When', 'created_at') },
  one: { order: defineToOneRelation('order', 'order_id'), invoice: defineToOneRelation('invoice', 'invoice_id') },
})

const charge = defineQueryEntity({
  name: 'charge',
  label: 'Card charges',
  rowIs: 'one attempt to charge a card',
  area: 'registration',
  source: 'charges',
  updated: (row) => `coalesce(${row}.settled_at, ${row}.created_at)`,
  fields: {
    amount: moneyField('Amount', 'amount', { currency: (row) => `${row}.currency` }),
    purpose: codeField('Purpose', 'purpose'),
    status: choiceField('Status', 'status', ['pending', 'succeeded', 'failed', 'unknown']),
    failureCode: codeField('Reason of the failure', 'failure_code'),
    attempts: integerField('Attempts', 'attempts'),
  },
  one: { order: defineToOneRelation('order', 'order_id'), invoice: defineToOneRelation('invoice', 'invoice_id') },
})

export const MONEY_ENTITIES: readonly QueryEntity[] = [order, orderLine, invoice, ledgerEntry, payment, refund, writeOff, charge]
