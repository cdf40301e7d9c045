import { existsSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Beside the installation; null where that cannot be written to, or others can write there as well. */
export async function installedCache(): Promise<string | null> {
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
  const folder = join(modules, '.cache', 'lanyard')
  return existsSync(modules) && (await isOurs(folder)) ? folder : null
}

/** What is kept to be used again is trusted as the program is: whoever could write it would be let in. */
export async function isOurs(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = await lstat(folder)
    if (process.getuid && (uid !== process.getuid() || mode & 0o022)) return false
    await rm(await mkdtemp(join(folder, 'probe-')), { recursive: true })
    return true
  } catch {
    return false
  }
}
