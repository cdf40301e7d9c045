import { availableParallelism } from 'node:os'
import type { Pool } from '../../src/kernel/ports.ts'
import { scaleRows } from '../size.ts'

interface Target {
  tenantId: number
  /** The ids of the events. The first one is the large event. */
  eventIds: readonly string[]
  /** The number of participants of the large event, and of all events. */
  large?: number
  all?: number
  /** How many of the large event's first participants have orders. The digits of order numbers limit them. */
  ordering?: number
  /** The number of lines of each order, at most 4. */
  lines?: number
  /** Whether participants have a country, a job title and an answer to the question `trade`, so that there are many kinds of people. */
  answers?: boolean
}

// Default values that need a function call are written as subqueries, which run once per statement instead of once per row.
const PEOPLE = `
insert into participants (tenant_id, event_id, id, status, first_name, last_name, email, company, flow_slug, source, tags, confirmation_number, badge_id,
  completed_at, cancelled_at, created_at, country, job_title, custom_field_responses, updated_at, stamped_by)
select $1, case when n <= $3 then ($2::text[])[1] else ($2::text[])[2 + n % (cardinality($2::text[]) - 1)] end, lpad(to_hex(n), 24, '0'),
  case when n % 20 < 16 then 'complete' when n % 20 = 16 then 'cancelled' when n % 20 = 17 then 'waitlisted' else 'incomplete' end,
  (array['Anna','Jürgen','Marie','Chidi','Wei','Sofia','Olu','Petra','Liam','Yuki'])[1 + n % 10],
  (array['Müller','Okafor','Tanaka','García','Smith','Nowak','Rossi','Dubois','Kim','Larsen'])[1 + (n / 10) % 10] || ' ' || to_hex((n::bigint * 7919) % 100003),
  'person-' || n || '@mail' || n % 97 || '.example', 'Company ' || n % 5000,
  'flow-' || n % 30, (array['web','web','web','assistant','organizer','import','group'])[1 + n % 7],
  case when n % 500 = 0 then array['vip', 'member'] when n % 3 = 0 then array['member'] when n % 7 = 0 then array['press', 'member'] else '{}' end,
  case when n % 20 <= 16 then upper(lpad(to_hex(n), 10, 'X')) end, case when n % 20 <= 16 then lpad(to_hex(n), 16, 'g') end,
  case when n % 20 <= 16 then timestamptz '2026-05-01' + make_interval(mins => (n * 37) % 262144) end,
  case when n % 20 = 16 then timestamptz '2026-11-01' end,
  timestamptz '2026-05-01' + make_interval(mins => (n * 37) % 262144),
  case when $6 then (array['DE','DE','DE','FR','AT','GB','US','JP',null])[1 + (hashint4(n) & 65535) % 9] end,
  case when $6 then (array['Chief Executive','Sales Director','Marketing Manager','Software Engineer','Student','Researcher','Buyer'])[
    1 + (hashint4(n + 1) & 65535) % 7] || ' ' || n % 20000 end,
  case when $6 then jsonb_build_object('trade', 'c' || (hashint4(n + 2) & 65535) % 12) else '{}' end, (select lanyard_stamp()), (select lanyard_writer())
from generate_series($4::int, $5::int) n`

/** One order for each complete registration of the large event, and half of them paid. Lines differ in price; their sum does not. */
const ORDERS = `
insert into orders (tenant_id, event_id, id, number, participant_id, currency, total, paid, balance, units, created_at, updated_at, stamped_by)
select $1, $2, lpad(to_hex(n), 24, '0'), 'R-' || lpad(n::text, 6, '0'), lpad(to_hex(n), 24, '0'), 'EUR', $4 * 45000, case when n % 2 = 0 then $4 * 45000 else 0 end,
  case when n % 2 = 0 then 0 else $4 * 45000 end, 1, (select lanyard_now()), (select lanyard_stamp()), (select lanyard_writer())
from generate_series(1, $3::int) n where n % 20 < 16`
const INVOICES = `
insert into invoices (tenant_id, event_id, id, number, kind, order_id, is_test_data, due_on, bill_to, net, tax, total, paid, balance, status, issued_at)
select $1, $2, lpad(to_hex(n), 24, '0'), 'INV-2026-' || lpad(n::text, 6, '0'), 'invoice', lpad(to_hex(n), 24, '0'), false, '2027-01-01', '{}', $4 * 37500, $4 * 7500, $4 * 45000,
  case when n % 2 = 0 then $4 * 45000 else 0 end, case when n % 2 = 0 then 0 else $4 * 45000 end, case when n % 2 = 0 then 'paid' else 'open' end, (select lanyard_now())
from generate_series(1, $3::int) n where n % 20 < 16`
const LINES = `
insert into order_lines (tenant_id, event_id, id, order_id, position, is_test_data, kind, product_code, description, quantity, unit_price, list_amount,
  discount, net, tax, total, participant_id, priced_at, invoice_id, created_at)
select $1, $2, lpad(to_hex(n * 4 + p), 24, '0'), lpad(to_hex(n), 24, '0'), p, false, 'sale', 'product-' || (n * p) % 200, 'Something', 1, 37500 + v.more, 37500 + v.more,
  0, 37500 + v.more, 7500, 45000 + v.more, lpad(to_hex(n), 24, '0'), timestamptz '2026-05-01' + make_interval(mins => (n * 37) % 262144), lpad(to_hex(n), 24, '0'),
  (select lanyard_now())
from generate_series(1, $3::int) n cross join generate_series(1, $4::int) p
cross join lateral (select (case when p = 1 then 1 when p = 2 then -1 else 0 end) * (n % 997) * 10 as more) v where n % 20 < 16`
const ENTRIES = `
insert into ledger_entries (tenant_id, event_id, order_id, invoice_id, is_test_data, kind, amount, source_id, at, by)
select $1, $2, lpad(to_hex(n), 24, '0'), lpad(to_hex(n), 24, '0'), false, k.kind, k.sign * $4 * 45000, lpad(to_hex(n), 24, '0'),
  timestamptz '2026-05-01' + make_interval(mins => (n * 37) % 262144), 'bench'
from generate_series(1, $3::int) n cross join (values ('invoice', 1), ('payment', -1)) k(kind, sign)
where n % 20 < 16 and (k.kind = 'invoice' or n % 2 = 0)`

