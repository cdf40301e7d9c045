import { sql } from 'kysely'
import { buildPolygonAreaSql } from '../../figures/dictionary/exhibitors.ts'
import {
  choiceColumn,
  codeColumn,
  countryColumn,
  dayColumn,
  decimalColumn,
  instantColumn,
  integerColumn,
  moneyColumn,
  percentColumn,
  textColumn,
} from './columns.ts'
import { buildReportRowCondition, buildLocalDaySql, buildEventRowCondition, buildSameEventCondition } from './conditions.ts'
import { defineReport, defineSumEqualsMetricCheck } from './define.ts'
import { readEntityTable } from './query-table.ts'
import type { StandardReport } from './types.ts'

const exhibitors = { category: 'exhibitors', needs: 'exhibitors.read' } as const

const companyColumns = [
  codeColumn('code', 'Code'),
  textColumn('name', 'Name'),
  choiceColumn('status', 'Status'),
  countryColumn('country', 'Country'),
  integerColumn('booths', 'Booths'),
  decimalColumn('areaM2', 'Area in m²'),
  codeColumn('sponsorLevel', 'Sponsor level'),
  textColumn('contact', 'Contact', 'identity'),
  textColumn('contactEmail', 'Email', 'identity'),
  textColumn('contactPhone', 'Phone', 'personal'),
]

const companies = defineReport({
  ...exhibitors,
  code: 'exhibitor-list',
  name: 'Exhibitor list',
  description: 'Every exhibiting company with status, booths, area, sponsor level, contact, staff and licences.',
  tables: [
    {
      columns: [...companyColumns, integerColumn('staff', 'Staff'), integerColumn('licences', 'Licences')],
      totals: ['booths', 'areaM2', 'staff', 'licences'],
      async read(scope) {
        const { db } = scope.snapshot
        const { rows } = await sql<{ code: string; staff: number; licences: number }>`
          select c.code, (select count(*)::int from exhibitor_staff s where ${buildSameEventCondition('s', 'c')} and s.company_id = c.id and s.status <> 'removed') as staff,
            (select count(*)::int from lead_licences l where ${buildSameEventCondition('l', 'c')} and l.company_id = c.id and l.status = 'active') as licences
          from companies c where ${buildReportRowCondition(scope, 'c')}`.execute(db)
        const counts = new Map(rows.map((row) => [row.code, row]))
        const { rows: listed } = readEntityTable(scope, companyColumns, {
          entity: 'company',
          paths: {
            ...Object.fromEntries(companyColumns.map(({ name }) => [name, name])),
            contact: 'contactName',
          },
          orderBy: ['name', 'code'],
        })
        return { rows: addCounts(listed as AsyncIterable<Record<string, never>>, counts) }
      },
    },
  ],
})

async function* addCounts(rows: AsyncIterable<Record<string, never>>, counts: ReadonlyMap<string, { staff: number; licences: number }>) {
  for await (const row of rows) {
    const { staff, licences } = counts.get(String(row['code']))!
    yield { ...row, staff, licences }
  }
}

