import pg from 'pg'
import { JOB_DEFINITIONS } from '../../src/jobs.ts'
import { newId } from '../../src/kernel/ids.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { HEADER, libraryFile, person } from '../../src/toolsets/clients/tests/import-story.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../../test/support/sales-scenario.ts'
import { serveRequests } from '../child.ts'

const ROWS_PER_INSERT = 500

let desk: Promise<{ story: SalesScenario; bare: pg.Pool }> | null = null
let files = 0
let people = 0

async function openDesk() {
  const story = await openSalesScenario(WORKED_EXAMPLE)
  return { story, bare: new pg.Pool({ connectionString: story.world.url!, max: 1, idleTimeoutMillis: 0 }) }
}

/** Uploads a new file and maps its columns. The people in the file are not registered yet. */
async function setUp({ call, world, event }: SalesScenario, count: number): Promise<object> {
  const rows = Array.from({ length: count }, () => `${person(++people, { on: '2025-03-04', status: 'Confirmed' })},100.00`)
  const fileId = await libraryFile({ world, event }, [`${HEADER},Amount paid`, ...rows, ''].join('\n'), 'people.csv')
  const { setupId } = await call('setup_import_flow', { fileIds: [fileId], sourceSystem: `system-${++files}`, save: true })
  return { setupId, mode: 'live', withPayments: true, publish: true }
}

/** Inserts the same rows in one transaction, with one insert per table for 500 people, and does nothing else. */
async function write({ story: { event }, bare }: Awaited<ReturnType<typeof openDesk>>, count: number): Promise<void> {
  const connection = await bare.connect()
  try {
    await connection.query('begin')
    for (let from = 0; from < count; from += ROWS_PER_INSERT) {
      const ids = Array.from({ length: Math.min(ROWS_PER_INSERT, count - from) }, () => Array.from({ length: 6 }, () => newId()))
      const [participant, order, invoice, line, payment, contact] = [0, 1, 2, 3, 4, 5].map((at) => ids.map((one) => one[at]))
      const run = (name: string, text: string, lists: unknown[]) =>
        connection.query({ name, text, values: [event.tenantId, event.eventId, ...lists] })
      await run('contacts', CONTACTS, [event.clientId, contact])
      await run('emails', EMAILS, [event.clientId, contact])
      await run('people', PEOPLE, [participant, contact])
      await run('orders', ORDERS, [order, participant])
      await run('invoices', INVOICES, [invoice, order])
      await run('lines', LINES, [line, order, participant, invoice])
      await run('claims', CLAIMS, [order, invoice])
      await run('payments', PAYMENTS, [payment, order, invoice])
      await run('paid', PAID, [order, invoice, payment])
      await run('rows', ROWS, ['participant', participant])
      await run('rows', ROWS, ['payment', payment])
    }
    await connection.query('commit')
  } finally {
    connection.release()
  }
}

const AT = '$1::integer, $2::text'
const CONTACTS = `insert into contacts (tenant_id, client_id, id, first_name, last_name, company)
  select $1, $3::text, c, 'Ada', c, 'ACME' from unnest($4::text[]) c where $2::text is not null`
const EMAILS = `insert into contact_emails (tenant_id, client_id, contact_id, address, place, is_primary)
  select $1, $3::text, c, c || '@example.org', 1, true from unnest($4::text[]) c where $2::text is not null`
const PEOPLE = `insert into participants (tenant_id, event_id, id, contact_id, status, first_name, last_name, email, company, mobile_phone, confirmation_number,
    badge_id, completed_at, flow_slug, source)
  select ${AT}, p, c, 'complete', 'Ada', c, c || '@example.org', 'ACME', '+4930901820', upper(right(p, 10)), right(p, 16), lanyard_now(), 'imported', 'import'
  from unnest($3::text[], $4::text[]) as r(p, c)`
const ORDERS = `insert into orders (tenant_id, event_id, id, number, participant_id, currency)
  select ${AT}, o, 'B-' || o, p, 'EUR' from unnest($3::text[], $4::text[]) as r(o, p)`
