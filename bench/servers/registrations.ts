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

/** An event with one product in high demand, in a database with this many participants, 12% of them at this event. */
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
  const bare = new pg.Pool({ connectionString: world.url!, max: CLIENTS, idleTimeoutMillis: 0 })
  const end = async () => {
    await bare.end()
    // Ending a world scans all of its rows, which would take too long for a million.
    await world.database.pool.query('truncate participants cascade')
    await world.end()
  }
  return { story: scenario, bare, end }
}

/** The same rows in one transaction and nothing else: no reads, validation, pricing or notifications. */
async function write({ story: scenario, bare }: Desk): Promise<void> {
  const { tenantId, eventId, clientId } = scenario.event
  const at = [tenantId, eventId]
  const [person, order, invoice] = [newId(), newId(), newId()]
  const connection = await bare.connect()
  const run = (name: string, text: string, values: unknown[]) => connection.query({ name, text, values: [...at, ...values] })
  try {
    await connection.query('begin')
    await run('take', TAKE, [['event', 'flow:attendee', 'product:pass']])
    await run('person', PERSON, [
      person,
      `Person ${person}`,
      `${person}@example.org`,
      newId().slice(14).toUpperCase(),
      newId().slice(0, 16),
    ])
    const { rows: numbers } = await run('numbers', NUMBERS, [])
    const [first, second] = numbers.map(({ last }) => String(last).padStart(6, '0'))
    await run('order', ORDER, [order, `R-${second}`, person])
    await run('invoice', INVOICE, [invoice, `INV-2026-${first}`, order])
    await run('line', LINE, [newId(), order, person, invoice])
    await run('entry', ENTRY, [order, invoice])
    await run('audit', AUDIT, [newId(), clientId, JSON.stringify([{ kind: 'participant', id: person, fields: {} }])])
    await connection.query('commit')
  } finally {
    connection.release()
  }
}

// Locks the rows in key order, as the product does, to avoid deadlocks.
const TAKE = `with mine as (select key from inventory where tenant_id = $1 and event_id = $2 and key = any($3) order by key for update)
  update inventory i set sold = i.sold + 1 from mine where i.tenant_id = $1 and i.event_id = $2 and i.key = mine.key
  and (i.capacity is null or i.held + i.sold < i.capacity + i.overage)`
const PERSON = `insert into participants (tenant_id, event_id, id, status, first_name, last_name, email, confirmation_number, badge_id, completed_at, flow_slug, source)
  values ($1, $2, $3, 'complete', 'Paula', $4, $5, $6, $7, lanyard_now(), 'attendee', 'organizer')`
const NUMBERS = `update number_series set last = last + 1 where tenant_id = $1 and event_id = $2 and series in ('R', 'INV') returning series, last`
const ORDER = `insert into orders (tenant_id, event_id, id, number, participant_id, currency) values ($1, $2, $3, $4, $5, 'EUR')`
const INVOICE = `insert into invoices (tenant_id, event_id, id, number, kind, order_id, is_test_data, due_on, bill_to, net, tax, total)
  values ($1, $2, $3, $4, 'invoice', $5, false, '2026-09-01', '{}', 75000, 15000, 90000)`
const LINE = `insert into order_lines (tenant_id, event_id, id, order_id, position, is_test_data, kind, product_code, description, quantity, unit_price, list_amount,
    discount, net, tax, total, tax_rate, participant_id, priced_at, invoice_id)
  values ($1, $2, $3, $4, 1, false, 'sale', 'pass', 'Pass', 1, 75000, 75000, 0, 75000, 15000, 90000, 20, $5, lanyard_now(), $6)`
const ENTRY = `insert into ledger_entries (tenant_id, event_id, order_id, invoice_id, is_test_data, kind, amount, source_id, by)
  values ($1, $2, $3, $4, false, 'invoice', 90000, $4, 'bench')`
const AUDIT = `insert into audit_entries (tenant_id, event_id, id, client_id, actor_kind, actor_id, actor_name, app_name, tool, targets)
  values ($1, $2, $3, $4, 'organizer', 'bench', 'Bench', 'Bench', 'add_participant', $5)`

/** Through the whole call pipeline: token, answers, price, capacity, ledger and audit. */
const register = ({ story: { olga, event } }: Desk): Promise<unknown> =>
  olga.call('add_participant', { eventCode: event.eventCode, flowSlug: 'attendee', data: { ...newAttendee(), '@product.pass': 1 } })

const sides = { ours: register, bare: write }

/** Registrations a second at this concurrency. */
async function rate({ side, seconds }: { side: keyof typeof sides; seconds: number }): Promise<number> {
  const at = await desk!
  // The test world's clock is stopped, so the rate limit window never ends by itself.
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
