import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canonicalJsonSteps } from '../../kernel/canonical.ts'
import type { CooperativeTask } from '../../kernel/cooperative.ts'
import { isJsonObject } from './pointers.ts'
import { type ConfigNode, resolveUnionNode, ROOT_NODE } from './schema/nodes.ts'
import type { ConfigDocument } from './schema/event-config.ts'

/**
 * Removes values that equal their default, so that equivalent documents have one form that can be hashed and compared. A value already in
 * stored form is returned as is, so that unchanged parts keep their identity.
 */
export function stripDefaults(node: ConfigNode, value: unknown): unknown {
  const own = resolveUnionNode(node, value)
  if (own.kind === 'object' && isJsonObject(value)) {
    return mapKept(value, (name, part) => {
      const field = own.fields.get(name)
      const stored = field ? stripDefaults(field, part) : part
      return field && isDefaultValue(field, stored) ? undefined : stored
    })
  }
  if (own.kind === 'list' && Array.isArray(value)) {
    let same = true
    const stored = value.map((item) => {
      const next = stripDefaults(own.item, item)
      same &&= next === item
      return next
    })
    return same ? value : stored
  }
  if (own.kind === 'record' && isJsonObject(value)) {
    return mapKept(value, (_name, part) => {
      const stored = stripDefaults(own.value, part)
      return isJsonObject(stored) && Object.keys(stored).length === 0 ? undefined : stored
    })
  }
  return value
}

/** Applies a function to every property and drops those whose result is undefined. Returns the same object if nothing changed. */
function mapKept(value: Record<string, unknown>, keep: (name: string, part: unknown) => unknown): Record<string, unknown> {
  let same = true
  const kept: [string, unknown][] = []
  for (const [name, part] of Object.entries(value)) {
    const stored = keep(name, part)
    same &&= stored === part
    if (stored !== undefined) kept.push([name, stored])
  }
  return same ? value : Object.fromEntries(kept)
}

const storedDefaults = new WeakMap<ConfigNode, unknown>()

/** Whether a value in stored form equals the default of the schema. */
export function isDefaultValue(node: ConfigNode, stored: unknown): boolean {
  if (stored === undefined) return true
  if (node.default === undefined) return false
  if (!storedDefaults.has(node)) storedDefaults.set(node, stripDefaults(node, node.default))
  return isDeepStrictEqual(stored, storedDefaults.get(node))
}

export const toStoredDocument = (document: unknown) => stripDefaults(ROOT_NODE, document) as ConfigDocument

const texts = new WeakMap<object, string>()

/** Returns a section of a configuration document as canonical JSON, which is cached because most edits leave most sections unchanged. */
function* sectionText(section: object): CooperativeTask<string> {
  const text = texts.get(section) ?? (yield* canonicalJsonSteps(section))
  texts.set(section, text)
  return text
}

/** Computes the canonical JSON of a document and its hash. */
export function* canonicalizeInParts(document: ConfigDocument): CooperativeTask<{ text: string; sha256: string }> {
  const parts: string[] = []
  for (const [name, section] of Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield
    if (section !== undefined) parts.push(`${JSON.stringify(name)}:${yield* sectionText(section)}`)
  }
  const text = `{${parts.join(',')}}`
  yield
  return { text, sha256: createHash('sha256').update(text).digest('hex') }
}
