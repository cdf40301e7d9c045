import { type RawBuilder, sql } from 'kysely'
import { buildReportRowCondition, buildEventRowCondition, buildSameEventCondition } from './conditions.ts'
import type { ReportScope } from './types.ts'

/** The products of the event, each with the category to which its revenue is booked. */
type ProductCategories = readonly { code: string; category: string }[]

/**
 * SQL query for the postings of all ledger entries as `entry, at, kind, account, debit, credit, document, order_number`. An entry changes
 * the open amount of an invoice (receivable) or the credit of an order (customer-credit). Its other side is the lines of the document
 * (revenue and tax), cash by method, or bad debt. All entries of one invoice or credit note are one journal entry. A transfer moves credit
 * to an invoice, so only its entry on the invoice is posted, with both sides.
 */
export const buildLedgerPostingsSql = (
  scope: ReportScope,
  categories: ProductCategories,
  where: RawBuilder<boolean> = sql<boolean>`true`,
) => sql`
  with entries as (
    select e.id, e.order_id, e.invoice_id, e.kind, e.amount, e.source_id, e.at,
      case when e.kind in ('invoice', 'credit_note') then min(e.id) over (partition by e.kind, e.source_id) else e.id end as entry
    from ledger_entries e where ${buildReportRowCondition(scope, 'e')} and ${where}),
  sides as (
    select e.entry, case when e.invoice_id is null then 'customer-credit' else 'receivable' end as account, e.amount
    from entries e where e.kind <> 'transfer' or e.invoice_id is not null
    union all
    select e.entry, 'customer-credit', -e.amount from entries e where e.kind = 'transfer' and e.invoice_id is not null
    union all
    select e.entry, s.account, -s.amount
    from entries e join order_lines l on ${buildEventRowCondition(scope, 'l')} and l.invoice_id = e.source_id
    left join order_lines r on ${buildSameEventCondition('r', 'l')} and r.id = l.reverses_line_id
    left join jsonb_to_recordset(${JSON.stringify(categories)}::jsonb) as c (code text, category text) on c.code = l.product_code
    cross join lateral (select case when l.kind = 'credit' and l.product_code is null then r.kind when l.kind = 'credit' then 'sale' else l.kind end as sold) k
    cross join lateral (values
      (case k.sold when 'fee' then 'revenue:fee' when 'deposit' then 'deposits' else 'revenue:' || coalesce(c.category, 'other') end, l.net),
      ('tax:' || coalesce(l.tax_code, 'none'), l.tax)) as s (account, amount)
    where e.kind in ('invoice', 'credit_note') and e.id = e.entry
    union all
    select e.entry, 'cash:' || p.method, -e.amount from entries e join payments p on ${buildEventRowCondition(scope, 'p')} and p.id = e.source_id where e.kind = 'payment'
    union all
    select e.entry, 'cash:' || p.method, -e.amount
    from entries e join payment_reversals v on ${buildEventRowCondition(scope, 'v')} and v.id = e.source_id join payments p on ${buildSameEventCondition('p', 'v')} and p.id = v.payment_id
    where e.kind = 'payment_reversal'
    union all
    select e.entry, 'cash:' || f.method, -e.amount from entries e join refunds f on ${buildEventRowCondition(scope, 'f')} and f.id = e.source_id where e.kind = 'refund'
    union all
    select e.entry, 'bad-debt', -e.amount from entries e where e.kind in ('write_off', 'write_off_reversal')),
  postings as (select s.entry, s.account, sum(s.amount)::bigint as amount from sides s group by 1, 2 having sum(s.amount) <> 0)
  select p.entry, e.at, e.kind, p.account, case when p.amount > 0 then p.amount end as debit, case when p.amount < 0 then -p.amount end as credit,
    coalesce(d.number, y.receipt_number, f.receipt_number, v.receipt_number, i.number) as document, o.number as order_number
  from postings p join entries e on e.id = p.entry
  join orders o on ${buildEventRowCondition(scope, 'o')} and o.id = e.order_id
  left join invoices d on ${buildEventRowCondition(scope, 'd')} and d.id = e.source_id and e.kind in ('invoice', 'credit_note')
  left join invoices i on ${buildEventRowCondition(scope, 'i')} and i.id = e.invoice_id
  left join payments y on ${buildEventRowCondition(scope, 'y')} and y.id = e.source_id and e.kind = 'payment'
  left join refunds f on ${buildEventRowCondition(scope, 'f')} and f.id = e.source_id and e.kind = 'refund'
  left join payment_reversals v on ${buildEventRowCondition(scope, 'v')} and v.id = e.source_id and e.kind = 'payment_reversal'`
