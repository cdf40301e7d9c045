import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FileStore } from '../kernel/ports.ts'

/** Tests a file store: writes, reads and removes a few bytes, under the unused tenant 0. */
export async function probeFileStore(store: FileStore): Promise<void> {
  const key = `0/${randomBytes(12).toString('hex')}`
  const content = randomBytes(32)
  try {
    await store.put(key, Readable.from([content]))
    const stored = await store.open(key)
    if (!stored || !(await buffer(stored)).equals(content)) throw new Error('the bytes read differ from the bytes written')
  } finally {
    await store.remove(key)
  }
}
