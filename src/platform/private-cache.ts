import { existsSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the cache folder of the installation; null if it is not writable, or if other users of the machine can write to it. */
export async function findInstallationCacheFolder(): Promise<string | null> {
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
  const folder = join(modules, '.cache', 'lanyard')
  return existsSync(modules) && (await isPrivateFolder(folder)) ? folder : null
}

/** Whether only the system user of this process can write to the folder. Cached files are trusted like the program itself. */
export async function isPrivateFolder(folder: string): Promise<boolean> {
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
