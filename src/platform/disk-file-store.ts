import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FileStore } from '../kernel/ports.ts'
import { probe } from './file-probe.ts'
import { privateFolder } from './private-folder.ts'

/** A folder that only this service reads. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** Files in the data folder. */
export function diskFileStore(folder: string): FileStore {
  const store: FileStore = {
    kind: 'disk',
    async put(key, content) {
      const path = pathOf(folder, key)
      const part = partOf(path)
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE })
      try {
        // Written beside its place, flushed to the disk, then put there whole: whatever happens, nobody ever reads half a file.
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
      await rm(partOf(path), { force: true })
    },
    async check(how) {
      await privateFolder(folder)
      if (how === 'write') await probe(store)
    },
    close: () => {},
  }
  return store
}

const KEY = /^(\d+)\/([0-9a-f]{24})$/

/** Ids begin with the time, so their ends spread over folders. No other key than one of ours ever becomes a path. */
function pathOf(folder: string, key: string): string {
  const [, tenant, id] = KEY.exec(key) ?? []
  if (!tenant || !id) throw new RangeError('not the key of a file')
  return join(folder, tenant, id.slice(-2), id)
}

const partOf = (path: string) => `${path}.part`

/** The new name is only as lasting as the folder that holds it. Windows keeps no such handle. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
