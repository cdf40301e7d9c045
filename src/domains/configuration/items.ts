import { isRecord, pointerOf } from './pointers.ts'
import { type ConfigNode, nodeFor, ROOT } from './schema/nodes.ts'
import type { ConfigDocument } from './schema/event-config.ts'

export interface Item {
  value: Readonly<Record<string, unknown>>
  /** It, or something it stands in. */
  retired: boolean
}

const kept = new WeakMap<object, ReadonlyMap<string, Item>>()

/** Every item of a keyed list by its pointer. Documents are never changed in place, so it is made once for each. */
export function itemsOf(document: ConfigDocument): ReadonlyMap<string, Item> {
  const known = kept.get(document)
  if (known) return known
  const items = new Map<string, Item>()
  const visit = (bare: ConfigNode, value: unknown, path: string, retired: boolean): void => {
    const node = nodeFor(bare, value)
    if (node.kind === 'object' && isRecord(value)) {
      for (const [name, part] of Object.entries(value)) {
        if (typeof part !== 'object' || part === null) continue
        const field = node.fields.get(name)
        if (field) visit(field, part, path + pointerOf([name]), retired)
      }
    } else if (node.kind === 'list' && node.key !== null && Array.isArray(value)) {
      for (const item of value) {
        const key = isRecord(item) ? item[node.key] : undefined
        if (typeof key !== 'string') continue
        const at = path + pointerOf([key])
        const gone = retired || (item as { retired?: unknown }).retired === true
        items.set(at, { value: item as Record<string, unknown>, retired: gone })
        visit(node.item, item, at, gone)
      }
    }
  }
  visit(ROOT, document, '', false)
  kept.set(document, items)
  return items
}

/** The innermost item that a place belongs to. */
export function itemAround(items: ReadonlyMap<string, Item>, pointer: string): Item | null {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const item = items.get(at)
    if (item) return item
  }
  return null
}
