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
  /^test\/(console|docs|journeys(?!\/(?:room-request|need-to-signed-block))|mcp)\/|^test\/contract\/invalid-calls\/|^test\/faults\/directory-ssrf/

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
 * Concurrent callers run in parallel on PostgreSQL and in sequence on the embedded database. A file that names the engine depends on it.
 */
const ENGINE_DEPENDENT_CODE = new RegExp(`\\bPromise\\.(all|allSettled|any|race)\\(|\\bengine\\b|${DATABASE_VARIABLE}`)

/** Whether the test can have another result on PostgreSQL than on the embedded database. Files without a rule run on both. */
export function runsOnPostgres(path: string): boolean {
  if ([OUTPUT_TESTS, OAUTH_SYNTAX_TESTS, TOOL_DECLARATION_TESTS].some((rule) => rule.test(path)) || !dependsOnDatabase(path)) return false
  return (
    !SCENARIO_TESTS.test(path) ||
    COMPILED_STATEMENT_TESTS.test(path) ||
    ROOM_COUNT_TESTS.test(path) ||
    ENGINE_DEPENDENT_CODE.test(readFileSync(join(root, path), 'utf8'))
  )
}

export const listTestFiles = (): string[] => globSync(['test/**/*.test.ts', 'src/**/tests/*.test.ts'], { cwd: root })
