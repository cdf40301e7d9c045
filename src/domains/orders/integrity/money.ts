import { sql } from 'kysely'
import type { IntegrityCheck } from './check.ts'

/** Rule I3 of the specification: an invoice's balance is never negative and equals the sum of its ledger entries. */
const invoiceBalances: IntegrityCheck = {
  id: 'I3',
  findViolations: (at) => sql`
    select 'invoice ' || i.number as sample from invoices i
    left join (select l.invoice_id, sum(l.amount) as amount from ledger_entries l where ${at('l')} group by 1) e on e.invoice_id = i.id
    where ${at('i')} and not i.is_test_data and (i.balance < 0 or i.balance <> coalesce(e.amount, 0)
      or i.kind = 'invoice' and i.balance <> i.total - i.paid - i.credited - i.written_off)`,
}

/**
 * Rule I4 of the specification: an order's credit is never negative; its balance equals its invoices' balances less its credit, and the sum
 * of its ledger entries.
 */
const orderBalances: IntegrityCheck = {
  id: 'I4',
  findViolations: (at) => sql`
    select 'order ' || o.number as sample from orders o
    left join (
      select l.order_id, sum(l.amount) as amount, coalesce(sum(l.amount) filter (where l.invoice_id is null), 0) as unapplied,
        -coalesce(sum(l.amount) filter (where l.kind in ('payment', 'payment_reversal', 'refund')), 0) as paid,
        coalesce(sum(l.amount) filter (where l.kind = 'transfer'), 0) as transferred
      from ledger_entries l where ${at('l')} group by 1) e on e.order_id = o.id
    left join (select i.order_id, sum(i.balance) as balance from invoices i where ${at('i')} group by 1) i on i.order_id = o.id
    where ${at('o')} and not o.is_test_data and (o.unapplied > 0 or o.balance <> coalesce(i.balance, 0) + o.unapplied
      or o.balance <> coalesce(e.amount, 0) or o.unapplied <> coalesce(e.unapplied, 0) or o.paid <> coalesce(e.paid, 0) or e.transferred <> 0)`,
}

/**
 * Rule I5 of the specification: financial records are immutable. The amount of every invoice, payment, refund, reversal and write-off
 * equals its ledger entries, and the triggers that enforce this are enabled.
 */
const recordsAreImmutable: IntegrityCheck = {
  id: 'I5',
  findViolations: (at) => sql`
    select coalesce(s.what || ' ' || s.id, 'entry ' || e.kind || ' of ' || e.source_id) as sample
    from (
      select 'payment' as what, p.id, 'payment' as kind, -p.amount as amount from payments p where ${at('p')} and not p.is_test_data
      union all select 'refund', r.id, 'refund', r.amount from refunds r where ${at('r')} and not r.is_test_data
      union all select 'reversal', r.id, 'payment_reversal', r.amount from payment_reversals r where ${at('r')} and not r.is_test_data
      union all select 'write-off', w.id, 'write_off', -w.amount from write_offs w where ${at('w')} and not w.is_test_data
      union all select 'invoice', i.id, i.kind, case i.kind when 'invoice' then i.total else -i.total end
        from invoices i where ${at('i')} and not i.is_test_data) s
    full join (
      select l.source_id, l.kind, sum(l.amount) as amount from ledger_entries l
      where ${at('l')} and not l.is_test_data and l.kind not in ('transfer', 'write_off_reversal') group by 1, 2) e
      on e.source_id = s.id and e.kind = s.kind
    where s.amount is distinct from e.amount
    union all
    select 'write-off ' || l.source_id from ledger_entries l
    where ${at('l')} and not l.is_test_data and l.kind in ('write_off', 'write_off_reversal') group by l.source_id having sum(l.amount) > 0
    union all
    select 'trigger ' || k.name from (values ('ledger_entries_kept'), ('order_lines_kept'), ('payments_kept'), ('refunds_kept'),
      ('payment_reversals_kept'), ('write_offs_kept'), ('invoices_kept'), ('orders_kept')) as k(name)
    where not exists (select from pg_trigger g where g.tgname = k.name and g.tgenabled <> 'D')`,
}

/**
 * Rule I6 of the specification: numbers of orders, invoices, credit notes and receipts have no gaps, and the counters match the highest
 * numbers.
 */