const statement = defineReport({
  category: 'exhibitors',
  needs: ['exhibitors.read', 'registration.read'],
  code: 'exhibitor-statement',
  name: 'Exhibitor statement',
  description: 'Charges, credits and payments of each company in order, with the running balance.',
  parameters: [{ name: 'companyCode', type: 'code', label: 'Company', required: false }],
  tables: [
    {
      columns: [
        codeColumn('company', 'Company'),
        dayColumn('date', 'Date'),
        codeColumn('number', 'Number'),
        textColumn('description', 'Description'),
        moneyColumn('charge', 'Charge'),
        moneyColumn('payment', 'Payment'),
        moneyColumn('balance', 'Balance'),
      ],
      totals: ['charge', 'payment'],
      checks: [
        {
          name: 'end balance = balance of the orders of companies',
          async holds({ charge, payment }, scope) {
            const { rows } = await sql<{ balance: number }>`
              select coalesce(sum(o.balance), 0)::bigint as balance from orders o join companies c on ${buildSameEventCondition('c', 'o')} and c.id = o.company_id
              where ${buildReportRowCondition(scope, 'o')} and c.code = coalesce(${scope.values['companyCode'] ?? null}::text, c.code)`.execute(
              scope.snapshot.db,
            )
            return charge! - payment! === Number(rows[0]!.balance)
          },
        },
      ],
      read: (scope) => ({
        statement: sql`
          select c.code as company, ${buildLocalDaySql(scope, sql`e.at`)} as date, coalesce(d.number, y.receipt_number, f.receipt_number, v.receipt_number, i.number) as number,
            case e.kind when 'invoice' then 'Invoice' when 'credit_note' then 'Credit note' when 'payment' then 'Payment' when 'refund' then 'Refund'
              when 'payment_reversal' then 'Payment reversal' when 'write_off' then 'Write-off' else 'Write-off reversed' end as description,
            case when e.kind in ('invoice', 'refund', 'payment_reversal', 'write_off_reversal') then e.amount end as charge,
            case when e.kind in ('credit_note', 'payment', 'write_off') then -e.amount end as payment,
            sum(e.amount) over (partition by c.id order by e.at, e.id)::bigint as balance
          from (select c.tenant_id, c.event_id, c.id as company_id, e.kind, e.source_id, min(e.at) as at, min(e.id) as id, sum(e.amount)::bigint as amount,
              min(e.invoice_id) as invoice_id
            from companies c join orders o on ${buildSameEventCondition('o', 'c')} and o.company_id = c.id
            join ledger_entries e on ${buildSameEventCondition('e', 'o')} and e.order_id = o.id and e.kind <> 'transfer'
            where ${buildReportRowCondition(scope, 'o')} and c.code = coalesce(${scope.values['companyCode'] ?? null}::text, c.code)
            group by c.tenant_id, c.event_id, c.id, e.kind, e.source_id) e
          join companies c on ${buildSameEventCondition('c', 'e')} and c.id = e.company_id
          left join invoices d on ${buildSameEventCondition('d', 'e')} and d.id = e.source_id left join invoices i on ${buildSameEventCondition('i', 'e')} and i.id = e.invoice_id
          left join payments y on ${buildSameEventCondition('y', 'e')} and y.id = e.source_id left join refunds f on ${buildSameEventCondition('f', 'e')} and f.id = e.source_id
          left join payment_reversals v on ${buildSameEventCondition('v', 'e')} and v.id = e.source_id
          order by c.code, e.at, e.id`,
      }),
    },
  ],
})

const booths = defineReport({
  ...exhibitors,
  code: 'booth-sales',
  name: 'Booth sales',
  description: 'Booths for sale, sold and held of each floor plan and size, the area sold and what it brought in.',
  tables: [
    {
      columns: [
        codeColumn('floorPlan', 'Floor plan'),
        codeColumn('size', 'Size'),
        integerColumn('forSale', 'For sale'),
        integerColumn('sold', 'Sold'),
        integerColumn('held', 'Held'),
        decimalColumn('areaSold', 'Area sold in m²'),
        percentColumn('areaPercent', 'Area sold in percent'),
        moneyColumn('revenue', 'Revenue'),
      ],
      totals: ['forSale', 'sold', 'held', 'areaSold', 'revenue'],
      checks: [defineSumEqualsMetricCheck('areaSold', 'exhibitors.areaSold'), defineSumEqualsMetricCheck('sold', 'exhibitors.boothsSold')],
      read: (scope) =>
        scope.isTestData
          ? { rows: [] }
          : {
              statement: sql`
                with booth as (select b.id, f.code as plan, b.size_code, b.status, ${sql.raw(buildPolygonAreaSql('b.polygon'))} as area,
                    (select coalesce(sum(l.net), 0) from booth_assignments a join order_lines l on ${buildSameEventCondition('l', 'a')} and l.id = any(a.order_line_ids)
                      where ${buildSameEventCondition('a', 'b')} and a.booth_id = b.id and a.until is null) as revenue
                  from booths b join floor_plans f on ${buildSameEventCondition('f', 'b')} and f.id = b.floor_plan_id
                  where ${buildEventRowCondition(scope, 'b')} and b.status not in ('blocked', 'merged'))
                select b.plan as "floorPlan", b.size_code as size, count(*) filter (where b.status = 'available')::int as "forSale",
                  count(*) filter (where b.status = 'assigned')::int as sold, count(*) filter (where b.status = 'held')::int as held,
                  coalesce(sum(b.area) filter (where b.status = 'assigned'), 0) as "areaSold",
                  100.0 * coalesce(sum(b.area) filter (where b.status = 'assigned'), 0) / nullif(sum(b.area), 0) as "areaPercent", sum(b.revenue)::bigint as revenue
                from booth b group by 1, 2 order by 1, 2 nulls last`,
            },
    },
  ],
})