const INVOICES = `insert into invoices (tenant_id, event_id, id, number, kind, order_id, is_test_data, due_on, bill_to, net, tax, total)
  select ${AT}, i, 'B-' || i, 'invoice', o, false, '2026-09-01', '{}', 10000, 0, 10000 from unnest($3::text[], $4::text[]) as r(i, o)`
const LINES = `insert into order_lines (tenant_id, event_id, id, order_id, position, is_test_data, kind, product_code, description, quantity, unit_price,
    list_amount, discount, net, tax, total, tax_rate, participant_id, priced_at, invoice_id)
  select ${AT}, l, o, 1, false, 'sale', 'imported-fee', 'Fee', 1, 10000, 10000, 0, 10000, 0, 10000, 0, p, lanyard_now(), i
  from unnest($3::text[], $4::text[], $5::text[], $6::text[]) as r(l, o, p, i)`
const CLAIMS = `insert into ledger_entries (tenant_id, event_id, order_id, invoice_id, is_test_data, kind, amount, source_id, by)
  select ${AT}, o, i, false, 'invoice', 10000, i, 'bench' from unnest($3::text[], $4::text[]) as r(o, i)`
const PAYMENTS = `insert into payments (tenant_id, event_id, id, order_id, invoice_id, is_test_data, method, amount, receipt_number, received_at, provider,
    provider_ref, recorded_by)
  select ${AT}, m, o, i, false, 'other', 10000, 'B-' || m, lanyard_now(), 'import', m, 'bench' from unnest($3::text[], $4::text[], $5::text[]) as r(m, o, i)`
const PAID = `insert into ledger_entries (tenant_id, event_id, order_id, invoice_id, is_test_data, kind, amount, source_id, by)
  select ${AT}, o, i, false, 'payment', -10000, m, 'bench' from unnest($3::text[], $4::text[], $5::text[]) as r(o, i, m)`
const ROWS = `insert into import_rows (tenant_id, event_id, is_test_data, source_system, entity_kind, source_key, content_hash, written, entity_id, run_id, seen_run_id)
  select ${AT}, false, 'bare', $3, e, '\\x00', '{"company": "ACME"}', e, r.id, r.id
  from unnest($4::text[]) e, lateral (select id from import_runs where tenant_id = $1 and event_id = $2 limit 1) r`

/** Imports a file. On a slow machine, a job imports the rest, which is part of the measured time. */
async function importPeople({ call, world, event }: SalesScenario, args: Record<string, unknown>): Promise<void> {
  await call('import_event', args)
  const { rows } = await world.database.pool.query<{ id: string; name: string }>(`select id, name from jobs where status = 'queued'`)
  const run = createJobRunner(world.services)
  for (const { id, name } of rows)
    await run(
      JOB_DEFINITIONS.find((job) => job.name === name)!,
      { tenantId: event.tenantId, jobId: id },
    )
}

/** Returns the imported people per second. Uploading the file and mapping its columns is not measured. */
async function rate({ side, people: count }: { side: 'live' | 'dry' | 'bare'; people: number }): Promise<number> {
  const at = await desk!
  await at.story.world.database.pool.query('delete from rate_windows')
  const time = async (run: () => Promise<unknown>) => {
    const started = performance.now()
    await run()
    return (count * 1000) / (performance.now() - started)
  }
  if (side === 'bare') return time(() => write(at, count))
  const live = await setUp(at.story, count)
  let confirmToken: string | undefined
  const counted = await time(async () => ({ confirmToken } = await at.story.call('import_event', { ...live, dryRun: true })))
  return side === 'dry' ? counted : time(() => importPeople(at.story, { ...live, confirmToken }))
}

serveRequests({
  open: async () => void (await (desk = openDesk())),
  rate,
  end: async () => {
    const { story, bare } = await desk!
    await bare.end()
    await story.world.database.pool.query('truncate participants cascade')
    await story.world.end()
  },
})
