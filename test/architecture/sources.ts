import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Source {
  /** From the root of the repository, with slashes. */
  path: string
  text: string
}

const root = new URL('../../', import.meta.url)

/** What is shipped: everything under src but the tests that lie beside the code. */
export function readSources(): Source[] {
  const files = readdirSync(fileURLToPath(new URL('src/', root)), { recursive: true, encoding: 'utf8' })
  return files
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('/tests/'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }))
}
