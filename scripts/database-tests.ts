import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What a test is told which database to use by. */
const ASKS = 'TEST_DATABASE_URL'

const IMPORT = /\bfrom '(\.[^']+)'/g
const isOfTests = (path: string) => /(^|\/)tests?\//.test(path)

/** Whether the file, or one of the tests' own that it imports, asks which database to use. All others run the same on any. */
export function asksForDatabase(path: string, seen = new Set<string>()): boolean {
  if (seen.has(path)) return false
  seen.add(path)
  const text = readFileSync(join(root, path), 'utf8')
  if (text.includes(ASKS)) return true
  const imported = [...text.matchAll(IMPORT)].map(([, from]) => normalize(join(dirname(path), from!)))
  // Some tests hold code as text, which names files that are not there.
  const files = imported.filter((file) => isOfTests(file) && existsSync(join(root, file)))
  return files.some((file) => asksForDatabase(file, seen))
}

/** What people and clients see of answers that others have asked the database for. */
const SEEN = /^test\/(console|docs|journeys|mcp)\/|^test\/contract\/faulty-calls\/|^test\/faults\/directory-ssrf/

/** Told call by call, through tools and pages: what these ask of a database the contract and the domains’ own tests ask of both. REST and leads have statements of their own. */
const STORY = /^src\/(toolsets|participant-tools)\/|^test\/(web|feedback)\//

/** Several callers at once meet there, and one after the other on the embedded database. Whoever names the engine has a reason of their own. */
const COMES_OUT_OTHERWISE = new RegExp(`\\bPromise\\.(all|allSettled|any|race)\\(|\\bengine\\b|${ASKS}`)

/** Whether it can come out otherwise on PostgreSQL than on the embedded database. A file of which nothing is known runs on both. */
export function runsOnPostgres(path: string): boolean {
  if (SEEN.test(path) || !asksForDatabase(path)) return false
  return !STORY.test(path) || COMES_OUT_OTHERWISE.test(readFileSync(join(root, path), 'utf8'))
}

export const testFiles = (): string[] => globSync(['test/**/*.test.ts', 'src/**/tests/*.test.ts'], { cwd: root })
