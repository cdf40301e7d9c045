import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import type { ParticipantStatus, REGISTRATION_SOURCES } from '../tables.ts'

/** The number of participants with the same status, flow and source. */
export interface ParticipantCount {
  status: ParticipantStatus
  flowSlug: string | null
  source: (typeof REGISTRATION_SOURCES)[number]
  count: number
}

export interface OrderLineTotals {
  kind: 'sale' | 'fee' | 'deposit'
  productCode: string | null
  list: number
  discount: number
  net: number
  tax: number
  total: number
}

export interface RegistrationSummaryFigures {
  asOf: Date
  people: ParticipantCount[]
  /** The number of guests with a complete registration. */
  guests: number
  /** The number of cancelled registrations that were transferred to another person. */
  substituted: number
  tags: { tag: string; status: ParticipantStatus; count: number }[]
  /** The days on which a registration was completed, or a completed registration was cancelled. */
  days: { day: string; completed: number; cancelled: number }[]
  lines: OrderLineTotals[]
  entries: { kind: string; unapplied: boolean; amount: number }[]
  stock: { key: string; capacity: number | null; overage: number; held: number; sold: number }[]
  waitlist: { target: string; status: 'waiting' | 'offered'; count: number }[]
  other: { then: number; final: number } | null
  /** The number of participants and the totals of their own orders by country; null unless requested. */
  countries: { country: string | null; status: ParticipantStatus; count: number; ordered: number; balance: number }[] | null
}

export interface RegistrationSummaryFilter {
  flowSlug: string | null
  includeTestData: boolean
  byCountry: boolean
  /** The event to compare with, and the time until which its completed registrations count. */
  other: { eventId: string; until: Date } | null
}

/**
 * Reads all registration figures of an event in one statement, so that they are consistent. Counts and amounts are read from tables with
 * running totals (`people_figures`, `money_figures`), and figures per day from index ranges. Only the amounts of a single flow are summed
 * from its rows.
 */
export async function readRegistrationSummaryFigures(
  ctx: EventContext,
  { flowSlug, includeTestData, byCountry, other }: RegistrationSummaryFilter,
): Promise<RegistrationSummaryFigures> {
  const counted: Alias = (alias, eventId = ctx.event.id) => {
    const of = sql.raw(alias)
    const real = includeTestData ? sql`${of}.is_test_data = any('{f,t}'::boolean[])` : sql`not ${of}.is_test_data`
    return sql<boolean>`${of}.tenant_id = ${ctx.tenantId} and ${of}.event_id = ${eventId} and ${real}`
  }
  const inFlow: Alias = (alias) => (flowSlug === null ? sql<boolean>`true` : sql<boolean>`${sql.raw(alias)}.flow_slug = ${flowSlug}`)
  const people = sql<boolean>`${counted('p')} and ${inFlow('p')}`
  const { rows } = await sql<RegistrationSummaryFigures>`
    with alike as materialized (
      select f.status, f.flow_slug, f.source, f.tags, sum(f.people) as count from people_figures f where ${counted('f')} and ${inFlow('f')}
      group by f.status, f.flow_slug, f.source, f.tags having sum(f.people) <> 0),
    money as materialized (${flowSlug === null ? buildMoneyQuery(counted) : buildOrderMoneyQuery(counted, buildOrdersQuery(people))})
    select lanyard_now() as "asOf",
      coalesce((select json_agg(g) from (
        select status, flow_slug as "flowSlug", source, sum(count)::int as count from alike group by 1, 2, 3) g), '[]') as people,
      coalesce((select json_agg(t) from (
        select tag, a.status, sum(a.count)::int as count from alike a cross join unnest(a.tags) as tag group by 1, 2) t), '[]') as tags,
      (select count(*) from participants p where ${people} and p.host_id is not null and p.status = 'complete') as guests,
      (select count(*) from participants p where ${people} and p.substituted_by_id is not null and p.status = 'cancelled') as substituted,
      coalesce((select json_agg(d order by d.day) from (${buildDayQuery(people, ctx.event.timezone)}) d), '[]') as days,
      coalesce((select json_agg(l) from (
        select m.product_code as "productCode", m.kind, sum(m.list_amount)::bigint as list, sum(m.discount)::bigint as discount, sum(m.net)::bigint as net,
          sum(m.tax)::bigint as tax, sum(m.total)::bigint as total
        from money m where m.origin = 'line' group by m.product_code, m.kind) l), '[]') as lines,
      coalesce((select json_agg(e) from (
        select m.kind, m.unapplied, sum(m.total)::bigint as amount from money m where m.origin = 'entry' group by m.kind, m.unapplied) e), '[]') as entries,
      coalesce((select json_agg(i order by i.key) from (
        select i.key, i.capacity, i.overage, i.held, i.sold from inventory i where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id}
          and i.key like 'product:%') i), '[]') as stock,
      coalesce((select json_agg(w) from (
        select w.target, w.status, count(*)::int as count from waitlist_entries w where ${counted('w')} and w.status in ('waiting', 'offered')
          and ${flowSlug === null ? sql`true` : sql`w.participant_id in (select p.id from participants p where ${people})`}
        group by w.target, w.status) w), '[]') as waitlist,
      ${byCountry ? sql`coalesce((select json_agg(c) from (${buildCountryQuery(people)}) c), '[]')` : sql`null::json`} as countries,
      ${other === null ? sql`null` : buildPaceQuery(counted('p', other.eventId), inFlow('p'), other.until)} as other`.execute(ctx.db)
  return rows[0]!
}

