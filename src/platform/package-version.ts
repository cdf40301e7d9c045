import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Returns the version of an installed package, which is part of the keys of caches. */
export async function readPackageVersion(name: string): Promise<string> {
  const entry = createRequire(import.meta.url).resolve(name)
  const { version } = JSON.parse(await readFile(join(dirname(entry), '..', 'package.json'), 'utf8')) as { version: string }
  return version
}
