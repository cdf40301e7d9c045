import { startPostgres } from '../scripts/postgres.ts'
import { measureAssignment } from './assignment.ts'
import { measureAudiences } from './audiences.ts'
import { buildForBench } from './build.ts'
import { measureCatalog } from './catalog.ts'
import { measureConfiguration } from './configuration.ts'
import { measureConsolePages } from './console-pages.ts'
import { measureDoor } from './door.ts'
import { measureFloorSizes } from './floor-sizes.ts'
import { measureImports } from './imports.ts'
import { measureLeads } from './leads.ts'
import { measureMaxFit } from './max-fit.ts'
import { measureOutbox } from './outbox.ts'
import { writeChapter } from './page.ts'
import { measureParticipantCalls } from './participant-calls.ts'
import { measurePretix } from './pretix.ts'
import { measureRecommendations } from './recommendations.ts'
import { measureRegistrationReads } from './registration-reads.ts'
import { measureRegistrations } from './registrations.ts'
import { isMet, saveResults, type BenchResult, formatTable } from './report.ts'
import { measureReportCsv, measureReportExport } from './report-export.ts'
import { measureReportFiles } from './report-files.ts'
import { measureReportQueries } from './report-queries.ts'
import { measureRestPages } from './rest-pages.ts'
import { measureRoomJobs } from './room-jobs.ts'
import { measureRooms } from './rooms.ts'
import { type Fleet, openFleet } from './servers.ts'
import { measureSignInCodes } from './sign-in-codes.ts'
import { measureSeveralEvents } from './several-events.ts'
import { isSmokeRun } from './size.ts'
import { measureSourcing } from './sourcing.ts'
import { measureWithDatabase } from './with-database.ts'
import { measureWithoutIo } from './without-io.ts'

const USAGE = 'npm run bench -- [--quick | --smoke] [--gate] [--write] [name of a part …]'

/**
 * Rounds are many and short, so that some have little other load on the machine. Code that takes longer to compile gets a longer warm-up.
 */
const FULL = {
  call: { rounds: 20, seconds: 0.2, warmUp: 2.4 },
  list: { rounds: 20, seconds: 0.2, warmUp: 0.6 },
  row: { rounds: 30, seconds: 0.3, warmUp: 5 },
  statement: { rounds: 12, seconds: 0.2, warmUp: 0.5 },
  document: { rounds: 12, seconds: 0.3, warmUp: 2 },
  registration: { rounds: 20, seconds: 1, warmUp: 5 },
}
const QUICK = {
  call: { rounds: 6, seconds: 0.12, warmUp: 1.6 },
  list: { rounds: 5, seconds: 0.12, warmUp: 0.2 },
  row: { rounds: 6, seconds: 0.2, warmUp: 1.5 },
  statement: { rounds: 4, seconds: 0.12, warmUp: 0.2 },
  document: { rounds: 4, seconds: 0.2, warmUp: 1 },
  registration: { rounds: 5, seconds: 1, warmUp: 3 },
}
/** One short round of every benchmark, to show that each still runs. */
const SMOKE = Object.fromEntries(Object.keys(FULL).map((name) => [name, { rounds: 1, seconds: 0.05, warmUp: 0.05 }])) as typeof FULL

/** `--write` writes the table into docs/performance.md. */
const OPTIONS = ['--quick', '--gate', '--smoke', '--write']

type Part = (fleet: Fleet, server: string, rounds: typeof FULL) => Promise<BenchResult[]>

