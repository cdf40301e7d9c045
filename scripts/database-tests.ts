import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The variable that selects the database of a test. */
const DATABASE_VARIABLE = 'TEST_DATABASE_URL'

const IMPORT = /\bfrom '(\.[^']+)'/g
const isTestFile = (path: string) => /(^|\/)tests?\//.test(path)

/** Whether the file, or a test file that it imports, depends on the selected database. All others run the same on any. */
export function dependsOnDatabase(path: string, seen = new Set<string>()): boolean {
  if (seen.has(path)) return false
  seen.add(path)
  const text = readFileSync(join(root, path), 'utf8')
  if (text.includes(DATABASE_VARIABLE)) return true
  const imported = [...text.matchAll(IMPORT)].map(([, from]) => normalize(join(dirname(path), from!)))
  // Some tests contain code as text, which imports files that do not exist.
  const files = imported.filter((file) => isTestFile(file) && existsSync(join(root, file)))
  return files.some((file) => dependsOnDatabase(file, seen))
}

/** Tests of output whose queries other tests already run on PostgreSQL. Journeys that count rooms run on both. */
const OUTPUT_TESTS =
  /^test\/(console|docs|journeys(?!\/(?:room-request|need-to-signed-block))|mcp)\/|^test\/contract\/(?:invalid-calls\/|answer-sizes\.|change-sizes\.)|^test\/faults\/directory-ssrf/

/** Tests of OAuth discovery, client metadata documents and redirect URIs. Tests of stored codes and tokens run on both databases. */
const OAUTH_SYNTAX_TESTS = /^test\/oauth\/(authorize|client-documents|discovery|real-clients|redirect-uris|strict-client)\./

/** Contract tests of tool declarations and error texts, and their controls. */
const TOOL_DECLARATION_TESTS = /^test\/contract\/((arguments|contract|descriptions|examples|output|wire|wrong-ids)\.|findability\/)/

/**
 * Tests through tools and pages: contract tests and domain tests already run the same statements on both databases. REST and lead tests
 * have their own statements and are not listed.
 */
const SCENARIO_TESTS = /^src\/(toolsets|participant-tools)\/|^test\/(web|feedback|commands|call-pipeline)\//

/** Reports compile statements of their own, which no domain test runs; what they sort, fold and cut in time zones depends on the engine. */
const COMPILED_STATEMENT_TESTS =
  /^src\/toolsets\/reports\/tests\/(across-events|contact-history|dictionary|equal-figures|query-data|report-role)\./

/** The database counts rooms: stories of the specification, moves of many stays and sums of room nights run on both. */
const ROOM_COUNT_TESTS = /^src\/toolsets\/housing\/tests\/(hotel-waitlist|many-stays|summary)\./

/**
 * Results that a mistake in a statement would change: waiting lists, payments, imports, groups, known people, and changes of an event's
 * currency and time zone.
 */
const CHANGED_RESULT_TESTS =
  /^test\/web\/(paid-follow-ups|waitlist-pages)\.|^src\/toolsets\/(clients\/tests\/(import-jobs|update-event)|registration\/tests\/(group-members|import-products|invite-list|known-people|waitlist-offers))\./

/** A file that names the engine or the variable depends on the database as a whole. */
const ENGINE_DEPENDENT_CODE = new RegExp(`\\bengine\\b|${DATABASE_VARIABLE}`)
/** Concurrent callers run in parallel on PostgreSQL and in sequence on the embedded database. */
const CONCURRENT_CALLS = /\bPromise\.(all|allSettled|any|race)\(/

const TEST_START = /^(?= *it(?:\.\w+(?:\(.*\))?)*\()/m
const TITLE = /^ *it(?:\.[\s\S]*?\))?\(\s*(['"`])(.*?)\1,/
/** The part of a title that is the same for all rows of a table. */
const readFixedTitle = (code: string) => TITLE.exec(code)?.[2]?.split(/%|\$/)[0] ?? ''
const MIN_TITLE = 10

/**
 * Lists the titles of the tests of a file that make concurrent calls. Null if code outside of tests makes such calls, or if a title cannot be
 * read: then any test of the file may be concurrent.
 */
export function listConcurrentTitles(path: string): string[] | null {
  const [helpers, ...tests] = readFileSync(join(root, path), 'utf8').split(TEST_START)
  if (CONCURRENT_CALLS.test(helpers!)) return null
  const titles = tests.filter((code) => CONCURRENT_CALLS.test(code)).map(readFixedTitle)
  return titles.some((title) => title.length < MIN_TITLE) ? null : titles
}

/** The pattern of the names of all tests of these files that make concurrent calls. */
export const matchConcurrentTests = (paths: readonly string[]): RegExp =>
  new RegExp(
    paths
      .flatMap((path) => listConcurrentTitles(path) ?? [])
      .map((title) => title.replaceAll(/[^\w\s]/g, '\\$&'))
      .join('|'),
  )

const isScenarioTest = (path: string) =>
  SCENARIO_TESTS.test(path) && ![COMPILED_STATEMENT_TESTS, ROOM_COUNT_TESTS, CHANGED_RESULT_TESTS].some((rule) => rule.test(path))

/**
 * Which tests of a file can have another result on PostgreSQL than on the embedded database: of scenario tests those that make concurrent
 * calls. Files without a rule run on both.
 */
export function selectForPostgres(path: string): 'all' | 'concurrent' | 'none' {
  if ([OUTPUT_TESTS, OAUTH_SYNTAX_TESTS, TOOL_DECLARATION_TESTS].some((rule) => rule.test(path)) || !dependsOnDatabase(path)) return 'none'
  if (!isScenarioTest(path) || ENGINE_DEPENDENT_CODE.test(readFileSync(join(root, path), 'utf8'))) return 'all'
  const titles = listConcurrentTitles(path)
  return titles === null ? 'all' : titles.length > 0 ? 'concurrent' : 'none'
}

export const listTestFiles = (): string[] => globSync(['test/**/*.test.ts', 'src/**/tests/*.test.ts'], { cwd: root })
