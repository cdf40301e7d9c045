import { atOnce, type InParts } from '../../kernel/turns.ts'
import { isRecord, pointerOf, segmentOf } from './pointers.ts'
import { type ConfigNode, nodeFor, ROOT, type ValueNode } from './schema/nodes.ts'
import type { ConfigDocument } from './schema/event-config.ts'

/**
 * Visits every value that a document holds, with the object or list it stands in, in the order of the schema, translations aside.
 * `enter` keeps out of whole parts.
 */
export function eachValue(
  document: ConfigDocument,
  visit: (node: ValueNode, value: unknown, path: string, owner: unknown) => void,
  enter: (node: ConfigNode, value: unknown) => boolean = () => true,
): void {
  const walk = (bare: ConfigNode, value: unknown, path: string, owner: unknown): void => {
    const node = nodeFor(bare, value)
    if (!enter(node, value)) return
    if (node.kind === 'value') visit(node, value, path, owner)
    else if (node.kind === 'object' && isRecord(value)) {
      for (const [name, field] of node.fields) if (Object.hasOwn(value, name)) walk(field, value[name], path + pointerOf([name]), value)
    } else if (node.kind === 'list' && Array.isArray(value)) {
      value.forEach((item, index) => walk(node.item, item, path + pointerOf([segmentOf(item, index, node.key)]), value))
    }
  }
  walk(ROOT, document, '', null)
}

/** A part of a document with its values replaced by what `map` makes of them. What the schema does not know stays as it is. */
export function* mapInParts(bare: ConfigNode, value: unknown, path: string, map: MapValue, owner: unknown = null): InParts<unknown> {
  const node = nodeFor(bare, value)
  if (node.kind === 'value') return map(node, value, path, owner)
  if ((node.kind === 'object' || node.kind === 'record') && isRecord(value)) {
    const parts: [string, unknown][] = []
    for (const [name, part] of Object.entries(value)) {
      if (node.kind === 'record') yield
      const field = node.kind === 'record' ? node.value : node.fields.get(name)
      parts.push([name, field ? yield* mapInParts(field, part, path + pointerOf([name]), map, value) : part])
    }
    return Object.fromEntries(parts)
  }
  if (node.kind === 'list' && Array.isArray(value)) {
    const items: unknown[] = []
    for (const [index, item] of value.entries()) {
      yield
      items.push(yield* mapInParts(node.item, item, path + pointerOf([segmentOf(item, index, node.key)]), map, value))
    }
    return items
  }
  return value
}

type MapValue = (node: ValueNode, value: unknown, path: string, owner: unknown) => unknown

export const mapValues = (node: ConfigNode, value: unknown, path: string, map: MapValue) => atOnce(mapInParts(node, value, path, map))

/** A part with what was written short in its full form. */
export function spelledOut(bare: ConfigNode, value: unknown): unknown {
  const node = nodeFor(bare, value)
  const { shortFor } = node.word
  if (shortFor !== undefined && typeof value === 'string') return { [shortFor]: value }
  if (!holds(node, isShortened)) return value
  if (node.kind === 'list' && Array.isArray(value)) return value.map((item) => spelledOut(node.item, item))
  if ((node.kind !== 'object' && node.kind !== 'record') || !isRecord(value)) return value
  const parts = Object.entries(value).map(([name, part]) => {
    const below = node.kind === 'record' ? node.value : node.fields.get(name)
    return [name, below ? spelledOut(below, part) : part]
  })
  return Object.fromEntries(parts)
}

const isShortened = ({ word }: ConfigNode) => word.shortFor !== undefined

const known = new WeakMap<(node: ConfigNode) => boolean, WeakMap<ConfigNode, boolean>>()

/** Whether a place, or anything that may stand below it, is of a kind; worked out once for each place of the schema. */
export function holds(node: ConfigNode, isOne: (node: ConfigNode) => boolean): boolean {
  const kept = known.get(isOne) ?? new WeakMap<ConfigNode, boolean>()
  known.set(isOne, kept)
  const found = kept.get(node)
  if (found !== undefined) return found
  const below =
    node.kind === 'object'
      ? [...node.fields.values()]
      : node.kind === 'union'
        ? [...node.options.values()]
        : node.kind === 'list'
          ? [node.item]
          : node.kind === 'record'
            ? [node.value]
            : []
  const result = isOne(node) || below.some((child) => holds(child, isOne))
  kept.set(node, result)
  return result
}
