import { availableParallelism } from 'node:os'
import type { Child } from './child.ts'
import { compareMeasurements, interleave, quantile, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

/** The limits of the specification apply to a large event on this many cores; on fewer cores they are only reported. */
const CORES = 8
const LARGE = 1_000_000
/** The most time that a call may take, as a multiple of the time of the same query as a hand-written SQL statement. */
const AT_MOST = 1.3
/** The most time that a registration may take while reports run, as a multiple of its time without reports. */
const WRITES_AT_MOST = 1.1
/** Slow statements are measured fewer times: their duration varies less, and a whole benchmark must end within minutes. */
const FEWER_ROUNDS = [
  { aboveMs: 15_000, rounds: 1 },
  { aboveMs: 4_000, rounds: 2 },
  { aboveMs: 500, rounds: 4 },
]
const WRITE_ROUNDS = 4

interface Measured {
  name: string
  /** The limit of the specification in milliseconds. */
  limit: number
}

/** Tool calls that read no large table. */
const DESCRIPTIONS: Record<string, Measured> = {
  describe: { name: 'describe_data', limit: 100 },
  describeEntity: { name: 'describe_data of an entity', limit: 100 },
  list: { name: 'list_reports', limit: 100 },
  fields: { name: 'get_report_fields', limit: 100 },
  plot: { name: 'plot_data', limit: 500 },
}
/** Tool calls that are compared with one hand-written SQL statement each. */
const QUERIES: Record<string, Measured> = {
  count: { name: 'query_data: count', limit: 1_000 },
  status: { name: 'query_data: by status', limit: 1_000 },
  day: { name: 'query_data: by day, 3 aggregates, a tag', limit: 3_000 },
  linesByDay: { name: 'query_data: lines by day, 3 aggregates, a tag', limit: 3_000 },
  percentile: { name: 'query_data: percentile of lines', limit: 3_000 },
  custom: { name: 'query_data: by a custom field', limit: 2_000 },
  across: { name: 'query_across_events: by month', limit: 5_000 },
  events: { name: 'get_my_events_stats', limit: 1_000 },
  attendance: { name: 'get_attendance_summary with occupancy', limit: 4_000 },
  survey: { name: 'get_survey_aggregate_data', limit: 2_000 },
}
const PAGES: Record<string, Measured> = {
  firstPage: { name: 'query_data: first page of rows', limit: 200 },
  middlePage: { name: 'query_data: middle page of rows', limit: 200 },
  lastPage: { name: 'query_data: last page of rows', limit: 200 },
}

interface Found {
  people: number
  lines: number
  scans: number
  responses: number
  entries: number
  events: number
  loadedIn: number
  rate: number
}

/** Measures reports of one large event, each compared with a hand-written SQL statement on the same rows, and with its time limit. */
export async function measureReportQueries(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('report-queries', { TEST_DATABASE_URL: server })
  const found = await child.ask<Found>('found')
  const limited = (name: string, times: readonly number[], limit: number): BenchResult => ({
    name: `${name}, time limit`,
    unit: 'ms',
    ...compareMeasurements([quantile(times, 0.95)], [limit], 'lower'),
    target: found.people >= LARGE && availableParallelism() >= CORES ? { atMost: 1 } : null,
  })
  const results: BenchResult[] = []
  for (const [work, { name, limit }] of Object.entries(DESCRIPTIONS)) {
    const { ours } = await interleave({ ours: window(child, work, 'ours') }, rounds)
    results.push(limited(name, ours, limit))
  }
  for (const [work, { name, limit }] of Object.entries({ ...QUERIES, ...PAGES })) {
    const { ours, bare } = await measureBoth(child, work, rounds)
    // Pages of rows have no target, because reading one page takes less time than the rest of a tool call.
    const target = work in QUERIES ? { atMost: AT_MOST } : null
    results.push(
      { name: `${name}, bare statement`, unit: 'ms', ...compareMeasurements(ours, bare, 'lower'), target },
      limited(name, ours, limit),
    )
  }
  results.push(await measureLastPage(child, rounds), await measureWrites(child, rounds, found))
  await child.ask('end')
  child.stop()
  results[0]!.note = describeSize(found)
  return results
}

const window = (child: Child, work: string, side: 'ours' | 'bare') => (seconds: number) =>
  child.ask<number>('time', { work, side, seconds })

async function measureBoth(child: Child, work: string, rounds: Rounds): Promise<Record<'ours' | 'bare', number[]>> {
  // Runs the call and the statement once, so that slow statements need no warm-up.
  const ms = await child.ask<number>('check', work)
  const slow = FEWER_ROUNDS.find(({ aboveMs }) => ms > aboveMs)
  return interleave(
    { ours: window(child, work, 'ours'), bare: window(child, work, 'bare') },
    slow ? { ...rounds, rounds: Math.min(rounds.rounds, slow.rounds), warmUp: null } : rounds,
  )
}

/** Compares the time to read the last page of rows with the time to read the first one. */
async function measureLastPage(child: Child, rounds: Rounds): Promise<BenchResult> {
  const { last, first } = await interleave({ last: window(child, 'lastPage', 'ours'), first: window(child, 'firstPage', 'ours') }, rounds)
  return {
    name: 'last page of rows compared with the first',
    unit: 'ms',
    ...compareMeasurements(last, first, 'lower'),
    target: { atMost: AT_MOST },
  }
}

/** Measures registrations without other work, and while one organizer after another runs queries. */
async function measureWrites(child: Child, rounds: Rounds, { rate, people }: Found): Promise<BenchResult> {
  const writes = (queries: boolean) => (seconds: number) => child.ask<number>('register', { seconds: seconds * 10, queries })
  const { during, alone } = await interleave(
    { during: writes(true), alone: writes(false) },
    { rounds: Math.min(rounds.rounds, WRITE_ROUNDS), seconds: rounds.seconds, warmUp: rounds.seconds },
  )
  const target = people >= LARGE && availableParallelism() >= CORES ? { atMost: WRITES_AT_MOST } : null
  const note = `${rate} registrations a second, their 95th percentile`
  return {
    name: 'registrations while reports run compared with none',
    unit: 'ms',
    ...compareMeasurements(during, alone, 'lower'),
    target,
    note,
  }
}

const describeSize = ({ people, lines, scans, responses, entries, events, loadedIn }: Found): string => {
  const sizes = { participants: people, lines, scans, responses, 'ledger entries': entries, events }
  const listed = Object.entries(sizes).map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
  return `${listed.join(', ')}, loaded in ${loadedIn} s; limits hold for ${CORES} cores, this machine has ${availableParallelism()}`
}
