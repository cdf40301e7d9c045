import { sql } from 'kysely'
import type { ReportRow } from '../../figures/report-table.ts'
import { choiceColumn, codeColumn, dayColumn, integerColumn, moneyColumn } from './columns.ts'
import { buildPeriodCondition, buildLocalDaySql } from './conditions.ts'
import { readEventConfig } from './configuration.ts'
import { defineReport, PERIOD_PARAMETERS } from './define.ts'
import { buildLedgerPostingsSql } from './journal.ts'
import { toSummableNumber } from './open-table.ts'
import type { ReportScope, StandardReport, ReportTableCheck } from './types.ts'

async function readJournal(scope: ReportScope) {
  const products = (await readEventConfig(scope)).products.map(({ code: of, category }) => ({ code: of, category }))
  return buildLedgerPostingsSql(scope, products, buildPeriodCondition(scope, sql`e.at`))
}

/** Defines a check that the total of an account (debit less credit, or the reverse) equals a key figure, such as `money.received`. */
const accountEquals = (account: string, side: 'debit' | 'credit', metric: string): ReportTableCheck => ({
  name: `${account} = ${metric}`,
  metrics: [metric],
  of: (row: ReportRow) => {
    const debit = toSummableNumber(row['debit']) - toSummableNumber(row['credit'])
    return String(row['account']).split(':')[0] !== account ? 0 : side === 'debit' ? debit : 0 - debit
  },
})

const ACCOUNT_CHECKS: readonly ReportTableCheck[] = [
  { name: 'Σ debit = Σ credit', holds: ({ debit, credit }) => debit === credit },
  accountEquals('receivable', 'debit', 'money.owed'),
  accountEquals('customer-credit', 'credit', 'money.creditHeld'),
  accountEquals('cash', 'debit', 'money.received'),
]

const amounts = [moneyColumn('debit', 'Debit'), moneyColumn('credit', 'Credit')]

const accountingLedger = defineReport({
  category: 'money',
  needs: 'registration.read',
  parameters: PERIOD_PARAMETERS,
  code: 'accounting-ledger',
  name: 'Accounting ledger',
  description:
    'Double-entry postings of every invoice, credit note, payment, refund, write-off and transfer, and the balance of each account.',
  tables: [
    {
      title: 'Postings',
      columns: [
        dayColumn('date', 'Date'),
        integerColumn('entry', 'Entry'),
        choiceColumn('kind', 'Kind'),
        codeColumn('account', 'Account'),
        ...amounts,
        codeColumn('document', 'Document'),
        codeColumn('order', 'Order'),
      ],
      totals: ['debit', 'credit'],
      checks: ACCOUNT_CHECKS,
      read: async (scope) => ({
        statement: sql`select ${buildLocalDaySql(scope, sql`j.at`)} as date, j.entry, j.kind, j.account, j.debit, j.credit, j.document, j.order_number as "order"
          from (${await readJournal(scope)}) j order by j.at, j.entry, j.debit is null, j.account`,
      }),
    },
    {
      title: 'Trial balance',
      columns: [codeColumn('account', 'Account'), ...amounts],
      totals: ['debit', 'credit'],
      checks: ACCOUNT_CHECKS,
      read: async (scope) => ({
        statement: sql`
          select a.account, case when a.amount > 0 then a.amount end as debit, case when a.amount < 0 then -a.amount end as credit
          from (select j.account, coalesce(sum(j.debit), 0)::bigint - coalesce(sum(j.credit), 0)::bigint as amount from (${await readJournal(scope)}) j group by 1) a
          order by a.account`,
      }),
    },
  ],
})

export const ACCOUNTING_REPORTS: readonly StandardReport[] = [accountingLedger]