const leads = defineReport({
  ...exhibitors,
  code: 'lead-counts',
  name: 'Lead counts',
  description: 'Leads and captures of each company, its devices, and its first and last capture.',
  tables: [
    {
      columns: [
        codeColumn('company', 'Company'),
        textColumn('name', 'Name'),
        integerColumn('leads', 'Leads'),
        integerColumn('captures', 'Captures'),
        integerColumn('devices', 'Devices'),
        instantColumn('firstCapture', 'First capture'),
        instantColumn('lastCapture', 'Last capture'),
      ],
      totals: ['leads', 'captures', 'devices'],
      checks: [defineSumEqualsMetricCheck('leads', 'leads.leads'), defineSumEqualsMetricCheck('captures', 'leads.captures')],
      read: (scope) => ({
        statement: sql`
          select c.code as company, c.name, coalesce(l.leads, 0)::int as leads, coalesce(l.captures, 0)::int as captures,
            (select count(*)::int from lead_devices d where ${buildSameEventCondition('d', 'c')} and d.company_id = c.id and d.status = 'active' and not ${scope.isTestData}) as devices,
            l.first as "firstCapture", l.last as "lastCapture"
          from companies c left join (select l.company_id, count(*) as leads, sum(l.captures) as captures, min(l.first_captured_at) as first, max(l.last_captured_at) as last
            from leads l where ${buildReportRowCondition(scope, 'l')} and l.status = 'active' group by 1) l on l.company_id = c.id
          where ${buildEventRowCondition(scope, 'c')} and (l.company_id is not null or (c.is_test_data = ${scope.isTestData} and c.status = 'active'))
          order by coalesce(l.captures, 0) desc, c.name, c.code`,
      }),
    },
  ],
})

const appointments = defineReport({
  ...exhibitors,
  code: 'appointments',
  name: 'Appointments',
  description: 'Offered, booked, cancelled and held appointments of each company, and how full its slots are.',
  tables: [
    {
      columns: [
        codeColumn('company', 'Company'),
        textColumn('name', 'Name'),
        integerColumn('slots', 'Offered slots'),
        integerColumn('booked', 'Booked'),
        integerColumn('cancelled', 'Cancelled'),
        integerColumn('held', 'Held'),
        percentColumn('fill', 'Fill'),
      ],
      totals: ['slots', 'booked', 'cancelled', 'held'],
      read: (scope) => ({
        statement: sql`
          select c.code as company, c.name, coalesce(f.slots, 0)::int as slots, coalesce(a.booked, 0)::int as booked, coalesce(a.cancelled, 0)::int as cancelled,
            coalesce(a.held, 0)::int as held, 100.0 * coalesce(f.taken, 0) / nullif(f.slots, 0) as fill
          from companies c
          left join (select o.company_id, sum(o.capacity) as slots, sum(o.booked) as taken from offerings o where ${buildReportRowCondition(scope, 'o')} and o.removed_at is null group by 1) f
            on f.company_id = c.id
          left join (select a.company_id, count(*) filter (where a.status in ('booked', 'completed', 'no_show')) as booked, count(*) filter (where a.status = 'cancelled') as cancelled,
              count(*) filter (where a.status = 'completed') as held
            from appointments a where ${buildReportRowCondition(scope, 'a')} and a.company_id is not null group by 1) a on a.company_id = c.id
          where ${buildEventRowCondition(scope, 'c')} and (f.slots is not null or a.company_id is not null) order by c.name, c.code`,
      }),
    },
  ],
})

export const EXHIBITOR_REPORTS: readonly StandardReport[] = [companies, statement, booths, leads, appointments]
