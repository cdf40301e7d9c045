import { availableParallelism } from 'node:os'
import pg from 'pg'
import { runReportJob } from '../../src/domains/reports/runs/run-job.ts'
import { hashCanonicalJson } from '../../src/kernel/canonical.ts'
import { newId } from '../../src/kernel/ids.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { newAttendee, openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../../test/support/sales-scenario.ts'
import type { EventHandle } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'
import { quantile } from '../measure.ts'
import { isSmokeRun, LARGE_EVENT_PARTICIPANTS } from '../size.ts'
import { BARE_PAGE, BARE_REPORTS, type BareReport } from '../support/bare-reports.ts'
import { loadReportEvent, reportDocument } from '../support/report-event.ts'

const ENTRIES = Number(process.env['BENCH_LEDGER'] ?? LARGE_EVENT_PARTICIPANTS * 10)
/** The number of small events. Together with the large event and the one that sells tickets, they are as many as one query may read. */
const EVENTS = isSmokeRun ? 20 : 1_998
/** The number of custom fields of the large event: 400 in the specification, unless a benchmark needs fewer. */
const CUSTOM_FIELDS = Number(process.env['BENCH_CUSTOM_FIELDS'] ?? 400)

const PAGE = { entity: 'participant', fields: ['status', 'flowSlug', 'completedAt', 'email'] }
/** Page size for the pages before the measured one. */
const LARGE_PAGE = 1_000

const TAGGED = (field: string) => ({ field, op: 'contains', value: 'member' })

/** The tool calls that are measured at the large event. */
const CALLS: Record<string, [tool: string, args: object]> = {
  describe: ['describe_data', {}],
  describeEntity: ['describe_data', { entity: 'participant' }],
  list: ['list_reports', {}],
  fields: ['get_report_fields', { entity: 'participant' }],
  count: ['query_data', { entity: 'participant', aggregates: ['count'] }],
  status: ['query_data', { entity: 'participant', groupBy: ['status'], aggregates: ['count'] }],
  day: [
    'query_data',
    {
      entity: 'participant',
      groupBy: ['completedAt:day'],
      aggregates: ['count', 'count(cancelledAt)', 'max(updatedAt)'],
      filter: TAGGED('tags'),
      limit: 1000,
    },
  ],
  linesByDay: [
    'query_data',
    {
      entity: 'orderLine',
      groupBy: ['pricedAt:day'],
      aggregates: ['count', 'sum(net)', 'sum(tax)'],
      filter: TAGGED('participant.tags'),
      limit: 1000,
    },
  ],
  percentile: ['query_data', { entity: 'orderLine', aggregates: ['percentile(net, 0.9)'] }],
  custom: ['query_data', { entity: 'participant', groupBy: ['custom.trade'], aggregates: ['count'] }],
  across: [
    'query_across_events',
    {
      entity: 'ledgerEntry',
      groupBy: ['at:month'],
      aggregates: ['sum(amount) as net'],
      filter: { field: 'kind', op: 'equals', value: 'invoice' },
      limit: 1000,
    },
  ],
  events: ['get_my_events_stats', { limit: 50 }],
  attendance: ['get_attendance_summary', { includeOccupancy: true }],
  survey: ['get_survey_aggregate_data', { surveyCode: 'after' }],
  plot: ['plot_data', { chart: 'bar', entity: 'session', groupBy: ['trackCode'], aggregates: ['count'] }],
}
const ACCOUNT_TOOLS = ['query_across_events', 'get_my_events_stats']

interface Position {
  cursor?: string
  after: string
}

interface Desk {
  scenario: SalesScenario
  large: EventHandle
  bare: pg.Client
  /** The positions of the measured pages: the cursor, and the last id before the page. Null until a page is read. */
  pages: Promise<Record<string, Position>> | null
  loadedIn: number
  /** Memory of this process before it writes any file. */
  memory: number
}

let desk: Promise<Desk> | null = null
const openedDesk = () => (desk ??= openDesk())

async function openDesk(): Promise<Desk> {
  const scenario = await openSalesScenario(WORKED_EXAMPLE, { startsOn: '2027-09-01' })
  const { world, event } = scenario
  // The clock stands shortly after the last registrations, so that some registrations are only a few days old.
  await world.clock.stopAt('2026-11-05T10:00:00Z')
  await world.renewTokens()
  // Raises the query limits, so that slow queries are measured instead of aborted.
  world.services.queryLimits = { timeoutMs: 600_000, maxCost: 5_000_000 }
  const large = await world.event({ at: event, code: 'large', startsOn: '2027-05-11', endsOn: '2027-05-13' })
  await publish(scenario, large)
  const started = performance.now()
  await loadReportEvent(world.database.pool, { ...large, people: LARGE_EVENT_PARTICIPANTS, events: EVENTS, entries: ENTRIES })
  const loadedIn = Math.round((performance.now() - started) / 1000)
  const bare = new pg.Client({ connectionString: world.url! })
  await bare.connect()
  await bare.query(`set statement_timeout = 0`)
  return { scenario, large, bare, pages: null, loadedIn, memory: process.memoryUsage.rss() }
}

