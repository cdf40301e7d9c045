import type { CooperativeTask } from '../../kernel/cooperative.ts'
import type { ConfigIssue } from '../configuration/issues.ts'
import { getInsertIndex, sanitizeHtmlInParts } from '../configuration/operations.ts'
import { isJsonObject, toPointer, toPointerSegment } from '../configuration/pointers.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import {
  type ConfigNode,
  type ListNode,
  resolveUnionNode,
  type ObjectNode,
  type RecordNode,
  ROOT_NODE,
} from '../configuration/schema/nodes.ts'
import { expandShorthand } from '../configuration/walk.ts'

interface Merging {
  warnings: ConfigIssue[]
}

/**
 * Merges a partial document into another: given values replace, others stay, and items of keyed lists are matched by key at every depth.
 * Nothing is deleted. Values that match nothing are kept, so that validation reports them.
 */
export function* mergeDocument(
  document: ConfigDocument,
  given: unknown,
): CooperativeTask<{ document: ConfigDocument; warnings: ConfigIssue[] }> {
  const merging: Merging = { warnings: [] }
  const merged = yield* merge(merging, { node: ROOT_NODE, value: document, path: '' }, given)
  return { document: merged as ConfigDocument, warnings: merging.warnings }
}

interface At {
  node: ConfigNode
  value: unknown
  path: string
}

function* merge(merging: Merging, { node: bare, value, path }: At, given: unknown): CooperativeTask<unknown> {
  // A partial widget may omit its type, so the type of the existing widget applies.
  const node = resolveUnionNode(bare, isJsonObject(value) && isJsonObject(given) ? { ...value, ...given } : given)
  if (node.kind === 'list' && node.key !== null && Array.isArray(given)) return yield* mergeItems(merging, node, { value, path }, given)
  if (node.kind === 'record' && node.value.kind === 'record' && isJsonObject(given))
    return yield* mergeRecord(merging, node, { value, path }, given)
  if (node.kind !== 'object' || !isJsonObject(given)) return yield* sanitizeHtmlInParts(merging, node, path, expandShorthand(node, given))
  // If the widget type changes, the existing values are dropped, because they belong to the old type.
  const other = bare.kind === 'union' && isJsonObject(value) && node !== resolveUnionNode(bare, value)
  return yield* mergeObject(merging, node, { value: isJsonObject(value) && !other ? value : {}, path }, given)
}

function* mergeObject(
  merging: Merging,
  node: ObjectNode,
  { value, path }: { value: Record<string, unknown>; path: string },
  given: Record<string, unknown>,
): CooperativeTask<unknown> {
  const merged = { ...value }
  for (const [name, part] of Object.entries(given)) {
    const field = node.fields.get(name)
    merged[name] = field ? yield* merge(merging, { node: field, value: value[name], path: path + toPointer([name]) }, part) : part
  }
  return merged
}

/** Merges a map of entries. The properties of a given entry replace those of the existing entry, without merging any deeper. */
function* mergeRecord(
  merging: Merging,
  node: RecordNode,
  { value, path }: Omit<At, 'node'>,
  given: Record<string, unknown>,
): CooperativeTask<unknown> {
  const merged: Record<string, unknown> = isJsonObject(value) ? { ...value } : {}
  for (const [name, part] of Object.entries(given)) {
    const at = path + toPointer([name])
    const own = merged[name]
    const clean = yield* sanitizeHtmlInParts(merging, node.value, at, expandShorthand(node.value, part))
    merged[name] = isJsonObject(own) && isJsonObject(clean) ? { ...own, ...clean } : clean
  }
  return merged
}

function* mergeItems(
  merging: Merging,
  node: ListNode,
  { value, path }: Omit<At, 'node'>,
  given: readonly unknown[],
): CooperativeTask<unknown[]> {
  const items: unknown[] = Array.isArray(value) ? value : []
  const key = node.key!
  const merged = [...items]
  const positions = new Map(items.map((item, index) => [isJsonObject(item) ? item[key] : undefined, index]))
  const taken = new Set<number>()
  const added: unknown[] = []
  for (const part of given) {
    yield
    const written = isJsonObject(part) ? toStoredItemKey(node, part) : undefined
    const position = positions.get(written)
    const at = path + toPointer([typeof written === 'string' ? written : toPointerSegment(part, merged.length + added.length, key)])
    // A key given twice in one call is added twice, so that validation of the list reports it.
    if (position === undefined || taken.has(position))
      added.push(yield* merge(merging, { node: node.item, value: undefined, path: at }, part))
    else {
      taken.add(position)
      merged[position] = yield* merge(
        merging,
        { node: node.item, value: items[position], path: at },
        { ...(part as object), [key]: written },
      )
    }
  }
  for (const item of added) merged.splice(getInsertIndex(node, merged, item), 0, item)
  return merged
}

/** Returns the key of a list item as it is stored: codes are case-insensitive and stored in one form. */
export function toStoredItemKey(node: ListNode, item: Record<string, unknown>): unknown {
  const key = node.key!
  const own = resolveUnionNode(node.item, item)
  const known = own.kind === 'object' ? own : own.kind === 'union' ? [...own.options.values()][0] : undefined
  const parsed = known?.fields.get(key)?.type.safeParse(item[key])
  return parsed?.success ? parsed.data : item[key]
}
