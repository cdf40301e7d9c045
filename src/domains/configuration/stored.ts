import { isDeepStrictEqual } from 'node:util'
import { isRecord } from './pointers.ts'
import { type ConfigNode, nodeFor, ROOT } from './schema/nodes.ts'
import type { ConfigDocument } from './schema/event-config.ts'

/** The stored form of a value: without what reads the same when left out. Equal meaning has then one form, which can be hashed and compared. */
export function withoutDefaults(node: ConfigNode, value: unknown): unknown {
  const own = nodeFor(node, value)
  if (own.kind === 'object' && isRecord(value)) {
    const kept: [string, unknown][] = []
    for (const [name, part] of Object.entries(value)) {
      const field = own.fields.get(name)
      const stored = field ? withoutDefaults(field, part) : part
      if (stored !== undefined && !(field && isDefault(field, stored))) kept.push([name, stored])
    }
    return Object.fromEntries(kept)
  }
  if (own.kind === 'list' && Array.isArray(value)) return value.map((item) => withoutDefaults(own.item, item))
  if (own.kind === 'record' && isRecord(value)) {
    const parts = Object.entries(value).map(([name, part]) => [name, withoutDefaults(own.value, part)] as const)
    return Object.fromEntries(parts.filter(([, part]) => !(isRecord(part) && Object.keys(part).length === 0)))
  }
  return value
}

const storedDefaults = new WeakMap<ConfigNode, unknown>()

/** Whether a value in stored form is what the schema fills in by itself. */
export function isDefault(node: ConfigNode, stored: unknown): boolean {
  if (stored === undefined) return true
  if (node.default === undefined) return false
  if (!storedDefaults.has(node)) storedDefaults.set(node, withoutDefaults(node, node.default))
  return isDeepStrictEqual(stored, storedDefaults.get(node))
}

export const storedDocument = (document: unknown) => withoutDefaults(ROOT, document) as ConfigDocument
