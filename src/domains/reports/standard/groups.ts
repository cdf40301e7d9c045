import { sql } from 'kysely'
import { buildWaitDaysSql } from '../../figures/dictionary/people.ts'
import { choiceColumn, codeColumn, instantColumn, integerColumn, listColumn, moneyColumn, percentColumn, textColumn } from './columns.ts'
import {
  buildReportRowCondition,
  buildFullNameSql,
  buildEventRowCondition,
  buildParticipantCondition,
  buildSameEventCondition,
} from './conditions.ts'
import { readEventConfig } from './configuration.ts'
import { defineReport, PERSON_REPORT_PARAMETERS, defineSumEqualsMetricCheck } from './define.ts'
import type { StandardReport } from './types.ts'

const registration = { category: 'registration', needs: 'registration.read' } as const

const roster = defineReport({
  ...registration,
  code: 'group-roster',
  name: 'Group roster',
  description: 'The members of every group with their role, status, products and room.',
  parameters: [{ name: 'groupCode', type: 'code', label: 'Group', required: false }],
  tables: [
    {
      columns: [
        codeColumn('group', 'Group'),
        textColumn('name', 'Name', 'identity'),
        textColumn('email', 'Email', 'identity'),
        choiceColumn('role', 'Role'),
        choiceColumn('status', 'Status'),
        listColumn('products', 'Products'),
        textColumn('room', 'Room'),
      ],
      checks: [
        {
          name: 'members = memberCount of the groups',
          async holds(_, scope) {
            const { rows } = await sql<{ equal: boolean }>`
              select coalesce(bool_and(g.member_count = (select count(*) from participants p where ${buildSameEventCondition('p', 'g')} and p.group_id = g.id and p.status <> 'cancelled')), true) as equal
              from managed_groups g where ${buildReportRowCondition(scope, 'g')} and g.deleted_at is null`.execute(scope.snapshot.db)
            return rows[0]!.equal
          },
        },
      ],
      read: (scope) => ({
        statement: sql`
          select g.code as "group", ${buildFullNameSql('p')} as name, p.email, case when p.group_leader then 'leader' else 'member' end as role, p.status,
            coalesce(h.products, '{}') as products, r.room
          from managed_groups g join participants p on ${buildSameEventCondition('p', 'g')} and p.group_id = g.id and p.status <> 'cancelled'
          left join lateral (select array_agg(b.code order by b.code) as products from (select l.product_code as code from order_lines l
            where ${buildSameEventCondition('l', 'p')} and l.participant_id = p.id and l.product_code is not null group by 1 having sum(l.quantity) > 0) b) h on true
          left join lateral (select e.name || ', ' || s.room_type_code as room from reservations s join event_hotels e on ${buildSameEventCondition('e', 's')} and e.id = s.hotel_id
            where ${buildSameEventCondition('s', 'p')} and s.participant_id = p.id and s.status in ('held', 'confirmed', 'noShow') order by s.check_in, s.id limit 1) r on true
          where ${buildReportRowCondition(scope, 'g')} and g.deleted_at is null and g.code = coalesce(${scope.values['groupCode'] ?? null}::text, g.code)
          order by g.code, p.last_name, p.first_name, p.id`,
      }),
    },
  ],
})

const balances = defineReport({
  ...registration,
  code: 'group-balances',
  name: 'Group balances',
  description: 'What each group was invoiced and paid, what the group owes, and what its members owe on their own orders.',
  tables: [
    {
      columns: [
        codeColumn('group', 'Group'),
        textColumn('name', 'Name'),
        integerColumn('members', 'Members'),
        moneyColumn('invoiced', 'Invoiced'),
        moneyColumn('paid', 'Paid'),
        moneyColumn('groupBalance', 'Group balance'),
        moneyColumn('membersBalance', 'Members balance'),
      ],
      totals: ['members', 'invoiced', 'paid', 'groupBalance', 'membersBalance'],
      read: (scope) => ({
        statement: sql`
          select g.code as "group", g.name, g.member_count as members, coalesce(i.invoiced, 0) as invoiced, coalesce(o.paid, 0) as paid,
            coalesce(o.balance, 0) as "groupBalance", coalesce(m.balance, 0) as "membersBalance"
          from managed_groups g left join orders o on ${buildSameEventCondition('o', 'g')} and o.group_id = g.id
          left join lateral (select sum(n.total)::bigint as invoiced from invoices n where ${buildSameEventCondition('n', 'o')} and n.order_id = o.id and n.kind = 'invoice') i on true
          left join lateral (select sum(mo.balance)::bigint as balance from participants p join orders mo on ${buildSameEventCondition('mo', 'p')} and mo.participant_id = p.id
            where ${buildSameEventCondition('p', 'g')} and p.group_id = g.id) m on true
          where ${buildReportRowCondition(scope, 'g')} and g.deleted_at is null order by coalesce(o.balance, 0) desc, g.code`,
      }),
    },
  ],
})

