import type { InParts } from '../../kernel/turns.ts'
import { parseInParts } from './parse.ts'
import type { ConfigDocument, EventConfig } from './schema/event-config.ts'
import { ROOT } from './schema/nodes.ts'

/** A document and what it says with every default filled in. Both are shared by whoever reads them, so neither is ever changed. */
export interface Compiled {
  document: ConfigDocument
  config: EventConfig
}

/** Of documents as text; in memory each takes several times as much. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Documents by their hash: equal hashes are equal documents, whichever event, version or draft they belong to and whether or not the
 * change that brought them was kept. So nothing here can be out of date, and every process may keep its own.
 */
const kept = new Map<string, Compiled & { bytes: number }>()
let bytesKept = 0

export function recall(sha256: string): Compiled | null {
  const found = kept.get(sha256)
  if (!found) return null
  // The map's order is that of use: what was used last goes last.
  kept.delete(sha256)
  kept.set(sha256, found)
  return found
}

export function keep(sha256: string, compiled: Compiled, bytes: number): Compiled {
  if (kept.has(sha256) || bytes > MAX_BYTES) return compiled
  kept.set(sha256, { ...compiled, bytes })
  bytesKept += bytes
  for (const [oldest, { bytes: freed }] of kept) {
    if (bytesKept <= MAX_BYTES) break
    kept.delete(oldest)
    bytesKept -= freed
  }
  return compiled
}

export function* compile(document: ConfigDocument): InParts<Compiled> {
  const parsed = yield* parseInParts(ROOT, document)
  if (!parsed.ok) throw new Error(`A stored configuration is not what the schema says: ${parsed.issues[0]!.message}`)
  return { document, config: parsed.value as EventConfig }
}
