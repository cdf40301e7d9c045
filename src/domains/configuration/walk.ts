import { runTaskSynchronously, type CooperativeTask } from '../../kernel/cooperative.ts'
import { isJsonObject, toPointer, toPointerSegment } from './pointers.ts'
import { type ConfigNode, resolveUnionNode, ROOT_NODE, type ValueNode } from './schema/nodes.ts'
import type { ConfigDocument } from './schema/event-config.ts'

/**
 * Visits every value of a document with the object or list that contains it, in schema order, except translations. Parts for which
 * `enter` returns false are skipped.
 */
export function visitValues(
  document: ConfigDocument,
  visit: (node: ValueNode, value: unknown, path: string, owner: unknown) => void,
  enter: (node: ConfigNode, value: unknown) => boolean = () => true,
): void {
  const walk = (bare: ConfigNode, value: unknown, path: string, owner: unknown): void => {
    const node = resolveUnionNode(bare, value)
    if (!enter(node, value)) return
    if (node.kind === 'value') visit(node, value, path, owner)
    else if (node.kind === 'object' && isJsonObject(value)) {
      for (const [name, field] of node.fields) if (Object.hasOwn(value, name)) walk(field, value[name], path + toPointer([name]), value)
    } else if (node.kind === 'list' && Array.isArray(value)) {
      value.forEach((item, index) => walk(node.item, item, path + toPointer([toPointerSegment(item, index, node.key)]), value))
    }
  }
  walk(ROOT_NODE, document, '', null)
}

/** Replaces the values of a part of a document by the results of `map`. Keys unknown to the schema stay unchanged. */
export function* mapValuesInParts(
  bare: ConfigNode,
  value: unknown,
  path: string,
  map: MapValue,
  owner: unknown = null,
): CooperativeTask<unknown> {
  const node = resolveUnionNode(bare, value)
  if (node.kind === 'value') return map(node, value, path, owner)
  if ((node.kind === 'object' || node.kind === 'record') && isJsonObject(value)) {
    const parts: [string, unknown][] = []
    for (const [name, part] of Object.entries(value)) {
      if (node.kind === 'record') yield
      const field = node.kind === 'record' ? node.value : node.fields.get(name)
      parts.push([name, field ? yield* mapValuesInParts(field, part, path + toPointer([name]), map, value) : part])
    }
    return Object.fromEntries(parts)
  }
  if (node.kind === 'list' && Array.isArray(value)) {
    const items: unknown[] = []
    for (const [index, item] of value.entries()) {
      yield
      items.push(yield* mapValuesInParts(node.item, item, path + toPointer([toPointerSegment(item, index, node.key)]), map, value))
    }
    return items
  }
  return value
}

type MapValue = (node: ValueNode, value: unknown, path: string, owner: unknown) => unknown

export const mapConfigValues = (node: ConfigNode, value: unknown, path: string, map: MapValue) =>
  runTaskSynchronously(mapValuesInParts(node, value, path, map))

/** Replaces shorthand values, such as a plain string for an object with one property, by their full form. */
export function expandShorthand(bare: ConfigNode, value: unknown): unknown {
  const node = resolveUnionNode(bare, value)
  const { shortFor } = node.annotations
  if (shortFor !== undefined && typeof value === 'string') return { [shortFor]: value }
  if (!hasMatchingNode(node, isShortened)) return value
  if (node.kind === 'list' && Array.isArray(value)) return value.map((item) => expandShorthand(node.item, item))
  if ((node.kind !== 'object' && node.kind !== 'record') || !isJsonObject(value)) return value
  const parts = Object.entries(value).map(([name, part]) => {
    const below = node.kind === 'record' ? node.value : node.fields.get(name)
    return [name, below ? expandShorthand(below, part) : part]
  })
  return Object.fromEntries(parts)
}

const isShortened = ({ annotations }: ConfigNode) => annotations.shortFor !== undefined

const known = new WeakMap<(node: ConfigNode) => boolean, WeakMap<ConfigNode, boolean>>()

/** Whether the given test is true for a schema node or for any node below it; cached per node. */
export function hasMatchingNode(node: ConfigNode, isOne: (node: ConfigNode) => boolean): boolean {
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
  const result = isOne(node) || below.some((child) => hasMatchingNode(child, isOne))
  kept.set(node, result)
  return result
}