type Alias = (alias: string, eventId?: string) => RawBuilder<boolean>

/**
 * Builds the query of completed and cancelled registrations per day. Reading an index range per day is faster than computing the day of
 * every row.
 */
function buildDayQuery(people: RawBuilder<boolean>, timezone: string): RawBuilder<unknown> {
  const finished = sql`from participants p where ${people} and p.completed_at is not null and p.status in ('complete', 'cancelled')`
  const cancelled = sql`from participants p where ${people} and p.status = 'cancelled' and p.completed_at is not null`
  const day = (instant: RawBuilder<unknown>) => sql`((${instant}) at time zone ${timezone})::date`
  const during = (column: RawBuilder<unknown>) =>
    sql`${column} >= day.begins at time zone ${timezone} and ${column} < (day.begins + interval '1 day') at time zone ${timezone}`
  return sql`
    select day.begins::date as day, f.count as completed, c.count as cancelled
    from generate_series(
      least(${day(sql`select min(p.completed_at) ${finished}`)}, ${day(sql`select min(p.cancelled_at) ${cancelled}`)})::timestamp,
      greatest(${day(sql`select max(p.completed_at) ${finished}`)}, ${day(sql`select max(p.cancelled_at) ${cancelled}`)})::timestamp,
      interval '1 day') as day(begins)
    cross join lateral (select count(*) ${finished} and ${during(sql`p.completed_at`)}) f
    cross join lateral (select count(*) ${cancelled} and ${during(sql`p.cancelled_at`)}) c
    where f.count > 0 or c.count > 0`
}

const buildCountryQuery = (people: RawBuilder<boolean>) => sql`
  select p.country, p.status, count(*)::int as count, coalesce(sum(o.total), 0)::bigint as ordered, coalesce(sum(o.balance), 0)::bigint as balance
  from participants p left join orders o on o.tenant_id = p.tenant_id and o.event_id = p.event_id and o.participant_id = p.id
  where ${people} group by p.country, p.status`

const buildMoneyQuery = (counted: Alias) => sql`select f.* from money_figures f where ${counted('f')}`

/** Builds the query for the orders of the participants of one flow. */
const buildOrdersQuery = (people: RawBuilder<boolean>) => sql`
  select o.id from orders o join participants p on p.tenant_id = o.tenant_id and p.event_id = o.event_id and p.id = o.participant_id where ${people}`

/**
 * Builds the query that sums the money figures from order rows instead of the pre-aggregated table. A credit line without a product counts
 * as the kind of the line that it reverses: fee or deposit.
 */
const buildOrderMoneyQuery = (counted: Alias, orders: RawBuilder<unknown>) => sql`
  select 'line' as origin, case when l.kind <> 'credit' then l.kind when l.product_code is not null then 'sale' else r.kind end as kind, l.product_code,
    false as unapplied, l.list_amount, l.discount, l.net, l.tax, l.total
  from order_lines l left join order_lines r on r.tenant_id = l.tenant_id and r.event_id = l.event_id and r.id = l.reverses_line_id
  where ${counted('l')} and l.order_id in (${orders})
  union all
  select 'entry', e.kind, null, e.invoice_id is null, 0, 0, 0, 0, e.amount from ledger_entries e where ${counted('e')} and e.order_id in (${orders})`

const buildPaceQuery = (counted: RawBuilder<boolean>, inFlow: RawBuilder<boolean>, until: Date) => sql`(
  select json_build_object('final', count(*) filter (where p.status = 'complete'),
    'then', count(*) filter (where p.completed_at < ${until}::timestamptz)
      - count(*) filter (where p.completed_at is not null and p.cancelled_at < ${until}::timestamptz))
  from participants p where ${counted} and ${inFlow} and p.status in ('complete', 'cancelled'))`