const PARTS: Record<string, Part> = {
  'without-io': (fleet, _, rounds) => measureWithoutIo(fleet, rounds),
  'with-database': measureWithDatabase,
  assignment: (fleet, _, { document }) => measureAssignment(fleet, document),
  audiences: (fleet, server, { document }) => measureAudiences(fleet, server, document),
  catalog: (fleet, server, { document }) => measureCatalog(fleet, server, document),
  configuration: (fleet, server, { document }) => measureConfiguration(fleet, server, document),
  'console-pages': (fleet, server, { document }) => measureConsolePages(fleet, server, document),
  door: (fleet, server, { row }) => measureDoor(fleet, server, row),
  'floor-sizes': (fleet, server, { document }) => measureFloorSizes(fleet, server, document),
  imports: (fleet, server, { document }) => measureImports(fleet, server, document),
  leads: (fleet, server, { row }) => measureLeads(fleet, server, row),
  'max-fit': (fleet, _, { document }) => measureMaxFit(fleet, document),
  outbox: (fleet, server, { document }) => measureOutbox(fleet, server, document),
  'participant-calls': (fleet, server, { document }) => measureParticipantCalls(fleet, server, document),
  'registration-reads': (fleet, server, { document }) => measureRegistrationReads(fleet, server, document),
  registrations: (fleet, server, { registration }) => measureRegistrations(fleet, server, registration),
  'sign-in-codes': (fleet, server, { document }) => measureSignInCodes(fleet, server, document),
  'report-csv': (fleet, server) => measureReportCsv(fleet, server),
  'report-export': (fleet, server) => measureReportExport(fleet, server),
  'report-files': (fleet) => measureReportFiles(fleet),
  'report-queries': (fleet, server, { document }) => measureReportQueries(fleet, server, document),
  'rest-pages': (fleet, server, { document }) => measureRestPages(fleet, server, document),
  recommendations: (fleet, server, { document }) => measureRecommendations(fleet, server, document),
  rooms: (fleet, server, { registration }) => measureRooms(fleet, server, registration),
  'room-jobs': (fleet, server, { document }) => measureRoomJobs(fleet, server, document),
  'several-events': (fleet, server, { registration }) => measureSeveralEvents(fleet, server, registration),
  sourcing: (fleet, server, { document }) => measureSourcing(fleet, server, document),
  pretix: (fleet, server, { registration }) => measurePretix(fleet, server, registration),
}

/** Benchmarks that install another product, and therefore run only if they are named on the command line. */
const ONLY_NAMED = new Set(['pretix'])

/** Writes the results into docs/performance.md, with a note that each limit was measured in turn with its value. */
function writeLimits(results: readonly BenchResult[], parts: readonly string[]): void {
  const command = `Written by \`${['npm run bench -- --write', ...parts].join(' ')}\`. Each value is compared with a limit that was measured in turn with it.`
  writeChapter('Performance compared with the bare database', [command, `\`\`\`\n${formatTable(results).trimEnd()}\n\`\`\``])
}

async function main(args: readonly string[]): Promise<number> {
  const named = args.filter((arg) => !OPTIONS.includes(arg))
  if (named.some((name) => !Object.hasOwn(PARTS, name))) {
    console.error(`Usage: ${USAGE}\nParts: ${Object.keys(PARTS).join(', ')}`)
    return 2
  }
  const rounds = isSmokeRun ? SMOKE : args.includes('--quick') ? QUICK : FULL
  const given = process.env['DATABASE_URL']
  // Autovacuum and JIT are on, as in production.
  const postgres = given ? null : await startPostgres({ settings: { autovacuum: 'on', jit: 'on' } })
  const fleet = await openFleet(buildForBench())
  try {
    const measured: BenchResult[] = []
    const failed: string[] = []
    for (const [name, measure] of Object.entries(PARTS)) {
      if (named.length > 0 ? !named.includes(name) : ONLY_NAMED.has(name)) continue
      try {
        measured.push(...(await measure(fleet, given ?? postgres!.url, rounds)))
      } catch (error) {
        failed.push(name)
        console.error(`The part ${name} failed:`, error)
      }
    }
    const results = measured.toSorted((a, b) => Number(a.target === null) - Number(b.target === null))
    console.log(isSmokeRun ? `Started: ${results.length} measurements` : `${formatTable(results)}\n\nsaved in ${saveResults(results)}`)
    if (args.includes('--write') && !isSmokeRun) writeLimits(results, named)
    if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`)
    return failed.length > 0 || (args.includes('--gate') && !results.every(isMet)) ? 1 : 0
  } finally {
    fleet.stop()
    await postgres?.stop()
  }
}

// Unlike a signal, an exit lets the database remove its files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
// Exits explicitly, because the test worlds share a database connection that would keep the process alive.
process.exit(await main(process.argv.slice(2)))
