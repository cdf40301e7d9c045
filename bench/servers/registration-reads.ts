import pg from 'pg'
import { hashCanonicalJson } from '../../src/kernel/canonical.ts'
import { newWorld, type OrganizerHandle } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'
import { loadRegistrations } from '../support/many-registrations.ts'
import { recordStatements, replayStatements, type RecordedStatement } from './statements.ts'

const recorder = recordStatements(pg.Client)

/** The tool calls that are measured at the large event. */
const CALLS: Record<string, [tool: string, args: object]> = {
  name: ['find_participants', { search: 'mull 3f' }],
  email: ['find_participants', { search: 'person-4711@mail55.example' }],
  tag: ['find_participants', { tagsAny: ['vip'] }],
  summary: ['get_registration_summary', {}],
}

interface Desk {
  olga: OrganizerHandle
  eventCode: string
  bare: pg.Client
  statements: Record<string, RecordedStatement[]>
  loadedIn: number
  end: () => Promise<void>
}

const DOCUMENT = {
  details: { name: 'Large', startsOn: '2027-05-11', endsOn: '2027-05-11' },
  tags: ['vip', 'member', 'press'].map((code) => ({ code, name: code })),
  products: Array.from({ length: 200 }, (_, n) => ({
    code: `product-${n}`,
    name: `Product ${n}`,
    category: 'meal',
    prices: [{ amount: '375.00' }],
  })),
}

let desk: Promise<Desk> | null = null
const openedDesk = () => (desk ??= openDesk())

async function openDesk(): Promise<Desk> {
  const world = await newWorld()
  const client = await world.client({ code: 'acme' })
  const events = []
  for (let n = 0; n < 100; n++) events.push(await world.event({ at: client, code: `event-${n}` }))
  const [large] = events as [(typeof events)[0], ...typeof events]
  const { pool } = world.database
  await pool.query(`insert into config_drafts (tenant_id, event_id, document, sha256) values ($1, $2, $3, $4)`, [
    large.tenantId,
    large.eventId,
    JSON.stringify(DOCUMENT),
    hashCanonicalJson(DOCUMENT).toString('hex'),
  ])
  const started = performance.now()
  await loadRegistrations(pool, { tenantId: large.tenantId, eventIds: events.map(({ eventId }) => eventId) })
  const loadedIn = (performance.now() - started) / 1000
  const olga = await world.organizer({ at: client })
  const bare = new pg.Client({ connectionString: world.url! })
  await bare.connect()
  const end = async () => {
    await bare.end()
    // Closing a test world scans all of its rows for leaked tokens, which would take too long for a million. They are deleted first.
    await pool.query('truncate participants cascade')
    await world.end()
  }
  const opened: Desk = { olga, eventCode: large.eventCode, bare, statements: {}, loadedIn, end }
  for (const work of Object.keys(CALLS)) opened.statements[work] = await statementsOf(opened, work)
  return opened
}

const call = ({ olga, eventCode }: Desk, work: string): Promise<any> => {
  const [tool, args] = CALLS[work]!
  return olga.call(tool, { eventCode, ...args })
}

/**
 * Returns the SQL statements of one call. Statements that identify the caller and the event are excluded, because any server needs them.
 */
async function statementsOf(at: Desk, work: string): Promise<RecordedStatement[]> {
  await call(at, work)
  recorder.record()
  await call(at, work)
  return recorder.recorded().statements.filter(({ text }) => /\bparticipants\b/.test(text))
}

const run = {
  ours: call,
  bare: ({ bare, statements }: Desk, work: string) => replayStatements(bare, statements[work]!),
}

/** Returns the mean duration of one call in milliseconds of wall-clock time. */
async function time({ work, side, seconds }: { work: string; side: keyof typeof run; seconds: number }): Promise<number> {
  const at = await openedDesk()
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    const started = performance.now()
    await run[side](at, work)
    spent += performance.now() - started
    runs++
  } while (performance.now() < until)
  return spent / runs
}

async function found(): Promise<Record<string, number>> {
  const at = await openedDesk()
  const totals = { loadedIn: Math.round(at.loadedIn) } as Record<string, number>
  for (const work of Object.keys(CALLS)) {
    const { total, totalAtLeast, participants } = await call(at, work)
    totals[work] = total ?? totalAtLeast ?? participants.total
  }
  return totals
}

serveRequests({ time, found, end: async () => (await desk)?.end() })
