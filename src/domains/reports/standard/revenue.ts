import { sql } from 'kysely'
import { buildLineDiscountCodeSql } from '../../figures/dictionary/inventory.ts'
import { defineSumEqualsMetricCheck, defineReport, PERIOD_PARAMETERS } from './define.ts'
import {
  buildReportRowCondition,
  buildPeriodCondition,
  buildLocalDaySql,
  buildEventRowCondition,
  buildSameEventCondition,
} from './conditions.ts'
import { codeColumn, dayColumn, decimalColumn, integerColumn, moneyColumn, percentColumn, textColumn } from './columns.ts'
import { readEventConfig } from './configuration.ts'
import type { StandardReport } from './types.ts'

const registration = { category: 'money', needs: 'registration.read', parameters: PERIOD_PARAMETERS } as const

const revenueByProduct = defineReport({
  ...registration,
  code: 'revenue-by-product',
  name: 'Revenue by product',
  description: 'What each product brought in: quantity, discount, net, tax, total and share. Fees and deposits have rows of their own.',
  tables: [
    {
      columns: [
        codeColumn('product', 'Product'),
        textColumn('name', 'Name'),
        integerColumn('quantity', 'Quantity'),
        moneyColumn('list', 'List'),
        moneyColumn('discount', 'Discount'),
        moneyColumn('net', 'Net'),
        moneyColumn('tax', 'Tax'),
        moneyColumn('total', 'Total'),
        percentColumn('share', 'Share of net'),
      ],
      totals: ['list', 'discount', 'net', 'tax', 'total'],
      checks: [
        defineSumEqualsMetricCheck('net', 'money.net'),
        defineSumEqualsMetricCheck('tax', 'money.tax'),
        defineSumEqualsMetricCheck('total', 'money.total'),
      ],
      async read(scope) {
        const names = (await readEventConfig(scope)).products.map(({ code: of, name }) => ({ code: of, name }))
        return {
          statement: sql`
            select s.product, coalesce(n.name, s.description) as name, s.quantity, s.list, s.discount, s.net, s.tax, s.total,
              100.0 * s.net / nullif(sum(s.net) over (), 0) as share
            from (select coalesce(l.product_code, case when l.kind = 'credit' then r.kind else l.kind end) as product, min(l.description) as description,
                sum(case when l.kind = 'credit' then -abs(l.quantity) else l.quantity end)::bigint as quantity, sum(l.list_amount)::bigint as list,
                sum(l.discount)::bigint as discount, sum(l.net)::bigint as net, sum(l.tax)::bigint as tax, sum(l.total)::bigint as total
              from order_lines l left join order_lines r on ${buildSameEventCondition('r', 'l')} and r.id = l.reverses_line_id
              where ${buildReportRowCondition(scope, 'l')} and ${buildPeriodCondition(scope, sql`l.priced_at`)} group by 1) s
            left join jsonb_to_recordset(${JSON.stringify(names)}::jsonb) as n (code text, name text) on n.code = s.product
            order by s.total desc, s.product`,
        }
      },
    },
  ],
})

const revenueByDay = defineReport({
  ...registration,
  code: 'revenue-by-day',
  name: 'Revenue by day',
  description: 'What was invoiced, credited, paid, refunded, reversed and written off on each day, and how the balance changed.',
  tables: [
    {
      columns: [
        dayColumn('day', 'Day'),
        moneyColumn('invoiced', 'Invoiced'),
        moneyColumn('credited', 'Credited'),
        moneyColumn('paid', 'Paid'),
        moneyColumn('refunded', 'Refunded'),
        moneyColumn('reversed', 'Reversed'),
        moneyColumn('writtenOff', 'Written off'),
        moneyColumn('change', 'Balance change'),
      ],
      totals: ['invoiced', 'credited', 'paid', 'refunded', 'reversed', 'writtenOff', 'change'],
      checks: [
        defineSumEqualsMetricCheck('change', 'money.balance'),
        defineSumEqualsMetricCheck('invoiced', 'money.invoiced'),
        defineSumEqualsMetricCheck('credited', 'money.credited'),
        defineSumEqualsMetricCheck('paid', 'money.paid'),
        defineSumEqualsMetricCheck('refunded', 'money.refunded'),
        defineSumEqualsMetricCheck('reversed', 'money.reversed'),
        defineSumEqualsMetricCheck('writtenOff', 'money.writtenOff'),
      ],
      read: (scope) => ({
        statement: sql`
          select ${buildLocalDaySql(scope, sql`e.at`)} as day, coalesce(sum(e.amount) filter (where e.kind = 'invoice'), 0)::bigint as invoiced,
            coalesce(-sum(e.amount) filter (where e.kind = 'credit_note'), 0)::bigint as credited,
            coalesce(-sum(e.amount) filter (where e.kind = 'payment'), 0)::bigint as paid,
            coalesce(sum(e.amount) filter (where e.kind = 'refund'), 0)::bigint as refunded,
            coalesce(sum(e.amount) filter (where e.kind = 'payment_reversal'), 0)::bigint as reversed,
            coalesce(-sum(e.amount) filter (where e.kind in ('write_off', 'write_off_reversal')), 0)::bigint as "writtenOff", sum(e.amount)::bigint as change
          from ledger_entries e where ${buildReportRowCondition(scope, 'e')} and ${buildPeriodCondition(scope, sql`e.at`)} group by 1 order by 1`,
      }),
    },
  ],
})

