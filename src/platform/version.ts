import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Of an installed package, for what is kept from one start to the next and would not fit another version. */
export async function versionOf(name: string): Promise<string> {
  const entry = createRequire(import.meta.url).resolve(name)
  const { version } = JSON.parse(await readFile(join(dirname(entry), '..', 'package.json'), 'utf8')) as { version: string }
  return version
}
