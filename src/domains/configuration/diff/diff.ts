import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { isJsonObject, isPathUnder } from '../pointers.ts'
import type { ConfigDocument } from '../schema/event-config.ts'
import { type ConfigNode, type ListNode, resolveUnionNode, ROOT_NODE } from '../schema/nodes.ts'
import { stripDefaults } from '../stored.ts'
import { type DiffLocation, createFieldDiffLocation, describeDiffLocation, toLocationPath } from './locations.ts'
import { findRenames, type UnmatchedItem } from './renames.ts'
import { pairListItems } from './rows.ts'
import { findLongestIncreasingSubsequence } from './sequences.ts'

export const CHANGE_KINDS = ['added', 'removed', 'changed', 'moved', 'renamed'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** One difference between two configuration documents. Applying all differences in order to the first document produces the second. */
export interface Change {
  /**
   * The path of the change in the second document. A removed part has no path there: it has its path in the first document, with the new
   * keys of renamed items above it.
   */
  path: string
  kind: ChangeKind
  title: string
  /** The name of the item that contains the change, which is added to the end of the change's title; null if there is no such item. */
  within: string | null
  before?: unknown
  after?: unknown
  /**
   * For an item of a keyed list: the key of the item directly before it, in the old document (`from`) and in the new one (`to`); null at
   * the front of the list. For a rename: the old and the new key.
   */
  from?: string | null
  to?: string | null
}

/** Yields the changes that turn one document into another. Both documents are in stored form (without defaults). */
export function* diffDocuments(a: ConfigDocument, b: ConfigDocument, { under = '' }: { under?: string } = {}): CooperativeTask<Change[]> {
  const changes: Change[] = []
  const root: DiffLocation = { parent: null, segment: '', node: ROOT_NODE, value: b, item: null }
  const section = under.split('/')[1]
  for (const [name, node] of ROOT_NODE.fields) {
    if (section === undefined || section === name) yield* compareField(changes, root, name, node, getPart(a, name), getPart(b, name))
  }
  compareUnknown(changes, root, ROOT_NODE.fields, a, b)
  return under === '' ? changes : changes.filter((change) => touches(change, under))
}

/** Returns whether the change is at or below a pointer, or replaces an ancestor of the pointer as a whole. */
function touches({ path, kind, from }: Change, under: string): boolean {
  if (isPathUnder(path, under)) return true
  if (kind === 'renamed') return isPathUnder(path.slice(0, path.lastIndexOf('/') + 1) + from!, under)
  return kind !== 'moved' && isPathUnder(under, path)
}

const getPart = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined

type Difference = Pick<Change, 'kind' | 'before' | 'after' | 'from' | 'to'>

function report(out: Change[], at: DiffLocation, difference: Difference): void {
  const { title, within } = describeDiffLocation(at)
  out.push({ path: toLocationPath(at), title: title.charAt(0).toUpperCase() + title.slice(1), within, ...difference })
}

const defaults = new WeakMap<ConfigNode, { value: unknown }>()

/** Returns the default that applies if a property is missing, in stored form. */
export function getDefaultValue(node: ConfigNode): unknown {
  const found = defaults.get(node)
  if (found) return found.value
  const value = node.default === undefined ? undefined : stripDefaults(node, node.default)
  defaults.set(node, { value })
  return value
}

/**
 * Compares one property of an object. A missing property has its default value, so setting a missing flag is reported as a change, and
 * adding the first item to a missing list as an added item.
 */
function* compareField(out: Change[], parent: DiffLocation, name: string, node: ConfigNode, a: unknown, b: unknown): CooperativeTask<void> {
  if (a === b) return
  const before = (a === undefined ? getDefaultValue(node) : a) ?? null
  const after = (b === undefined ? getDefaultValue(node) : b) ?? null
  if (before === after) return
  const at = createFieldDiffLocation(parent, name, node, after ?? before)
  if (before === null) report(out, at, { kind: 'added', after })
  else if (after === null) report(out, at, { kind: 'removed', before })
  else yield* compareValue(out, at, before, after)
}

function* compareValue(out: Change[], at: DiffLocation, a: unknown, b: unknown, except: string | null = null): CooperativeTask<void> {
  if (a === b) return
  const [inA, inB] = [resolveUnionNode(at.node, a), resolveUnionNode(at.node, b)]
  if (inB.kind === 'object' && isJsonObject(a) && isJsonObject(b)) {
    if (inA === inB) {
      for (const [name, node] of inB.fields)
        if (name !== except) yield* compareField(out, at, name, node, getPart(a, name), getPart(b, name))
      compareUnknown(out, at, inB.fields, a, b)
    } else {
      // A property of the same name may have different meanings in widgets of different types, so properties are compared as plain values.
      compareUnknown(out, at, except === null ? NONE : new Map([[except, inB]]), a, b)
    }
  } else if (inB.kind === 'list' && Array.isArray(a) && Array.isArray(b)) yield* compareList(out, at, inB, a, b)
  else if (inB.kind === 'record' && isJsonObject(a) && isJsonObject(b)) yield* compareRecord(out, at, inB.value, a, b)
  else if (!isDeepEqual(a, b)) report(out, at, { kind: 'changed', before: a, after: b })
}

const NONE: ReadonlyMap<string, ConfigNode> = new Map()

/** Compares properties that the schema does not define. Each value is compared as a whole. */
function compareUnknown(out: Change[], parent: DiffLocation, fields: ReadonlyMap<string, ConfigNode>, a: object, b: object): void {
  const unknown = [...Object.keys(a), ...Object.keys(b)].filter((name) => !fields.has(name))
  for (const name of new Set(unknown)) {
    const [before, after] = [getPart(a, name), getPart(b, name)]
    if (isDeepEqual(before, after)) continue
    const at = createFieldDiffLocation(parent, name, fieldNode(parent, name, after ?? before), after ?? before)
    if (before === undefined) report(out, at, { kind: 'added', after })
    else if (after === undefined) report(out, at, { kind: 'removed', before })
    else report(out, at, { kind: 'changed', before, after })
  }
}

function fieldNode({ node, value }: DiffLocation, name: string, part: unknown): ConfigNode {
  const own = resolveUnionNode(node, value)
  const field = own.kind === 'object' ? own.fields.get(name) : undefined
  return (
    field ?? {
      kind: 'value',
      title: name,
      help: null,
      default: undefined,
      nullable: false,
      annotations: {},
      type: own.type,
      valueType: typeof part,
      allowed: null,
    }
  )
}

function* compareRecord(out: Change[], at: DiffLocation, node: ConfigNode, a: object, b: object): CooperativeTask<void> {
  for (const name of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
    const [before, after] = [getPart(a, name), getPart(b, name)]
    if (before === after) continue
    yield
    const below = createFieldDiffLocation(at, name, node, after ?? before)
    if (before === undefined) report(out, below, { kind: 'added', after })
    else if (after === undefined) report(out, below, { kind: 'removed', before })
    else yield* compareValue(out, below, before, after)
  }
}

function* compareList(
  out: Change[],
  at: DiffLocation,
  node: ListNode,
  a: readonly unknown[],
  b: readonly unknown[],
): CooperativeTask<void> {
  if (node.key === null) return yield* comparePlain(out, at, node, a, b)
  const [inA, inB] = [keysOf(a, node.key), keysOf(b, node.key)]
  if (inA && inB) yield* compareKeyed(out, at, node, { items: a as object[], keys: inA }, { items: b as object[], keys: inB })
  else if (!isDeepEqual(a, b)) report(out, at, { kind: 'changed', before: a, after: b })
}

/** Returns the keys of all items; null if an item has no key or two items share one, because pointers could then not identify the items. */
function keysOf(items: readonly unknown[], key: string): string[] | null {
  const keys = items.map((item) => (isJsonObject(item) ? item[key] : undefined))
  return keys.every((own) => typeof own === 'string' && own !== '') && new Set(keys).size === keys.length ? (keys as string[]) : null
}

interface Keyed {
  items: readonly object[]
  keys: readonly string[]
}

/**
 * Compares two lists whose items have keys. Reports renames first, then removals, then moves and additions from front to back, then
 * changes within items.
 */
function* compareKeyed(out: Change[], at: DiffLocation, node: ListNode, a: Keyed, b: Keyed): CooperativeTask<void> {
  const itemAt = (key: string, item: object): DiffLocation => ({ parent: at, segment: key, node: node.item, value: item, item: 'keyed' })
  const inside = function* (index: number, source: number): CooperativeTask<void> {
    if (a.items[source] === b.items[index]) return
    yield
    const renamed = a.keys[source] !== b.keys[index]
    yield* compareValue(out, itemAt(b.keys[index]!, b.items[index]!), a.items[source], b.items[index], renamed ? node.key : null)
  }
  if (a.keys.length === b.keys.length && a.keys.every((key, index) => key === b.keys[index])) {
    for (const index of a.keys.keys()) yield* inside(index, index)
    return
  }
  const [indexInA, indexInB] = [indexKeys(a.keys), indexKeys(b.keys)]
  const removedItems = unmatched(a, indexInB)
  const renames = findRenames(node, removedItems, unmatched(b, indexInA))
  const sources = b.keys.map((key, index) => indexInA.get(key) ?? renames.get(index) ?? -1)
  for (const [index, source] of renames) {
    report(out, itemAt(b.keys[index]!, b.items[index]!), { kind: 'renamed', from: a.keys[source]!, to: b.keys[index]! })
  }
  const kept = new Set(renames.values())
  for (const { index, item } of removedItems) {
    if (!kept.has(index)) report(out, itemAt(a.keys[index]!, item), { kind: 'removed', before: item, from: a.keys[index - 1] ?? null })
  }
  const present = sources.flatMap((source, index) => (source < 0 ? [] : [index]))
  const staying = new Set(findLongestIncreasingSubsequence(present.map((index) => sources[index]!)).map((i) => present[i]!))
  for (const [index, source] of sources.entries()) {
    if (staying.has(index)) continue
    const to = b.keys[index - 1] ?? null
    const location = itemAt(b.keys[index]!, b.items[index]!)
    if (source < 0) report(out, location, { kind: 'added', after: b.items[index], to })
    else report(out, location, { kind: 'moved', from: a.keys[source - 1] ?? null, to })
  }
  for (const index of present) yield* inside(index, sources[index]!)
}

const indexKeys = (keys: readonly string[]) => new Map(keys.map((key, index) => [key, index]))

const unmatched = ({ keys, items }: Keyed, other: ReadonlyMap<string, number>): UnmatchedItem[] =>
  keys.flatMap((key, index) => (other.has(key) ? [] : [{ index, item: items[index]! }]))

/**
 * Compares two lists whose items have no keys. Removals use the old index from back to front, additions the new index from front to back,
 * so that they can be applied in order.
 */
function* comparePlain(
  out: Change[],
  at: DiffLocation,
  node: ListNode,
  a: readonly unknown[],
  b: readonly unknown[],
): CooperativeTask<void> {
  if (isDeepEqual(a, b)) return
  const itemAt = (index: number, item: unknown): DiffLocation => ({
    parent: at,
    segment: String(index),
    node: node.item,
    value: item,
    item: 'plain',
  })
  const { same, replaced } = pairListItems(node, a, b)
  const stays = new Set([...same, ...replaced].map(([index]) => index))
  const stands = new Set([...same, ...replaced].map(([, index]) => index))
  for (let index = a.length - 1; index >= 0; index--) {
    if (!stays.has(index)) report(out, itemAt(index, a[index]), { kind: 'removed', before: a[index] })
  }
  for (const [index, item] of b.entries()) if (!stands.has(index)) report(out, itemAt(index, item), { kind: 'added', after: item })
  for (const [from, to] of replaced) yield* compareValue(out, itemAt(to, b[to]), a[from], b[to])
}

/** Whether two values are deeply equal, ignoring key order and undefined values. */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => isDeepEqual(item, b[index]))
  }
  return (
    Object.keys(a).every((key) => isDeepEqual(getPart(a, key), getPart(b, key))) &&
    Object.keys(b).every((key) => Object.hasOwn(a, key) || getPart(b, key) === undefined)
  )
}
