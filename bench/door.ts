import { createExhibitorFixtures } from '../test/support/companies.ts'
import { newWorld, type World } from '../test/support/world.ts'
import type { Child } from './child.ts'
import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import { connectOrganizers } from './organizers.ts'
import type { BenchResult } from './report.ts'
import { formatHttpRequest } from './requests.ts'
import type { RecordedStatements } from './servers/statements.ts'
import type { Fleet, MeasuredTarget } from './servers.ts'
import { scaleRows } from './size.ts'

const CONNECTIONS = 16
/** The number of organizers. At 120 requests a minute each, they may send ten thousand a second together. */
const ORGANIZERS = scaleRows(6000)
const PEOPLE = scaleRows(5000)
/** The number of stored badge scans. It can be lowered on a slow machine; the ratio between the two events stays the same. */
const MANY_SCANS = Number(process.env['BENCH_SCANS'] ?? 5_000_000)
const SCANS = { few: scaleRows(MANY_SCANS / 50), many: scaleRows(MANY_SCANS) }
/** Maximum number of rows inserted by one statement, which must stay within the statement timeout. */
const SCANS_PER_INSERT = 50_000
/** The page `/door` sends the scans that it stored while offline in batches. */
const SCANS_PER_BATCH = 20

interface Door {
  world: World
  tenantId: number
  product: Child
  /** Requests that each contain one badge scan. */
  requests: string[]
  batches: string[]
  ours: MeasuredTarget
}

/**
 * Measures a scan of one badge through the whole product. It is compared with a server that only runs the SQL statement of a scan, with a
 * server that runs only the decision of that statement (without caller, check of the rules and audit row), and with the product when fifty
 * times as many scans are stored.
 */
export async function measureDoor(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  process.env['TEST_DATABASE_URL'] = server
  const few = await openDoor(fleet, SCANS.few)
  const many = await openDoor(fleet, SCANS.many)
  try {
    const environment = { DATABASE_URL: few.world.url! }
    const bare = { whole: await fleet.start('bare-door', environment), decision: await fleet.start('bare-door', environment) }
    // Sends two requests of the same caller, because the server remembers the caller's event from the first one.
    const single = await fleet.aim(few.product, few.requests.slice(0, 1), 1)
    await single.answer()
    await few.product.ask('record')
    await single.answer()
    const { statements, roundTrips } = await few.product.ask<RecordedStatements>('recorded')
    const statement = statements.find(({ text }) => text.includes('door_call'))
    for (const parts of ['whole', 'decision'] as const) await bare[parts].ask('use', { statement, parts, tenantId: few.tenantId })
    const limit = await fleet.aim(bare.whole, few.requests, CONNECTIONS)
    const decision = await fleet.aim(bare.decision, few.requests, CONNECTIONS)
    const batches = await fleet.aim(few.product, few.batches, CONNECTIONS)
    const windows = {
      few: few.ours.window,
      many: many.ours.window,
      batches: batches.window,
      limit: limit.window,
      decision: decision.window,
    }
    const values = await interleave(windows, rounds)
    for (const child of [few.product, many.product, bare.whole, bare.decision]) child.stop()
    const rates = (side: keyof typeof values) => values[side].map(({ rate }) => rate)
    const times = (side: keyof typeof values) => rates(side).map((rate) => 1000 / rate)
    const note = `${statements.length} statements in ${roundTrips} round trips; the limit is the statement that verifies the caller, decides, stores and writes the audit row`
    return [
      { name: 'door scan', unit: '/s', ...compareMeasurements(rates('few'), rates('limit'), 'higher'), target: { atLeast: 0.6 }, note },
      {
        name: 'door scan compared with the decision alone',
        unit: '/s',
        ...compareMeasurements(rates('few'), rates('decision'), 'higher'),
        target: null,
      },
      {
        name: `door scans, ${SCANS_PER_BATCH} in a call`,
        unit: '/s',
        ...compareMeasurements(
          rates('batches').map((rate) => rate * SCANS_PER_BATCH),
          rates('limit'),
          'higher',
        ),
        target: { atLeast: 0.6 },
      },
      {
        name: 'door scan, fifty times the stored scans',
        unit: 'ms',
        ...compareMeasurements(times('many'), times('few'), 'lower'),
        target: { atMost: 1.3 },
        note: `${SCANS.many} stored scans compared with ${SCANS.few}`,
      },
    ]
  } finally {
    await few.world.end()
    await many.world.end()
  }
}

