import type { InParts } from '../../kernel/turns.ts'
import type { Issue } from '../configuration/issues.ts'
import { endFor, withCleanHtml } from '../configuration/operations.ts'
import { isRecord, pointerOf, segmentOf } from '../configuration/pointers.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { type ConfigNode, type ListNode, nodeFor, type ObjectNode, type RecordNode, ROOT } from '../configuration/schema/nodes.ts'
import { spelledOut } from '../configuration/walk.ts'

interface Merging {
  warnings: Issue[]
}

/**
 * A document with parts of another laid over it: what is given replaces, what is not stays, and items of keyed lists are found by their
 * key, at every depth. Nothing is ever taken out. Whether the whole is right is for the check to say, so whatever fits nowhere is kept.
 */
export function* mergedWith(document: ConfigDocument, given: unknown): InParts<{ document: ConfigDocument; warnings: Issue[] }> {
  const merging: Merging = { warnings: [] }
  const merged = yield* merge(merging, { node: ROOT, value: document, path: '' }, given)
  return { document: merged as ConfigDocument, warnings: merging.warnings }
}

interface At {
  node: ConfigNode
  value: unknown
  path: string
}

function* merge(merging: Merging, { node: bare, value, path }: At, given: unknown): InParts<unknown> {
  // A part of a widget need not say again of which type that is.
  const node = nodeFor(bare, isRecord(value) && isRecord(given) ? { ...value, ...given } : given)
  if (node.kind === 'list' && node.key !== null && Array.isArray(given)) return yield* mergeItems(merging, node, { value, path }, given)
  if (node.kind === 'record' && node.value.kind === 'record' && isRecord(given))
    return yield* mergeRecord(merging, node, { value, path }, given)
  if (node.kind !== 'object' || !isRecord(given)) return yield* withCleanHtml(merging, node, path, spelledOut(node, given))
  // What a widget of another type had means nothing to the new one.
  const other = bare.kind === 'union' && isRecord(value) && node !== nodeFor(bare, value)
  return yield* mergeObject(merging, node, { value: isRecord(value) && !other ? value : {}, path }, given)
}

function* mergeObject(
  merging: Merging,
  node: ObjectNode,
  { value, path }: { value: Record<string, unknown>; path: string },
  given: Record<string, unknown>,
): InParts<unknown> {
  const merged = { ...value }
  for (const [name, part] of Object.entries(given)) {
    const field = node.fields.get(name)
    merged[name] = field ? yield* merge(merging, { node: field, value: value[name], path: path + pointerOf([name]) }, part) : part
  }
  return merged
}

/** Each entry that is given replaces the one that was there, whatever that said besides. */
function* mergeRecord(
  merging: Merging,
  node: RecordNode,
  { value, path }: Omit<At, 'node'>,
  given: Record<string, unknown>,
): InParts<unknown> {
  const merged: Record<string, unknown> = isRecord(value) ? { ...value } : {}
  for (const [name, part] of Object.entries(given)) {
    const at = path + pointerOf([name])
    const own = merged[name]
    const clean = yield* withCleanHtml(merging, node.value, at, spelledOut(node.value, part))
    merged[name] = isRecord(own) && isRecord(clean) ? { ...own, ...clean } : clean
  }
  return merged
}

function* mergeItems(merging: Merging, node: ListNode, { value, path }: Omit<At, 'node'>, given: readonly unknown[]): InParts<unknown[]> {
  const items: unknown[] = Array.isArray(value) ? value : []
  const key = node.key!
  const merged = [...items]
  const places = new Map(items.map((item, index) => [isRecord(item) ? item[key] : undefined, index]))
  const taken = new Set<number>()
  const added: unknown[] = []
  for (const part of given) {
    yield
    const written = isRecord(part) ? writtenKey(node, part) : undefined
    const place = places.get(written)
    const at = path + pointerOf([typeof written === 'string' ? written : segmentOf(part, merged.length + added.length, key)])
    // The same key twice in one call is a mistake, which the check of the list tells.
    if (place === undefined || taken.has(place)) added.push(yield* merge(merging, { node: node.item, value: undefined, path: at }, part))
    else {
      taken.add(place)
      merged[place] = yield* merge(merging, { node: node.item, value: items[place], path: at }, { ...(part as object), [key]: written })
    }
  }
  for (const item of added) merged.splice(endFor(node, merged, item), 0, item)
  return merged
}

/** The key as it would be stored: people write codes in any case. */
export function writtenKey(node: ListNode, item: Record<string, unknown>): unknown {
  const key = node.key!
  const own = nodeFor(node.item, item)
  const known = own.kind === 'object' ? own : own.kind === 'union' ? [...own.options.values()][0] : undefined
  const parsed = known?.fields.get(key)?.type.safeParse(item[key])
  return parsed?.success ? parsed.data : item[key]
}
