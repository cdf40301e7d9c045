import { isJsonObject, toPointer } from './pointers.ts'
import { type ConfigNode, resolveUnionNode, ROOT_NODE } from './schema/nodes.ts'
import type { ConfigDocument } from './schema/event-config.ts'

export interface KeyedItem {
  value: Readonly<Record<string, unknown>>
  /** Whether the item itself or an item around it is retired. */
  retired: boolean
}

const kept = new WeakMap<object, ReadonlyMap<string, KeyedItem>>()

/** Indexes the items of all keyed lists of a document by pointer. Documents are immutable, so the map is cached per document. */
export function indexConfigItems(document: ConfigDocument): ReadonlyMap<string, KeyedItem> {
  const known = kept.get(document)
  if (known) return known
  const items = new Map<string, KeyedItem>()
  const visit = (bare: ConfigNode, value: unknown, path: string, retired: boolean): void => {
    const node = resolveUnionNode(bare, value)
    if (node.kind === 'object' && isJsonObject(value)) {
      for (const [name, part] of Object.entries(value)) {
        if (typeof part !== 'object' || part === null) continue
        const field = node.fields.get(name)
        if (field) visit(field, part, path + toPointer([name]), retired)
      }
    } else if (node.kind === 'list' && node.key !== null && Array.isArray(value)) {
      for (const item of value) {
        const key = isJsonObject(item) ? item[node.key] : undefined
        if (typeof key !== 'string') continue
        const at = path + toPointer([key])
        const isRetired = retired || (item as { retired?: unknown }).retired === true
        items.set(at, { value: item as Record<string, unknown>, retired: isRetired })
        visit(node.item, item, at, isRetired)
      }
    }
  }
  visit(ROOT_NODE, document, '', false)
  kept.set(document, items)
  return items
}

/** Finds the innermost item that contains the pointer. */
export function findEnclosingItem(items: ReadonlyMap<string, KeyedItem>, pointer: string): KeyedItem | null {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const item = items.get(at)
    if (item) return item
  }
  return null
}
