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

export const testFiles = (): string[] => globSync(['test/**/*.test.ts', 'src/**/tests/*.test.ts'], { cwd: root })