/** Publishes the configuration of the large event. */
async function publish({ world }: SalesScenario, { tenantId, eventId }: EventHandle): Promise<void> {
  const document = reportDocument(CUSTOM_FIELDS)
  const values = [tenantId, eventId, newId(), JSON.stringify(document), hashCanonicalJson(document).toString('hex')]
  await world.database.pool.query(
    `with live as (update events set published_version = coalesce(published_version, 0) + 1, test_mode = false where tenant_id = $1 and id = $2 returning published_version)
     insert into config_versions (tenant_id, event_id, number, id, document, sha256, published_by_name, app_name, counts)
     select $1, $2, published_version, $3, $4, $5, 'Bench', 'Bench', '{}' from live`,
    values,
  )
}

let calls = 0

/** Calls a tool. The clock of the world is stopped, so its rate limit would never end by itself. */
async function call({ scenario: { olga, world }, large }: Desk, tool: string, args: object): Promise<any> {
  if (++calls % 50 === 0) await world.database.pool.query('delete from rate_windows')
  return olga.call(tool, ACCOUNT_TOOLS.includes(tool) ? { ...args } : { eventCode: large.eventCode, ...args })
}

/** Finds the positions of the first page of rows, one in the middle and the last one. */
async function findPages(at: Desk): Promise<Record<string, Position>> {
  const cursors: Position[] = [{ after: '' }]
  for (;;) {
    const { cursor } = cursors.at(-1)!
    const { rows, nextCursor } = await call(at, 'query_data', { ...PAGE, limit: LARGE_PAGE, ...(cursor ? { cursor } : {}) })
    if (nextCursor === null) break
    cursors.push({ cursor: nextCursor, after: rows.at(-1).id })
  }
  return { first: cursors[0]!, middle: cursors[Math.floor(cursors.length / 2)]!, last: cursors.at(-1)! }
}

const getPage = async (at: Desk, work: string): Promise<Position> => (await (at.pages ??= findPages(at)))[work.replace('Page', '')]!

const isPage = (work: string) => work.endsWith('Page')

async function ours(at: Desk, work: string): Promise<any> {
  if (!isPage(work)) return call(at, ...CALLS[work]!)
  const { cursor } = await getPage(at, work)
  return call(at, 'query_data', { ...PAGE, limit: 100, ...(cursor ? { cursor } : {}) })
}

async function bare(at: Desk, work: string): Promise<unknown[]> {
  const { bare: client, large } = at
  const [text, last] = isPage(work) ? [BARE_PAGE, (await getPage(at, work)).after] : [BARE_REPORTS[work as BareReport], 'Europe/Berlin']
  // Reads in one database snapshot, as the product does.
  await client.query('begin isolation level repeatable read read only')
  const values = [large.tenantId, large.eventId, last].slice(0, text.includes('$3') ? 3 : text.includes('$2') ? 2 : 1)
  const { rows } = await client.query(text, values)
  await client.query('commit')
  return rows
}

/** Checks that the call and the SQL statement return equally many rows, and returns the milliseconds of the call. */
async function check(work: string): Promise<number> {
  const at = await openedDesk()
  if (isPage(work)) await getPage(at, work)
  const started = performance.now()
  const { rows } = await ours(at, work)
  const ms = performance.now() - started
  const expected = await bare(at, work)
  const all = isPage(work) ? Math.min(expected.length, 100) : expected.length
  if (rows !== undefined && rows.length !== all) throw new Error(`${work}: ${rows.length} rows, and ${all} of the bare statement`)
  return ms
}

const sides = { ours, bare }

/** Returns the mean duration of one call or statement in milliseconds of wall-clock time. */
async function time({ work, side, seconds }: { work: string; side: keyof typeof sides; seconds: number }): Promise<number> {
  const at = await openedDesk()
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    const started = performance.now()
    await sides[side](at, work)
    spent += performance.now() - started
    runs++
  } while (performance.now() < until)
  return spent / runs
}

interface WrittenFile {
  ms: number
  /** The most memory that this process used beyond its memory before any file was written, in MB. */
  megabytes: number
  rows: number
}

/** Duration of the registrations before and after a file is written, in seconds. */
const ALONE_SECONDS = isSmokeRun ? 0.2 : 15

/** Writes the participant list as CSV in a job. Measures registrations while the file is written, and before and after that. */
async function writeList() {
  const at = await openedDesk()
  const alone = async () => quantile(await registerUntil(at, isAfter(ALONE_SECONDS)), 0.95)
  await registerUntil(at, isAfter(ALONE_SECONDS / 3))
  const before = await alone()
  // Memory that earlier registrations left behind must not count as memory of the file.
  at.memory = process.memoryUsage.rss()
  let isWritten = false
  const registering = registerUntil(at, () => isWritten)
  const written = await writeInJob(at, 'run_report', { report: 'participant-list', format: 'csv' }).finally(() => (isWritten = true))
  const during = quantile(await registering, 0.95)
  const after = await alone()
  return { ...written, during, alone: [before, after] }
}