const waitlists = defineReport({
  ...registration,
  code: 'waitlists',
  name: 'Waiting lists',
  description: 'The people on each waiting list: rank, since when they wait, and until when a seat is offered.',
  parameters: PERSON_REPORT_PARAMETERS,
  tables: [
    {
      columns: [
        codeColumn('target', 'Waiting for'),
        integerColumn('rank', 'Rank'),
        textColumn('name', 'Name', 'identity'),
        instantColumn('joined', 'Joined'),
        integerColumn('waitDays', 'Days waited'),
        choiceColumn('status', 'Status'),
        instantColumn('offeredUntil', 'Offered until'),
      ],
      checks: [
        {
          name: 'waiting and offered = entries',
          async holds(_, scope) {
            const { rows } = await sql<{
              equal: boolean
            }>`select not exists (select from waitlist_entries w left join participants p on ${buildSameEventCondition('p', 'w')} and p.id = w.participant_id
              where ${buildReportRowCondition(scope, 'w')} and w.status in ('waiting', 'offered') and p.id is null) as equal`.execute(
              scope.snapshot.db,
            )
            return rows[0]!.equal
          },
        },
      ],
      read: (scope) => ({
        statement: sql`
          select w.target, case when w.status = 'waiting' then w.rank end as rank, ${buildFullNameSql('p')} as name,
            w.joined_at as joined, ${sql.raw(buildWaitDaysSql('w'))} as "waitDays", w.status, w.offered_until as "offeredUntil"
          from (select e.*, rank() over (partition by e.target, e.status order by e.position)::int as rank from waitlist_entries e
            where ${buildReportRowCondition(scope, 'e')} and e.status in ('waiting', 'offered')) w
          join participants p on p.id = w.participant_id and ${buildParticipantCondition(scope, 'p', sql`w.joined_at`)} order by w.target, w.position`,
      }),
    },
  ],
})

const inventory = defineReport({
  ...registration,
  code: 'inventory',
  name: 'Inventory',
  description: 'Capacity, held, sold and available units of every product, how many people wait and how full it is.',
  tables: [
    {
      columns: [
        codeColumn('product', 'Product'),
        textColumn('name', 'Name'),
        integerColumn('capacity', 'Capacity'),
        integerColumn('overage', 'Overage'),
        integerColumn('held', 'Held'),
        integerColumn('sold', 'Sold'),
        integerColumn('available', 'Available'),
        integerColumn('waitlisted', 'Waitlisted'),
        percentColumn('fill', 'Fill'),
      ],
      totals: ['held', 'sold', 'waitlisted'],
      checks: [
        defineSumEqualsMetricCheck('sold', 'inventory.sold'),
        defineSumEqualsMetricCheck('held', 'inventory.held'),
        defineSumEqualsMetricCheck('waitlisted', 'inventory.waitlisted'),
      ],
      async read(scope) {
        const products = (await readEventConfig(scope)).products.map(({ code: of, name }, place) => ({ code: of, name, place }))
        return {
          statement: sql`
            select c.code as product, c.name, i.capacity, coalesce(i.overage, 0) as overage, coalesce(i.held, 0) as held, coalesce(i.sold, 0) as sold,
              i.capacity + i.overage - i.held - i.sold as available, coalesce(w.people, 0) as waitlisted,
              100.0 * (i.held + i.sold) / nullif(i.capacity + i.overage, 0) as fill
            from jsonb_to_recordset(${JSON.stringify(products)}::jsonb) as c (code text, name text, place int)
            left join inventory i on ${buildEventRowCondition(scope, 'i')} and i.key = 'product:' || c.code and not ${scope.isTestData}
            left join (select w.target, count(*)::int as people from waitlist_entries w where ${buildReportRowCondition(scope, 'w')} and w.status in ('waiting', 'offered') group by 1) w
              on w.target = 'product:' || c.code
            order by c.place`,
        }
      },
    },
  ],
})

export const GROUP_REPORTS: readonly StandardReport[] = [roster, balances, waitlists, inventory]
