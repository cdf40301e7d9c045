import pg from 'pg'
import { newId } from '../../src/kernel/ids.ts'
import { openSalesScenario, type SalesScenario, newAttendee, WORKED_EXAMPLE } from '../../test/support/sales-scenario.ts'
import { serveRequests } from '../child.ts'
import { loadRegistrations } from '../support/many-registrations.ts'
import { recordStatements } from './statements.ts'

const CLIENTS = 8

const recorder = recordStatements(pg.Client)

interface Desk {
  story: SalesScenario
  bare: pg.Pool
  end: () => Promise<void>
}

let desk: Promise<Desk> | null = null

/** Creates an event with one product in high demand, in a database with this many participants, 12% of them at this event. */
async function openDesk(people: number): Promise<Desk> {
  const scenario = await openSalesScenario(WORKED_EXAMPLE)
  const { world, event } = scenario
  const others = []
  for (let n = 0; n < 20; n++) others.push((await world.event({ at: event })).eventId)
  await loadRegistrations(world.database.pool, {
    tenantId: event.tenantId,
    eventIds: [event.eventId, ...others],
    large: Math.floor(people * 0.12),
    all: people,
  })
  await world.database.pool.query(CREATE_WRITE)
  const bare = new pg.Pool({ connectionString: world.url!, max: CLIENTS, idleTimeoutMillis: 0 })
  const end = async () => {
    await bare.end()
    // Closing a test world scans all of its rows for leaked tokens, which would take too long for a million. They are deleted first.
    await world.database.pool.query('truncate participants cascade')
    await world.end()
  }
  return { story: scenario, bare, end }
}

/**
 * Writes the rows of a registration, except those of the person's contact, in the fastest known way: one function call in one round trip,
 * which locks the counters last. It neither reads, validates and prices nor sends webhook messages.
 */
async function write({ story: scenario, bare }: Desk): Promise<void> {
  const { tenantId, eventId, clientId } = scenario.event
  const [person, order, invoice, line, audit] = [newId(), newId(), newId(), newId(), newId()]
  const numbers = [newId().slice(14).toUpperCase(), newId().slice(0, 16)]
  await bare.query({
    name: 'write',
    text: 'select bench_write($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    values: [tenantId, eventId, clientId, person, order, invoice, line, audit, ...numbers],
  })
}

const CREATE_WRITE = `
create or replace function bench_write(tenant integer, event text, client text, person text, ordered text, billed text, line text, audited text,
  confirmation text, badge text) returns void language plpgsql as $$
begin
  insert into participants (tenant_id, event_id, id, status, first_name, last_name, email, confirmation_number, badge_id, completed_at, flow_slug, source)
  values (tenant, event, person, 'complete', 'Paula', 'Person ' || person, person || '@example.org', confirmation, badge, lanyard_now(), 'attendee',
    'organizer');
  insert into flow_visits (tenant_id, event_id, id, flow_slug, participant_id, device, outcome, completed_at)
  values (tenant, event, line, 'attendee', person, 'organizer', 'completed', lanyard_now());
  insert into audit_entries (tenant_id, event_id, id, client_id, actor_kind, actor_id, actor_name, app_name, tool, targets)
  values (tenant, event, audited, client, 'organizer', 'bench', 'Bench', 'Bench', 'add_participant',
    jsonb_build_array(jsonb_build_object('kind', 'participant', 'id', person, 'fields', '{}'::jsonb)));
  -- Locked in key order, as the product does, to avoid deadlocks.
  perform from inventory where tenant_id = tenant and event_id = event and key in ('event', 'flow:attendee', 'product:pass') order by key
    for no key update;
  update inventory i set sold = i.sold + 1 where i.tenant_id = tenant and i.event_id = event
    and i.key in ('event', 'flow:attendee', 'product:pass') and (i.capacity is null or i.held + i.sold < i.capacity + i.overage);
  insert into orders (tenant_id, event_id, id, number, participant_id, currency)
  values (tenant, event, ordered, number_take(tenant, event, 'R', 'R-'), person, 'EUR');
  insert into invoices (tenant_id, event_id, id, number, kind, order_id, is_test_data, due_on, bill_to, net, tax, total)
  values (tenant, event, billed, number_take(tenant, event, 'INV', 'INV-2026-'), 'invoice', ordered, false, '2026-09-01', '{}', 75000, 15000, 90000);
  insert into order_lines (tenant_id, event_id, id, order_id, position, is_test_data, kind, product_code, description, quantity, unit_price,
    list_amount, discount, net, tax, total, tax_rate, participant_id, priced_at, invoice_id)
  values (tenant, event, line, ordered, 1, false, 'sale', 'pass', 'Pass', 1, 75000, 75000, 0, 75000, 15000, 90000, 20, person, lanyard_now(), billed);
  insert into ledger_entries (tenant_id, event_id, order_id, invoice_id, is_test_data, kind, amount, source_id, by)
  values (tenant, event, ordered, billed, false, 'invoice', 90000, billed, 'bench');
end $$`

/** Registers a participant through the whole call pipeline: token, answers, price, capacity, ledger and audit. */
const register = ({ story: { olga, event } }: Desk): Promise<unknown> =>
  olga.call('add_participant', { eventCode: event.eventCode, flowSlug: 'attendee', data: { ...newAttendee(), '@product.pass': 1 } })

const sides = { ours: register, bare: write }

/** Returns the registrations per second with this many concurrent callers. */
async function rate({ side, seconds }: { side: keyof typeof sides; seconds: number }): Promise<number> {
  const at = await desk!
  // Resets the rate limits, because the test world's clock is stopped and their time window never ends.
  await at.story.world.database.pool.query('delete from rate_windows')
  const started = performance.now()
  const until = started + seconds * 1000
  let done = 0
  const client = async () => {
    for (; performance.now() < until; done++) {
      await sides[side](at)
      if (side === 'ours' && done % 50 === 0) await at.story.world.database.pool.query('delete from rate_windows')
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return (done * 1000) / (performance.now() - started)
}

async function statements(): Promise<{ statements: number; roundTrips: number }> {
  const at = await desk!
  await register(at)
  recorder.record()
  await register(at)
  const { statements: asked, roundTrips } = recorder.recorded()
  return { statements: asked.length, roundTrips }
}

serveRequests({
  open: async (people: number) => void (await (desk = openDesk(people))),
  rate,
  statements,
  end: async () => {
    await (await desk)?.end()
    desk = null
  },
})
