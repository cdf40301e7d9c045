import { sql } from 'kysely'
import { defineReport, PERIOD_PARAMETERS, defineSumEqualsMetricCheck, defineSumOfMatchingRowsCheck } from './define.ts'
import {
  buildReportRowCondition,
  buildPeriodCondition,
  buildLocalDaySql,
  buildPayerNameSql,
  buildSameEventCondition,
  buildTodaySql,
} from './conditions.ts'
import { choiceColumn, codeColumn, dayColumn, instantColumn, integerColumn, moneyColumn, textColumn } from './columns.ts'
import type { ReportScope, StandardReport } from './types.ts'

const registration = { category: 'money', needs: 'registration.read', parameters: PERIOD_PARAMETERS } as const

/** SQL query for open invoices with the days since they were due and their age range. */
const openInvoices = (scope: ReportScope) => sql`
  select i.number, coalesce(i.bill_to ->> 'company', i.bill_to ->> 'name') as "billTo", i.bill_to ->> 'email' as email, ${buildLocalDaySql(scope, sql`i.issued_at`)} as issued,
    i.due_on as due, i.total, i.balance, greatest(0, ${buildTodaySql(scope)} - i.due_on) as "daysOverdue",
    case when ${buildTodaySql(scope)} - i.due_on <= 0 then 'current' when ${buildTodaySql(scope)} - i.due_on <= 30 then 'd1to30'
      when ${buildTodaySql(scope)} - i.due_on <= 60 then 'd31to60' when ${buildTodaySql(scope)} - i.due_on <= 90 then 'd61to90' else 'over90' end as bucket
  from invoices i where ${buildReportRowCondition(scope, 'i')} and i.kind = 'invoice' and i.balance > 0 and ${buildPeriodCondition(scope, sql`i.issued_at`)}`

const balanceDue = defineReport({
  ...registration,
  code: 'balance-due',
  name: 'Balance due',
  description: 'Open invoices with whom they are billed to, what is owed on each and for how long; and the sums by age.',
  tables: [
    {
      columns: [
        codeColumn('number', 'Number'),
        textColumn('billTo', 'Bill to', 'identity'),
        textColumn('email', 'Email', 'identity'),
        dayColumn('issued', 'Issued'),
        dayColumn('due', 'Due'),
        moneyColumn('total', 'Total'),
        moneyColumn('balance', 'Balance'),
        integerColumn('daysOverdue', 'Days overdue'),
        choiceColumn('bucket', 'Age'),
      ],
      totals: ['total', 'balance'],
      checks: [
        defineSumEqualsMetricCheck('balance', 'money.owed'),
        defineSumOfMatchingRowsCheck('balance', (row) => row['bucket'] !== 'current', 'money.overdue', 'Σ balance of overdue invoices'),
      ],
      read: (scope) => ({ statement: sql`select b.* from (${openInvoices(scope)}) b order by b.due, b.number` }),
    },
    {
      title: 'Age of the balance',
      columns: [choiceColumn('bucket', 'Age'), integerColumn('invoices', 'Invoices'), moneyColumn('balance', 'Balance')],
      totals: ['invoices', 'balance'],
      checks: [defineSumEqualsMetricCheck('balance', 'money.owed')],
      read: (scope) => ({
        statement: sql`
          select a.bucket, count(b.number)::int as invoices, coalesce(sum(b.balance), 0)::bigint as balance
          from unnest('{current,d1to30,d31to60,d61to90,over90}'::text[]) with ordinality as a (bucket, place)
          left join (${openInvoices(scope)}) b on b.bucket = a.bucket group by a.bucket, a.place order by a.place`,
      }),
    },
  ],
})

const paymentsReceived = defineReport({
  ...registration,
  code: 'payments-received',
  name: 'Payments received',
  description: 'Every payment with its receipt, method, reference, payer, invoice and provider; and the sums by method.',
  tables: [
    {
      columns: [
        codeColumn('receiptNumber', 'Receipt'),
        instantColumn('receivedAt', 'Received'),
        choiceColumn('method', 'Method'),
        textColumn('reference', 'Reference', 'personal'),
        textColumn('payer', 'Payer', 'identity'),
        codeColumn('invoice', 'Invoice'),
        moneyColumn('amount', 'Amount'),
        codeColumn('provider', 'Provider'),
      ],
      totals: ['amount'],
      checks: [defineSumEqualsMetricCheck('amount', 'money.paid')],
      read: (scope) => ({
        statement: sql`
          select y.receipt_number as "receiptNumber", y.received_at as "receivedAt", y.method, y.reference, ${buildPayerNameSql(scope)} as payer, i.number as invoice, y.amount, y.provider
          from payments y join orders o on ${buildSameEventCondition('o', 'y')} and o.id = y.order_id left join invoices i on ${buildSameEventCondition('i', 'y')} and i.id = y.invoice_id
          where ${buildReportRowCondition(scope, 'y')} and ${buildPeriodCondition(scope, sql`y.received_at`)} order by y.received_at, y.receipt_number, y.id`,
      }),
    },
    {
      title: 'Payments by method',
      columns: [choiceColumn('method', 'Method'), integerColumn('payments', 'Payments'), moneyColumn('amount', 'Amount')],
      totals: ['payments', 'amount'],
      checks: [defineSumEqualsMetricCheck('amount', 'money.paid')],
      read: (scope) => ({
        statement: sql`select y.method, count(*)::int as payments, sum(y.amount)::bigint as amount from payments y
          where ${buildReportRowCondition(scope, 'y')} and ${buildPeriodCondition(scope, sql`y.received_at`)} group by 1 order by 1`,
      }),
    },
  ],
})

