import type { ConditionTree } from '../query/data-query.ts'
import type { Metric } from './types.ts'

const ofLines = (
  code: string,
  field: string,
  label: string,
  formula: string,
  more: { synonyms?: string[]; filter?: ConditionTree } = {},
): Metric => ({
  code: `money.${code}`,
  label,
  formula,
  type: 'money',
  entity: 'orderLine',
  aggregate: `sum(${field})`,
  dateField: 'pricedAt',
  ...more,
})

const soldAs = (kind: string) => ({ filter: { field: 'soldKind', op: 'equals', value: kind } })

const ofInvoices = (code: string, kind: string, label: string, formula: string, synonyms: string[] = []): Metric => ({
  code: `money.${code}`,
  label,
  formula,
  synonyms,
  type: 'money',
  entity: 'invoice',
  aggregate: 'sum(total)',
  filter: { field: 'kind', op: 'equals', value: kind },
  dateField: 'issuedAt',
})

const ofEntries = (code: string, kinds: string[], factor: 1 | -1, label: string, formula: string, synonyms: string[] = []): Metric => ({
  code: `money.${code}`,
  label,
  formula,
  synonyms,
  type: 'money',
  entity: 'ledgerEntry',
  aggregate: 'sum(amount)',
  ...(factor === -1 ? { factor } : {}),
  filter: { field: 'kind', op: 'in', value: kinds },
  dateField: 'at',
})

const balance = { type: 'money', entity: 'invoice', aggregate: 'sum(balance)', dateField: 'issuedAt' } as const

export const MONEY_METRICS: readonly Metric[] = [
  ofLines('list', 'listAmount', 'List prices', 'sum of list prices of order lines, before discounts'),
  ofLines('discount', 'discount', 'Discounts', 'sum of discounts of order lines'),
  ofLines('net', 'net', 'Net', 'sum of net amounts of order lines; credits are negative, fees and deposits are in', {
    synonyms: ['turnover', 'revenue', 'sales', 'income'],
  }),
  ofLines('tax', 'tax', 'Tax', 'sum of taxes of order lines', { synonyms: ['vat', 'gst', 'sales tax'] }),
  ofLines('total', 'total', 'Total', 'net + tax', { synonyms: ['gross', 'gross revenue'] }),
  ofLines('fees', 'total', 'Fees', 'sum of totals of fee lines less their credits', soldAs('fee')),
  ofLines('deposits', 'total', 'Deposits', 'sum of totals of deposit lines less their credits', soldAs('deposit')),
  ofInvoices('invoiced', 'invoice', 'Invoiced', 'sum of totals of invoices', ['billed']),
  ofInvoices('credited', 'credit_note', 'Credited', 'sum of totals of credit notes'),
  ofEntries('paid', ['payment'], -1, 'Paid', 'sum of payments', ['payments', 'collected']),
  ofEntries('refunded', ['refund'], 1, 'Refunded', 'sum of refunds', ['refunds', 'paid back']),
  ofEntries('reversed', ['payment_reversal'], 1, 'Reversed', 'sum of reversed payments', ['chargebacks', 'bounced cheques']),
  ofEntries('writtenOff', ['write_off', 'write_off_reversal'], -1, 'Written off', 'sum of write-offs less their reversals', ['bad debt']),
  {
    code: 'money.received',
    label: 'Received',
    formula: 'paid − refunded − reversed',
    synonyms: ['cash', 'cash in'],
    type: 'money',
    expression: 'money.paid - money.refunded - money.reversed',
  },
  {
    ...balance,
    code: 'money.owed',
    label: 'Owed',
    formula: 'sum of balances of invoices',
    synonyms: ['receivables', 'outstanding', 'open', 'unpaid'],
  },
  {
    code: 'money.creditHeld',
    label: 'Credit held',
    formula: 'money of orders that is on no invoice',
    synonyms: ['overpaid'],
    type: 'money',
    entity: 'order',
    aggregate: 'sum(unapplied)',
    factor: -1,
    dateField: null,
  },
  { code: 'money.balance', label: 'Balance', formula: 'owed − credit held', type: 'money', expression: 'money.owed - money.creditHeld' },
  {
    ...balance,
    code: 'money.overdue',
    label: 'Overdue',
    formula: 'owed on invoices that are due before today',
    synonyms: ['late', 'past due'],
    filter: { field: 'daysOverdue', op: 'gt', value: 0 },
  },
  {
    ...balance,
    code: 'money.aging',
    label: 'Aging',
    formula: 'owed by age: group it by ageBucket (current, 1 to 30, 31 to 60, 61 to 90, over 90 days)',
    synonyms: ['aged receivables'],
    filter: { field: 'ageBucket', op: 'isSet' },
  },
  {
    code: 'money.orders',
    label: 'Orders with a total',
    formula: 'orders with a total above 0',
    type: 'integer',
    entity: 'order',
    aggregate: 'count',
    filter: { field: 'total', op: 'gt', value: '0' },
    dateField: null,
  },
  {
    code: 'money.averageOrder',
    label: 'Average order',
    formula: 'total / orders with a total above 0',
    synonyms: ['basket'],
    type: 'money',
    expression: 'money.total / money.orders',
  },
]
