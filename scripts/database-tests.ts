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

/** How clients find the way to their tokens, what is read in documents of theirs, and how addresses are spelt. What is kept of it (codes, tokens, their end) runs on both. */
const SPELT = /^test\/oauth\/(authorize|client-documents|discovery|real-clients|redirect-uris|strict-client)\./

/** Of the contract, what tools say of themselves, and the controls of those kinds that no list is held to there. */
const DECLARED = /^test\/contract\/((arguments|contract|descriptions|examples|output|wire)\.|findability\/)/

/** Told call by call, through tools and pages: what these ask of a database the contract and the domains’ own tests ask of both. REST and leads have statements of their own. At the road are the calls themselves, and who is let in by which token, of which the statement is asked by every call there. The demo is made by tools, and whole for the backup that is taken of it there. */
const STORY = /^src\/(toolsets|participant-tools)\/|^test\/(web|feedback|commands|road)\//

/** Several callers at once meet there, and one after the other on the embedded database. Whoever names the engine has a reason of their own. */
const COMES_OUT_OTHERWISE = new RegExp(`\\bPromise\\.(all|allSettled|any|race)\\(|\\bengine\\b|${ASKS}`)

/** Whether it can come out otherwise on PostgreSQL than on the embedded database. A file of which nothing is known runs on both. */
export function runsOnPostgres(path: string): boolean {
  if ([SEEN, SPELT, DECLARED].some((rule) => rule.test(path)) || !asksForDatabase(path)) return false
  return !STORY.test(path) || COMES_OUT_OTHERWISE.test(readFileSync(join(root, path), 'utf8'))
}

export const testFiles = (): string[] => globSync(['test/**/*.test.ts', 'src/**/tests/*.test.ts'], { cwd: root })