const SERIES = `
insert into number_series (tenant_id, event_id, series, last) select $1, $2, series, $3::int from unnest('{R,INV}'::text[]) series`

/** Fills the counter tables as the triggers would. No order line is a credit. */
const FIGURES = `
insert into people_figures (tenant_id, event_id, is_test_data, status, flow_slug, source, tags, people)
select p.tenant_id, p.event_id, p.is_test_data, p.status, p.flow_slug, p.source, p.tags, count(*) from participants p group by 1, 2, 3, 4, 5, 6, 7;
insert into money_figures (tenant_id, event_id, is_test_data, origin, kind, product_code, unapplied, list_amount, discount, net, tax, total)
select l.tenant_id, l.event_id, l.is_test_data, 'line', l.kind, l.product_code, false, sum(l.list_amount), sum(l.discount), sum(l.net), sum(l.tax), sum(l.total)
from order_lines l group by 1, 2, 3, 5, 6
union all
select e.tenant_id, e.event_id, e.is_test_data, 'entry', e.kind, null, e.invoice_id is null, 0, 0, 0, 0, sum(e.amount)
from ledger_entries e group by 1, 2, 3, 5, 7`

/** Runs statements on one connection, which has no time limit and runs no triggers. Foreign keys are not checked, so tables can be filled in any order. */
export type RunLoadStatement = (text: string, values?: readonly unknown[]) => Promise<unknown>

export async function runLoading(pool: Pool, load: (run: RunLoadStatement) => Promise<unknown>): Promise<void> {
  const connection = await pool.connect()
  const run: RunLoadStatement = (text, values) => connection.query(text, values)
  try {
    await run(`set statement_timeout = 0; set session_replication_role = replica; set maintenance_work_mem = '512MB'`)
    await load(run)
  } finally {
    // The connection has no statement timeout, so it is not returned to the pool.
    connection.release(true)
  }
}

/**
 * Fills a table without maintaining its indexes, and builds them afterwards, which is several times faster. The catalog says that the
 * indexes are not ready, because indexes of constraints cannot be dropped.
 */
export const fillTable = (pool: Pool, table: string, load: (run: RunLoadStatement) => Promise<unknown>): Promise<void> =>
  runLoading(pool, async (run) => {
    await run('update pg_index set indisready = false, indisvalid = false where indrelid = $1::regclass', [table])
    await load(run)
    await run(`reindex table ${table}`)
    // Without statistics the planner would choose sequential scans.
    await run(`vacuum analyze ${table}`)
  })

/** Runs the functions that load data concurrently: as many at a time as there are cores, and at least two. */
export async function runConcurrently(loads: readonly (() => Promise<unknown>)[]): Promise<void> {
  const waiting = [...loads]
  const takeAll = async () => {
    for (let load = waiting.shift(); load; load = waiting.shift()) await load()
  }
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, takeAll))
}

/**
 * Inserts a million participants at all events without the checks of single registrations. The rows are those of individual registrations.
 * `loads` are functions that fill other tables at the same time; `loadEntries` adds further ledger entries.
 */
export async function loadRegistrations(
  pool: Pool,
  { tenantId, eventIds, large = scaleRows(120_000), all = scaleRows(1_000_000, 400), ordering = large, lines = 2, answers = false }: Target,
  {
    loads = [],
    loadEntries,
  }: { loads?: readonly (() => Promise<unknown>)[]; loadEntries?: (run: RunLoadStatement) => Promise<unknown> } = {},
): Promise<void> {
  const [eventId] = eventIds
  const ordered = [tenantId, eventId, ordering, lines]
  const insert = (statement: string) => (run: RunLoadStatement) => run(statement, ordered)
  // The largest tables are loaded first, so that no connection is still busy with one when the others have ended.
  await runConcurrently([
    () =>
      fillTable(pool, 'ledger_entries', async (run) => {
        await run(ENTRIES, ordered)
        await loadEntries?.(run)
      }),
    () => fillTable(pool, 'order_lines', insert(LINES)),
    () =>
      fillTable(pool, 'participants', async (run) => {
        for (let from = 1; from <= all; from += 50_000)
          await run(PEOPLE, [tenantId, eventIds, large, from, Math.min(all, from + 49_999), answers])
      }),
    () => fillTable(pool, 'invoices', insert(INVOICES)),
    () => fillTable(pool, 'orders', insert(ORDERS)),
    ...loads,
  ])
  await runLoading(pool, async (run) => {
    await run(SERIES, [tenantId, eventId, ordering])
    await run(FIGURES)
    for (const table of ['people_figures', 'money_figures']) await run(`vacuum analyze ${table}`)
  })
}
