import { conflict } from '../../src/kernel/errors.ts'
import { parsePointer } from '../../src/domains/configuration/pointers.ts'
import type { ConfigDocument } from '../../src/domains/configuration/schema/event-config.ts'
import { findChildNode, type ConfigNode, resolveUnionNode, ROOT_NODE } from '../../src/domains/configuration/schema/nodes.ts'
import { toStoredDocument } from '../../src/domains/configuration/stored.ts'
import { getDefaultValue, type Change } from '../../src/domains/configuration/diff/diff.ts'

/** Applies the changes of a diff to its first document and returns the second one. The given document is not modified. */
export function applyChanges(document: ConfigDocument, changes: readonly Change[]): ConfigDocument {
  const root = { ...(document as Record<string, unknown>) }
  const copies = new Set<object>([root])
  for (const change of changes) applyChange(root, copies, change)
  return toStoredDocument(root)
}

type Container = Record<string, unknown> | unknown[]

function applyChange(root: Record<string, unknown>, copies: Set<object>, change: Change): void {
  const segments = parsePointer(change.path)
  const last = segments.at(-1)!
  const { node, value } = findContainer(root, copies, segments.slice(0, -1), change)
  if (!Array.isArray(value)) {
    if (change.kind === 'removed') delete value[last]
    else if (change.kind === 'added' || change.kind === 'changed') value[last] = change.after
    else throw mismatchError(change)
  } else if (node.kind === 'list' && node.key !== null) changeKeyed(value, node.key, last, change)
  else changePlain(value, Number(last), change)
}

interface ContainerAt {
  node: ConfigNode
  value: Container
}

/**
 * Returns the object or array in which the change takes place. It and all objects and arrays around it are copied once, so that the given
 * document stays unchanged.
 */
function findContainer(root: Record<string, unknown>, copies: Set<object>, segments: readonly string[], change: Change): ContainerAt {
  let held: ContainerAt = { node: ROOT_NODE, value: root }
  for (const segment of segments) {
    const { node, value } = held
    const name = Array.isArray(value) ? String(placeIn(value, node, segment, change)) : segment
    const below = findChildNode(node, segment, value)
    const part = (value as Record<string, unknown>)[name] ?? (below ? getDefaultValue(below) : undefined)
    if (!below || typeof part !== 'object' || part === null) throw mismatchError(change)
    const copy = (copies.has(part) ? part : Array.isArray(part) ? [...(part as unknown[])] : { ...part }) as Container
    copies.add(copy)
    ;(value as Record<string, unknown>)[name] = copy
    held = { node: resolveUnionNode(below, copy), value: copy }
  }
  return held
}

function placeIn(items: readonly unknown[], node: ConfigNode, segment: string, change: Change): number {
  const key = node.kind === 'list' ? node.key : null
  const index = key === null ? Number(segment) : indexOfKey(items, key, segment)
  if (!(index >= 0 && index < items.length)) throw mismatchError(change)
  return index
}

const indexOfKey = (items: readonly unknown[], key: string, wanted: string) =>
  items.findIndex((item) => (item as Record<string, unknown>)[key] === wanted)

function changeKeyed(items: unknown[], key: string, own: string, change: Change): void {
  const find = (wanted: string) => {
    const index = indexOfKey(items, key, wanted)
    if (index < 0) throw mismatchError(change)
    return index
  }
  const insert = (item: unknown) => items.splice(change.to === null ? 0 : find(change.to!) + 1, 0, item)
  if (change.kind === 'added') insert(change.after)
  else if (change.kind === 'removed') items.splice(find(own), 1)
  else if (change.kind === 'moved') insert(items.splice(find(own), 1)[0])
  else if (change.kind === 'changed') items[find(own)] = change.after
  else {
    const index = find(change.from!)
    items[index] = { ...(items[index] as object), [key]: own }
  }
}

function changePlain(items: unknown[], index: number, change: Change): void {
  if (change.kind === 'added' && index <= items.length) items.splice(index, 0, change.after)
  else if (change.kind === 'removed' && index < items.length) items.splice(index, 1)
  else if (change.kind === 'changed' && index < items.length) items[index] = change.after
  else throw mismatchError(change)
}

const mismatchError = ({ path }: Change) => conflict(`The change at ${path} does not fit this document`)
