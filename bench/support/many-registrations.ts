import type { Pool } from '../../src/kernel/ports.ts'
import { scaled } from '../size.ts'

interface Target {
  tenantId: number
  /** The first one is the large event. */
  eventIds: readonly string[]
  /** Participants of the large event, and of all events. */
  large?: number
  all?: number
  /** How many of the large event's first participants have orders, limited by the digits of order numbers. */
  ordering?: number
}

const PEOPLE = `
insert into participants (tenant_id, event_id, id, status, first_name, last_name, email, company, flow_slug, source, tags, confirmation_number, badge_id,
  completed_at, cancelled_at, created_at)
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
  timestamptz '2026-05-01' + make_interval(mins => (n * 37) % 262144)
from generate_series($4::int, $5::int) n`

/** One order for each complete registration of the large event: a pass, for every other one a dinner, and half of them paid. */
const ORDERS = `
insert into orders (tenant_id, event_id, id, number, participant_id, currency, total, paid, balance, units)
select $1, $2, lpad(to_hex(n), 24, '0'), 'R-' || lpad(n::text, 6, '0'), lpad(to_hex(n), 24, '0'), 'EUR', 90000, case when n % 2 = 0 then 90000 else 0 end,
  case when n % 2 = 0 then 0 else 90000 end, 1
from generate_series(1, $3::int) n where n % 20 < 16`
const INVOICES = `
insert into invoices (tenant_id, event_id, id, number, kind, order_id, is_test_data, due_on, bill_to, net, tax, total, paid, balance, status)
select $1, $2, lpad(to_hex(n), 24, '0'), 'INV-2026-' || lpad(n::text, 6, '0'), 'invoice', lpad(to_hex(n), 24, '0'), false, '2027-01-01', '{}', 75000, 15000, 90000,
  case when n % 2 = 0 then 90000 else 0 end, case when n % 2 = 0 then 0 else 90000 end, case when n % 2 = 0 then 'paid' else 'open' end
from generate_series(1, $3::int) n where n % 20 < 16`
const LINES = `
insert into order_lines (tenant_id, event_id, id, order_id, position, is_test_data, kind, product_code, description, quantity, unit_price, list_amount,
  discount, net, tax, total, participant_id, priced_at, invoice_id)
select $1, $2, lpad(to_hex(n * 4 + p), 24, '0'), lpad(to_hex(n), 24, '0'), p, false, 'sale', 'product-' || (n * p) % 200, 'Something', 1, 37500, 37500, 0, 37500,
  7500, 45000, lpad(to_hex(n), 24, '0'), lanyard_now(), lpad(to_hex(n), 24, '0')
from generate_series(1, $3::int) n cross join generate_series(1, 2) p where n % 20 < 16`
const ENTRIES = `
insert into ledger_entries (tenant_id, event_id, order_id, invoice_id, is_test_data, kind, amount, source_id, by)
select $1, $2, lpad(to_hex(n), 24, '0'), lpad(to_hex(n), 24, '0'), false, k.kind, k.amount, lpad(to_hex(n), 24, '0'), 'bench'
from generate_series(1, $3::int) n cross join (values ('invoice', 90000), ('payment', -90000)) k(kind, amount)
where n % 20 < 16 and (k.kind = 'invoice' or n % 2 = 0)`

const SERIES = `
insert into number_series (tenant_id, event_id, series, last) select $1, $2, series, $3::int from unnest('{R,INV}'::text[]) series`

/** The counters as the triggers would have left them. */
const FIGURES = `
insert into people_figures (tenant_id, event_id, is_test_data, status, flow_slug, source, tags, people)
select e.tenant_id, e.id, f.* from events e cross join lateral people_figures_of(e.tenant_id, e.id) f;
insert into money_figures (tenant_id, event_id, is_test_data, origin, kind, product_code, unapplied, list_amount, discount, net, tax, total)
select e.tenant_id, e.id, f.* from events e cross join lateral money_figures_of(e.tenant_id, e.id) f`

const INDEXES = `
select c.relname as name, pg_get_indexdef(i.indexrelid) as made from pg_index i join pg_class c on c.oid = i.indexrelid
where i.indrelid = 'participants'::regclass and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`

/**
 * Inserts a million participants over all events without the checks of single registrations. The result equals that of individual
 * registrations.
 */
export async function loadRegistrations(
  pool: Pool,
  { tenantId, eventIds, large = scaled(120_000), all = scaled(1_000_000, 400), ordering = large }: Target,
): Promise<void> {
  const connection = await pool.connect()
  const run = (text: string, values?: readonly unknown[]) => connection.query(text, values)
  try {
    await run(`set statement_timeout = 0; set session_replication_role = replica; set maintenance_work_mem = '512MB'`)
    const { rows: indexes } = await connection.query<{ name: string; made: string }>(INDEXES)
    for (const { name } of indexes) await run(`drop index ${name}`)
    for (let from = 1; from <= all; from += 50_000) await run(PEOPLE, [tenantId, eventIds, large, from, Math.min(all, from + 49_999)])
    for (const { made } of indexes) await run(made)
    for (const statement of [ORDERS, INVOICES, LINES, ENTRIES, SERIES]) await run(statement, [tenantId, eventIds[0], ordering])
    // Without statistics the planner would choose sequential scans.
    for (const table of ['participants', 'orders', 'invoices', 'order_lines', 'ledger_entries']) await run(`vacuum analyze ${table}`)
    await run(FIGURES)
    for (const table of ['people_figures', 'money_figures']) await run(`vacuum analyze ${table}`)
    await run(`reset session_replication_role; reset maintenance_work_mem`)
  } finally {
    // The connection has no statement timeout, so it is not returned to the pool.
    connection.release(true)
  }
}
