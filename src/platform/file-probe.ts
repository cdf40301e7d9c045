import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FileStore } from '../kernel/ports.ts'

/** Writes a few bytes, reads them back and removes them: what a store must be able to do, under a tenant that there is not. */
export async function probe(store: FileStore): Promise<void> {
  const key = `0/${randomBytes(12).toString('hex')}`
  const content = randomBytes(32)
  try {
    await store.put(key, Readable.from([content]))
    const kept = await store.open(key)
    if (!kept || !(await buffer(kept)).equals(content)) throw new Error('what was written does not come back')
  } finally {
    await store.remove(key)
  }
}
