import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Source {
  /** The file's path relative to the repository root, with slashes. */
  path: string
  text: string
}

const root = new URL('../../', import.meta.url)

/** Reads all source files under src except tests. */
export function readSources(): Source[] {
  const files = readdirSync(fileURLToPath(new URL('src/', root)), { recursive: true, encoding: 'utf8' })
  return files
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('/tests/'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }))
}