/** Exports the event with all personal data and all custom fields. */
async function writeExport(): Promise<WrittenFile> {
  const at = await openedDesk()
  return writeInJob(at, 'export_event', { personalData: 'full', includeFiles: true })
}

async function writeInJob(at: Desk, tool: string, request: object): Promise<WrittenFile> {
  const { scenario, large } = at
  const { confirmToken } = await call(at, tool, { ...request, dryRun: true })
  const memory = watchMemory(at)
  const started = performance.now()
  const { jobId, runId } = await call(at, tool, { ...request, ...(confirmToken ? { confirmToken } : {}) })
  // Uses the usual time limit of statements, which a report must not reach, however many rows it has.
  const services = { ...scenario.world.services, queryLimits: undefined }
  if (jobId) await createJobRunner(services)(runReportJob as Job, { tenantId: large.tenantId, jobId })
  const ms = performance.now() - started
  const megabytes = memory.end()
  const { rows: runs } = await scenario.world.database.pool.query<{ status: string; rows: number; error: string }>(
    'select status, rows, error from report_runs where id = $1',
    [runId],
  )
  if (runs[0]?.status !== 'done') throw new Error(`The file of ${tool} is ${runs[0]?.status}: ${runs[0]?.error}`)
  return { ms, megabytes, rows: Number(runs[0].rows) }
}

/** Samples the memory of this process. `end` returns by how many MB it was above the memory before any file was written. */
function watchMemory({ memory: before }: Desk): { end: () => number } {
  let most = before
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20)
  return {
    end: () => {
      clearInterval(timer)
      return (most - before) / 2 ** 20
    },
  }
}

const MAX_ATTEMPTS = 20

/** Registrations per second: the specification requires 50 on 8 cores. */
const RATE = Number(process.env['BENCH_RATE'] ?? (availableParallelism() >= 8 ? 50 : 10))

/** Returns the 95th percentile of the milliseconds of a registration, without other work or while queries run. */
async function register({ seconds, queries }: { seconds: number; queries: boolean }): Promise<number> {
  const at = await openedDesk()
  let isOver = false
  const reading = queries ? readReports(at, () => isOver) : null
  const times = await registerUntil(at, isAfter(seconds))
  isOver = true
  await reading
  return quantile(times, 0.95)
}

function isAfter(seconds: number): () => boolean {
  const until = performance.now() + seconds * 1000
  return () => performance.now() >= until
}

/** Registers people at the rate of the specification, and returns the milliseconds of each. */
async function registerUntil(at: Desk, isOver: () => boolean): Promise<number[]> {
  const times: Promise<number>[] = []
  for (let next = performance.now(); times.length === 0 || !isOver(); next += 1000 / RATE) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())))
    const time = registerOne(at)
    // All registrations are awaited together below. Without this handler, an earlier failure would end the process.
    time.catch(() => {})
    times.push(time)
  }
  return Promise.all(times)
}

async function registerOne({ scenario: { olga, event, world } }: Desk): Promise<number> {
  if (++calls % 50 === 0) await world.database.pool.query('delete from rate_windows')
  const person = { eventCode: event.eventCode, flowSlug: 'attendee', data: { ...newAttendee(), '@product.pass': 1 } }
  const started = performance.now()
  for (let attempt = 1; ; attempt++) {
    const { isError, content } = await olga.answer('add_participant', person)
    if (!isError) return performance.now() - started
    // A registration that is refused because the event is busy is repeated, as a client would do.
    if (attempt === MAX_ATTEMPTS) throw new Error(`A registration was refused: ${content[0]?.text}`)
  }
}

async function readReports(at: Desk, isOver: () => boolean): Promise<void> {
  while (!isOver()) for (const work of ['status', 'day', 'firstPage', 'custom']) if (!isOver()) await ours(at, work)
}

async function found() {
  const { loadedIn, scenario, large } = await openedDesk()
  const { rows } = await scenario.world.database.pool.query<{ lines: number; scans: number; responses: number }>(
    `select (select count(*)::int from order_lines where event_id = $1) as lines, (select count(*)::int from attendance_scans where event_id = $1) as scans,
       (select count(*)::int from survey_responses where event_id = $1) as responses`,
    [large.eventId],
  )
  return { loadedIn, people: LARGE_EVENT_PARTICIPANTS, entries: ENTRIES, events: EVENTS, rate: RATE, ...rows[0]! }
}

async function end(): Promise<void> {
  const { bare: client, scenario } = await openedDesk()
  await client.end()
  // Closing a test world scans all of its rows for leaked tokens, so the large tables are emptied first.
  await scenario.world.database.pool.query('truncate participants, orders, ledger_entries, attendance_scans cascade')
  await scenario.world.end()
}

serveRequests({ found, check, time, writeList, writeExport, register, end })