const LINE_DISCOUNT_CODE = sql.raw(buildLineDiscountCodeSql('o', 'p'))

const discountUsage = defineReport({
  ...registration,
  parameters: [],
  code: 'discount-usage',
  name: 'Discount usage',
  description:
    'How often each discount code was used, how many uses are left, and what it took off. Discounts without a code, or of orders that gave their use back, are one row.',
  tables: [
    {
      columns: [
        codeColumn('code', 'Code'),
        integerColumn('uses', 'Uses'),
        integerColumn('left', 'Left'),
        moneyColumn('list', 'List'),
        moneyColumn('discount', 'Discount'),
        moneyColumn('net', 'Net'),
      ],
      totals: ['uses', 'list', 'discount', 'net'],
      checks: [defineSumEqualsMetricCheck('discount', 'money.discount')],
      async read(scope) {
        const codes = (await readEventConfig(scope)).discounts.map(({ code: of }) => of)
        return {
          statement: sql`
            with sold as (select ${LINE_DISCOUNT_CODE} as code, sum(l.list_amount)::bigint as list, sum(l.discount)::bigint as discount, sum(l.net)::bigint as net
              from orders o join order_lines l on ${buildSameEventCondition('l', 'o')} and l.order_id = o.id
              left join participants p on ${buildSameEventCondition('p', 'l')} and p.id = coalesce(l.participant_id, o.participant_id)
              where ${buildReportRowCondition(scope, 'o')} and (${LINE_DISCOUNT_CODE} is not null or l.discount <> 0) group by 1),
            codes as (select unnest(${codes}::text[]) as code union select code from sold)
            select c.code, coalesce(i.sold, 0) as uses, i.capacity + i.overage - i.held - i.sold as left, coalesce(s.list, 0) as list,
              coalesce(s.discount, 0) as discount, coalesce(s.net, 0) as net
            from codes c left join sold s on s.code is not distinct from c.code
            left join inventory i on ${buildEventRowCondition(scope, 'i')} and i.key = 'discount:' || c.code and not ${scope.isTestData}
            order by c.code nulls last`,
        }
      },
    },
  ],
})

const taxReport = defineReport({
  ...registration,
  code: 'tax-report',
  name: 'Tax report',
  description: 'Taxable net and tax by tax code, rate and country, by the day of issue of the invoice, and net under reverse charge.',
  tables: [
    {
      columns: [
        codeColumn('taxCode', 'Tax code'),
        decimalColumn('rate', 'Rate'),
        codeColumn('jurisdiction', 'Jurisdiction'),
        moneyColumn('taxableNet', 'Taxable net'),
        moneyColumn('tax', 'Tax'),
        integerColumn('lines', 'Lines'),
        moneyColumn('reverseChargeNet', 'Reverse-charge net'),
      ],
      totals: ['taxableNet', 'tax', 'lines', 'reverseChargeNet'],
      checks: [defineSumEqualsMetricCheck('tax', 'money.tax')],
      read: (scope) => ({
        statement: sql`
          select l.tax_code as "taxCode", l.tax_rate as rate, case when l.tax_note = 'reverse_charge' then i.bill_to ->> 'country' else v.country end as jurisdiction,
            coalesce(sum(l.net) filter (where l.tax_code is not null and l.tax_note is distinct from 'reverse_charge'), 0)::bigint as "taxableNet",
            sum(l.tax)::bigint as tax, count(*)::int as lines,
            coalesce(sum(l.net) filter (where l.tax_note = 'reverse_charge'), 0)::bigint as "reverseChargeNet"
          from order_lines l left join invoices i on ${buildSameEventCondition('i', 'l')} and i.id = l.invoice_id
          join events v on v.tenant_id = l.tenant_id and v.id = l.event_id
          where ${buildReportRowCondition(scope, 'l')} and ${buildPeriodCondition(scope, sql`i.issued_at`)} and (l.tax_code is not null or l.tax <> 0 or l.net <> 0)
          group by 1, 2, 3 order by 1 nulls last, 2, 3`,
      }),
    },
  ],
})

export const REVENUE_REPORTS: readonly StandardReport[] = [revenueByProduct, revenueByDay, discountUsage, taxReport]