const isKind =
  (...kinds: string[]) =>
  (row: { kind?: unknown }) =>
    kinds.includes(String(row.kind))

const refundsAndCredits = defineReport({
  ...registration,
  code: 'refunds-and-credits',
  name: 'Refunds and credits',
  description: 'Every refund, credit note and write-off with its order, person, amount and reason.',
  tables: [
    {
      columns: [
        dayColumn('date', 'Date'),
        choiceColumn('kind', 'Kind'),
        codeColumn('order', 'Order'),
        textColumn('person', 'Person', 'identity'),
        moneyColumn('amount', 'Amount'),
        textColumn('reason', 'Reason'),
      ],
      checks: [
        defineSumOfMatchingRowsCheck('amount', isKind('refund'), 'money.refunded', 'Σ refunds'),
        defineSumOfMatchingRowsCheck('amount', isKind('credit_note'), 'money.credited', 'Σ credit notes'),
        defineSumOfMatchingRowsCheck('amount', isKind('write_off', 'write_off_reversal'), 'money.writtenOff', 'Σ write-offs'),
      ],
      read: (scope) => ({
        statement: sql`
          select ${buildLocalDaySql(scope, sql`e.at`)} as date, e.kind, o.number as "order", ${buildPayerNameSql(scope)} as person,
            case when e.kind = 'refund' then e.amount else -e.amount end as amount, coalesce(e.note, w.reason) as reason
          from ledger_entries e join orders o on ${buildSameEventCondition('o', 'e')} and o.id = e.order_id
          left join write_offs w on ${buildSameEventCondition('w', 'e')} and w.id = e.source_id
          where ${buildReportRowCondition(scope, 'e')} and e.kind in ('refund', 'credit_note', 'write_off', 'write_off_reversal') and ${buildPeriodCondition(scope, sql`e.at`)}
          order by e.at, e.id`,
      }),
    },
  ],
})

/** Counts the gaps in the number series of invoices and of credit notes. Imported ones have series of their own. Integrity rule I6 allows no gap. */
async function countGaps(scope: ReportScope): Promise<number> {
  const { rows } = await sql<{ gaps: number }>`
    select coalesce(sum(s.last - s.numbers), 0)::int as gaps from (
      select max(substring(i.number from '[0-9]+$')::bigint) as last, count(*) as numbers from invoices i where ${buildReportRowCondition(scope, 'i')}
      group by i.kind, i.number like 'IMP-%') s`.execute(scope.snapshot.db)
  return rows[0]!.gaps
}

const invoiceRegister = defineReport({
  ...registration,
  code: 'invoice-register',
  name: 'Invoice register',
  description: 'Every invoice and credit note in the order of its number, and how many numbers are missing. Credit notes are negative.',
  tables: [
    {
      columns: [
        codeColumn('number', 'Number'),
        choiceColumn('kind', 'Kind'),
        dayColumn('issued', 'Issued'),
        moneyColumn('net', 'Net'),
        moneyColumn('tax', 'Tax'),
        moneyColumn('total', 'Total'),
        choiceColumn('status', 'Status'),
      ],
      totals: ['net', 'tax', 'total'],
      figures: async (scope) => ({ gaps: await countGaps(scope) }),
      checks: [
        { name: 'gaps: 0', holds: async (_, scope) => (await countGaps(scope)) === 0 },
        defineSumOfMatchingRowsCheck('total', isKind('invoice'), 'money.invoiced', 'Σ invoices'),
        defineSumEqualsMetricCheck('total', 'money.total'),
      ],
      read: (scope) => ({
        statement: sql`
          select i.number, i.kind, ${buildLocalDaySql(scope, sql`i.issued_at`)} as issued, s.sign * abs(i.net) as net, s.sign * abs(i.tax) as tax, s.sign * abs(i.total) as total,
            i.status
          from invoices i cross join lateral (select case i.kind when 'credit_note' then -1 else 1 end as sign) s
          where ${buildReportRowCondition(scope, 'i')} and ${buildPeriodCondition(scope, sql`i.issued_at`)} order by i.kind desc, i.number`,
      }),
    },
  ],
})

export const RECEIVABLE_REPORTS: readonly StandardReport[] = [balanceDue, paymentsReceived, refundsAndCredits, invoiceRegister]