const numbersWithoutGaps: IntegrityCheck = {
  id: 'I6',
  findViolations: (at) => sql`
    select 'series ' || coalesce(c.series, n.series) as sample
    from (select s.series, s.last from number_series s where ${at('s')} and s.series ~ '^(IMP-)?(R|INV|CN|RC)$') c
    full join (
      select u.origin || u.series as series, count(distinct u.number) as used, min(u.number) as first, max(u.number) as last, count(*) as rows
      from (
        select case when o.number like 'IMP-%' then 'IMP-' else '' end as origin, 'R' as series, split_part(o.number, '-', -1)::bigint as number
          from orders o where ${at('o')} and not o.is_test_data
        union all select case when i.number like 'IMP-%' then 'IMP-' else '' end, case i.kind when 'invoice' then 'INV' else 'CN' end,
          split_part(i.number, '-', -1)::bigint from invoices i where ${at('i')} and not i.is_test_data
        union all select case when r.number like 'IMP-%' then 'IMP-' else '' end, 'RC', split_part(r.number, '-', -1)::bigint from (
          select p.receipt_number as number from payments p where ${at('p')} and not p.is_test_data
          union select f.receipt_number from refunds f where ${at('f')} and not f.is_test_data
          union select v.receipt_number from payment_reversals v where ${at('v')} and not v.is_test_data) r) u
      group by 1) n on n.series = c.series
    where n.used is distinct from c.last or n.last is distinct from c.last or n.first is distinct from 1 or n.rows is distinct from n.used`,
}

/**
 * Rule I7 of the specification: an order line is net plus tax; orders, invoices and credit notes equal the sum of their lines; every line
 * with an amount is on an invoice of its own order.
 */
const sumsOfLines: IntegrityCheck = {
  id: 'I7',
  findViolations: (at) => sql`
    select 'line ' || l.id as sample from order_lines l
    left join invoices i on i.tenant_id = l.tenant_id and i.event_id = l.event_id and i.id = l.invoice_id
    where ${at('l')} and not l.is_test_data
      and (l.total <> l.net + l.tax or l.total <> 0 and i.id is null or i.order_id <> l.order_id or (i.kind = 'credit_note') <> (l.kind = 'credit'))
    union all
    select 'order ' || o.number from orders o
    left join (
      select l.order_id, sum(l.total) as total, sum(l.quantity) filter (where l.product_code is not null) as units
      from order_lines l where ${at('l')} group by 1) l on l.order_id = o.id
    where ${at('o')} and not o.is_test_data and (o.total <> coalesce(l.total, 0) or o.units <> coalesce(l.units, 0))
    union all
    select 'invoice ' || i.number from invoices i
    left join (
      select l.invoice_id, sum(l.net) as net, sum(l.tax) as tax, sum(l.total) as total
      from order_lines l where ${at('l')} and l.invoice_id is not null group by 1) l on l.invoice_id = i.id
    where ${at('i')} and not i.is_test_data and (i.total <> i.net + i.tax
      or (i.net, i.tax, i.total) is distinct from (case i.kind when 'invoice' then 1 else -1 end * l.net,
        case i.kind when 'invoice' then 1 else -1 end * l.tax, case i.kind when 'invoice' then 1 else -1 end * l.total))`,
}

/** Rule I8 of the specification: each card charge has at most one payment. */
const onePaymentPerCharge: IntegrityCheck = {
  id: 'I8',
  findViolations: (at) => sql`
    select 'payment ' || min(p.id) as sample from payments p
    where ${at('p')} and not p.is_test_data and p.provider_ref is not null group by p.provider, p.provider_ref having count(*) > 1`,
}

/**
 * Rule I9 of the specification: refunds and reversals never exceed the payment, and a refund never exceeded the order's credit at that
 * moment.
 */
const returnsWithinPayment: IntegrityCheck = {
  id: 'I9',
  findViolations: (at) => sql`
    select 'payment ' || p.id as sample from payments p
    left join (
      select r.payment_id, sum(r.amount) as amount from (
        select f.payment_id, f.amount from refunds f where ${at('f')} and f.payment_id is not null
        union all select v.payment_id, v.amount from payment_reversals v where ${at('v')}) r group by 1) r on r.payment_id = p.id
    where ${at('p')} and not p.is_test_data and (p.returned <> coalesce(r.amount, 0) or p.returned > p.amount)
    union all
    select distinct 'order ' || c.order_id from (
      select l.order_id, sum(l.amount) over (partition by l.order_id order by l.id) as credit from ledger_entries l
      where ${at('l')} and not l.is_test_data and l.invoice_id is null) c
    where c.credit > 0`,
}

export const MONEY_INTEGRITY_CHECKS: readonly IntegrityCheck[] = [
  invoiceBalances,
  orderBalances,
  recordsAreImmutable,
  numbersWithoutGaps,
  sumsOfLines,
  onePaymentPerCharge,
  returnsWithinPayment,
]
