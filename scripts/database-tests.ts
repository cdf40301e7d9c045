import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The variable that selects the database of a test. */
const ASKS = 'TEST_DATABASE_URL'

const IMPORT = /\bfrom '(\.[^']+)'/g
const isOfTests = (path: string) => /(^|\/)tests?\//.test(path)

/** Whether the file, or a test file that it imports, depends on the selected database. All others run the same on any. */
export function asksForDatabase(path: string, seen = new Set<string>()): boolean {
  if (seen.has(path)) return false
  seen.add(path)
  const text = readFileSync(join(root, path), 'utf8')
  if (text.includes(ASKS)) return true
  const imported = [...text.matchAll(IMPORT)].map(([, from]) => normalize(join(dirname(path), from!)))
  // Some tests contain code as text, which imports files that do not exist.
  const files = imported.filter((file) => isOfTests(file) && existsSync(join(root, file)))
  return files.some((file) => asksForDatabase(file, seen))
}

/** Tests of output whose queries other tests already run on PostgreSQL. */
const SEEN = /^test\/(console|docs|journeys|mcp)\/|^test\/contract\/invalid-calls\/|^test\/faults\/directory-ssrf/

/** Tests of OAuth discovery, client metadata documents and redirect URIs. Tests of stored codes and tokens run on both databases. */
const SPELT = /^test\/oauth\/(authorize|client-documents|discovery|real-clients|redirect-uris|strict-client)\./

/** Contract tests of tool declarations, and their controls. */
const DECLARED = /^test\/contract\/((arguments|contract|descriptions|examples|output|wire)\.|findability\/)/

/**
 * Tests through tools and pages: contract tests and domain tests already run the same statements on both databases. REST and lead tests
 * have their own statements and are not listed.
 */
const STORY = /^src\/(toolsets|participant-tools)\/|^test\/(web|feedback|commands|road)\//

/**
 * Concurrent callers run in parallel on PostgreSQL and in sequence on the embedded database. A file that names the engine depends on it.
 */
const COMES_OUT_OTHERWISE = new RegExp(`\\bPromise\\.(all|allSettled|any|race)\\(|\\bengine\\b|${ASKS}`)

/** Whether the test can have another result on PostgreSQL than on the embedded database. Files without a rule run on both. */
export function runsOnPostgres(path: string): boolean {
  if ([SEEN, SPELT, DECLARED].some((rule) => rule.test(path)) || !asksForDatabase(path)) return false
  return !STORY.test(path) || COMES_OUT_OTHERWISE.test(readFileSync(join(root, path), 'utf8'))
}

export const testFiles = (): string[] => globSync(['test/**/*.test.ts', 'src/**/tests/*.test.ts'], { cwd: root })