/** An event whose doors are open, with people who were scanned before. Each request scans another badge, first in, then out. */
async function openDoor(fleet: Fleet, scans: number): Promise<Door> {
  const world = await newWorld()
  const event = await world.event()
  const { pool } = world.database
  await createExhibitorFixtures(world, event).publish({ onsite: { duplicateSeconds: 0 } } as never)
  await pool.query(`update events set starts_on = lanyard_now()::date - 1, ends_on = lanyard_now()::date + 2, test_mode = false`)
  const tokens = await connectOrganizers(world, event, ORGANIZERS)
  const at = [event.tenantId, event.eventId]
  await pool.query(PARTICIPANTS, [...at, PEOPLE])
  const connection = await pool.connect()
  try {
    // Foreign keys are not checked and counters are not updated, which makes loading the data faster. Loading is not measured.
    await connection.query('set session_replication_role = replica')
    for (let from = 1; from <= scans; from += SCANS_PER_INSERT)
      await connection.query(STORED, [...at, from, Math.min(scans, from + SCANS_PER_INSERT - 1), PEOPLE, scans])
    await connection.query('set session_replication_role = origin')
  } finally {
    connection.release()
  }
  await pool.query('vacuum analyze')
  const product = await fleet.start('product', { DATABASE_URL: world.url!, LANYARD_SECRET_KEY: world.secretKey })
  const scan = (n: number) => ({
    badge: `bench-${(n % PEOPLE) + 1}`,
    direction: Math.floor(n / PEOPLE) % 2 === 0 ? 'in' : 'out',
    method: 'scan',
    deviceName: `door-${n % 20}`,
  })
  const send = (sent: readonly object[], n: number) => {
    const params = { name: 'record_attendance', arguments: { eventCode: event.eventCode, scans: sent } }
    return formatHttpRequest('2025', 'tools/call', params, tokens[n % tokens.length])
  }
  const requests = Array.from({ length: PEOPLE * 2 }, (_, i) => send([scan(i)], i))
  const batches = Array.from({ length: PEOPLE }, (_, i) =>
    send(
      Array.from({ length: SCANS_PER_BATCH }, (_scan, j) => scan(i * SCANS_PER_BATCH + j)),
      i,
    ),
  )
  return { world, tenantId: event.tenantId, product, requests, batches, ours: await fleet.aim(product, requests, CONNECTIONS) }
}

const PARTICIPANTS = `
insert into participants (tenant_id, event_id, id, status, first_name, last_name, email, confirmation_number, badge_id, completed_at)
select $1::integer, $2::text, lpad(to_hex(n), 24, '0'), 'complete', 'Ada', 'Nr ' || n, n || '@example.org', 'B' || lpad(n::text, 6, '0'),
  'bench-' || n, lanyard_now()
from generate_series(1, $3::int) n`

/** Each person enters and leaves alternately until now, at most once every ten minutes. */
const STORED = `
insert into attendance_scans (tenant_id, event_id, id, participant_id, scope, direction, at, received_at, method, device_name, nonce, result)
select $1::integer, $2::text, lpad(to_hex(n), 24, '0'), lpad(to_hex(1 + n % $5::int), 24, '0'), 'event',
  case when (n / $5::int) % 2 = 0 then 'in' else 'out' end, s.at, s.at, 'scan', 'door-' || n % 20, 'stored-' || n, 'accepted'
from generate_series($3::int, $4::int) n
cross join lateral (select lanyard_now() - interval '1 hour' - ($6::int - n) * interval '10 milliseconds' as at) s`
