import { existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY_FOLDER = '/dev/shm'

function freeMemoryBytes(): number {
  if (!existsSync(MEMORY_FOLDER)) return 0
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  return bavail * bsize
}

/** A new folder, in memory if there is enough space for its contents, otherwise on disk. */
export const createScratchFolder = (prefix: string, bytes = 2 ** 31) =>
  mkdtempSync(join(freeMemoryBytes() > bytes ? MEMORY_FOLDER : tmpdir(), prefix))
