import type { CooperativeTask } from '../../kernel/cooperative.ts'
import { parseInParts } from './parse.ts'
import type { ConfigDocument, EventConfig } from './schema/event-config.ts'
import { ROOT_NODE } from './schema/nodes.ts'

/**
 * A configuration document, and the same document with every default filled in. Readers share both objects, so they must never be
 * modified.
 */
export interface ConfigDocumentWithDefaults {
  document: ConfigDocument
  config: EventConfig
}

/** Limit for the total size of the cached documents, measured as JSON text. In memory each document takes several times as much. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024

/**
 * Documents cached by hash. Equal hashes mean equal documents, regardless of their event and version, and of whether the transaction that
 * produced them committed. So entries never go stale, and every process may have its own cache.
 */
const cache = new Map<string, ConfigDocumentWithDefaults & { bytes: number }>()
let cachedBytes = 0

export function findCachedConfigDocument(sha256: string): ConfigDocumentWithDefaults | null {
  const found = cache.get(sha256)
  if (!found) return null
  // Maps iterate in insertion order: reinserting the entry moves it to the most recently used end.
  cache.delete(sha256)
  cache.set(sha256, found)
  return found
}

export function cacheCompiledDocument(sha256: string, compiled: ConfigDocumentWithDefaults, bytes: number): ConfigDocumentWithDefaults {
  if (cache.has(sha256) || bytes > MAX_CACHED_BYTES) return compiled
  cache.set(sha256, { ...compiled, bytes })
  cachedBytes += bytes
  for (const [oldest, { bytes: freed }] of cache) {
    if (cachedBytes <= MAX_CACHED_BYTES) break
    cache.delete(oldest)
    cachedBytes -= freed
  }
  return compiled
}

export function* compile(document: ConfigDocument): CooperativeTask<ConfigDocumentWithDefaults> {
  const parsed = yield* parseInParts(ROOT_NODE, document)
  if (!parsed.ok) throw new Error(`A stored configuration does not match the schema: ${parsed.issues[0]!.message}`)
  return { document, config: parsed.value as EventConfig }
}
