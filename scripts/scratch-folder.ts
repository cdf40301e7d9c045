import { existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'

function roomInMemory(): number {
  if (!existsSync(MEMORY)) return 0
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize
}

/** A new folder, in memory if there is enough space for its contents, otherwise on disk. */
export const scratchFolder = (prefix: string, bytes = 2 ** 31) => mkdtempSync(join(roomInMemory() > bytes ? MEMORY : tmpdir(), prefix))
