import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canonicalTextInParts } from '../../kernel/canonical.ts'
import type { InParts } from '../../kernel/turns.ts'
import { isRecord } from './pointers.ts'
import { type ConfigNode, nodeFor, ROOT } from './schema/nodes.ts'
import type { ConfigDocument } from './schema/event-config.ts'

/**
 * The stored form of a value: without what reads the same when left out. Equal meaning has then one form, which can be hashed and compared.
 * What is in that form already is given back itself, so that what an edit left alone can be told by its identity.
 */
export function withoutDefaults(node: ConfigNode, value: unknown): unknown {
  const own = nodeFor(node, value)
  if (own.kind === 'object' && isRecord(value)) {
    return filtered(value, (name, part) => {
      const field = own.fields.get(name)
      const stored = field ? withoutDefaults(field, part) : part
      return field && isDefault(field, stored) ? undefined : stored
    })
  }
  if (own.kind === 'list' && Array.isArray(value)) {
    let same = true
    const stored = value.map((item) => {
      const next = withoutDefaults(own.item, item)
      same &&= next === item
      return next
    })
    return same ? value : stored
  }
  if (own.kind === 'record' && isRecord(value)) {
    return filtered(value, (_name, part) => {
      const stored = withoutDefaults(own.value, part)
      return isRecord(stored) && Object.keys(stored).length === 0 ? undefined : stored
    })
  }
  return value
}

/** The parts that `keep` makes something of. */
function filtered(value: Record<string, unknown>, keep: (name: string, part: unknown) => unknown): Record<string, unknown> {
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

/** Whether a value in stored form is what the schema fills in by itself. */
export function isDefault(node: ConfigNode, stored: unknown): boolean {
  if (stored === undefined) return true
  if (node.default === undefined) return false
  if (!storedDefaults.has(node)) storedDefaults.set(node, withoutDefaults(node, node.default))
  return isDeepStrictEqual(stored, storedDefaults.get(node))
}

export const storedDocument = (document: unknown) => withoutDefaults(ROOT, document) as ConfigDocument

const texts = new WeakMap<object, string>()

/** A section is written out once, for as long as somebody holds it: most edits leave most of a document alone. */
function* sectionText(section: object): InParts<string> {
  const text = texts.get(section) ?? (yield* canonicalTextInParts(section))
  texts.set(section, text)
  return text
}

/** The canonical JSON of a document, and the hash of that. */
export function* canonicalInParts(document: ConfigDocument): InParts<{ text: string; sha256: string }> {
  const parts: string[] = []
  for (const [name, section] of Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield
    if (section !== undefined) parts.push(`${JSON.stringify(name)}:${yield* sectionText(section)}`)
  }
  const text = `{${parts.join(',')}}`
  yield
  return { text, sha256: createHash('sha256').update(text).digest('hex') }
}
