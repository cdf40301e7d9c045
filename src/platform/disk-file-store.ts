import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FileStore } from '../kernel/ports.ts'
import { probeFileStore } from './file-probe.ts'
import { ensurePrivateFolder } from './private-folder.ts'

/** Permissions of the folder: only the service's own account may read the files. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

export function createDiskFileStore(folder: string): FileStore {
  const store: FileStore = {
    kind: 'disk',
    async put(key, content) {
      const path = pathOf(folder, key)
      const part = partialPath(path)
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE })
      try {
        // Write to a temporary name, flush, then rename, so that no reader ever sees a partial file.
        await pipeline(content, createWriteStream(part, { flags: 'wx', mode: FILE_MODE, flush: true }))
        await rename(part, path)
      } catch (error) {
        content.destroy()
        await rm(part, { force: true })
        throw error
      }
      await flushFolder(dirname(path))
    },
    async open(key, range) {
      try {
        const file = await open(pathOf(folder, key), 'r')
        return file.createReadStream(range)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    async remove(key) {
      const path = pathOf(folder, key)
      await rm(path, { force: true })
      await rm(partialPath(path), { force: true })
    },
    async check(how) {
      await ensurePrivateFolder(folder)
      if (how === 'write') await probeFileStore(store)
    },
    close: () => {},
  }
  return store
}

const KEY = /^(\d+)\/([0-9a-f]{24})$/

/**
 * Returns the path of a stored file. Ids begin with the time, so their last characters distribute files over folders. Only valid keys
 * become a path.
 */
function pathOf(folder: string, key: string): string {
  const [, tenant, id] = KEY.exec(key) ?? []
  if (!tenant || !id) throw new RangeError('not the key of a file')
  return join(folder, tenant, id.slice(-2), id)
}

const partialPath = (path: string) => `${path}.part`

/** Flushes a folder to disk. A rename is durable only after its folder is flushed. Windows cannot open folders. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
