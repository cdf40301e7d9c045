import type { InParts } from '../../../kernel/turns.ts'
import { isRecord, isUnder } from '../pointers.ts'
import type { ConfigDocument } from '../schema/event-config.ts'
import { type ConfigNode, type ListNode, nodeFor, ROOT } from '../schema/nodes.ts'
import { withoutDefaults } from '../stored.ts'
import { type At, fieldAt, inWords, pathOf } from './places.ts'
import { findRenames, type Unmatched } from './renames.ts'
import { alignRows } from './rows.ts'
import { longestIncreasing } from './sequences.ts'

export const CHANGE_KINDS = ['added', 'removed', 'changed', 'moved', 'renamed'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** One difference. Applied in their order to the first document, all of them give the second. */
export interface Change {
  /** As the second document has it; of what was removed, as the first had it, below parents under their new keys. */
  path: string
  kind: ChangeKind
  title: string
  /** The last words of the title: what it stands in. */
  within: string | null
  before?: unknown
  after?: unknown
  /** Of items with keys: the key of the item it stood or stands behind, null at the front. Of a rename: the old and the new key. */
  from?: string | null
  to?: string | null
}

/** What turns one document into another, both in stored form. */
export function* diffDocuments(a: ConfigDocument, b: ConfigDocument, { under = '' }: { under?: string } = {}): InParts<Change[]> {
  const changes: Change[] = []
  const root: At = { parent: null, segment: '', node: ROOT, value: b, item: null }
  const section = under.split('/')[1]
  for (const [name, node] of ROOT.fields) {
    if (section === undefined || section === name) yield* compareField(changes, root, name, node, partOf(a, name), partOf(b, name))
  }
  compareUnknown(changes, root, ROOT.fields, a, b)
  return under === '' ? changes : changes.filter((change) => touches(change, under))
}

/** What is at or below a pointer, and what holds it as a whole. */
function touches({ path, kind, from }: Change, under: string): boolean {
  if (isUnder(path, under)) return true
  if (kind === 'renamed') return isUnder(path.slice(0, path.lastIndexOf('/') + 1) + from!, under)
  return kind !== 'moved' && isUnder(under, path)
}

const partOf = (value: object, name: string): unknown => (Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined)

type Difference = Pick<Change, 'kind' | 'before' | 'after' | 'from' | 'to'>

function report(out: Change[], at: At, difference: Difference): void {
  const { title, within } = inWords(at)
  out.push({ path: pathOf(at), title: title.charAt(0).toUpperCase() + title.slice(1), within, ...difference })
}

const defaults = new WeakMap<ConfigNode, { value: unknown }>()

/** What a key that is left out reads as, in stored form. */
export function absentValue(node: ConfigNode): unknown {
  const found = defaults.get(node)
  if (found) return found.value
  const value = node.default === undefined ? undefined : withoutDefaults(node, node.default)
  defaults.set(node, { value })
  return value
}

/** Leaving out means the default: a flag that is set was changed, a list that gets its first item had none before. */
function* compareField(out: Change[], parent: At, name: string, node: ConfigNode, a: unknown, b: unknown): InParts<void> {
  if (a === b) return
  const before = (a === undefined ? absentValue(node) : a) ?? null
  const after = (b === undefined ? absentValue(node) : b) ?? null
  if (before === after) return
  const at = fieldAt(parent, name, node, after ?? before)
  if (before === null) report(out, at, { kind: 'added', after })
  else if (after === null) report(out, at, { kind: 'removed', before })
  else yield* compareValue(out, at, before, after)
}

function* compareValue(out: Change[], at: At, a: unknown, b: unknown, except: string | null = null): InParts<void> {
  if (a === b) return
  const [inA, inB] = [nodeFor(at.node, a), nodeFor(at.node, b)]
  if (inB.kind === 'object' && isRecord(a) && isRecord(b)) {
    if (inA === inB) {
      for (const [name, node] of inB.fields) if (name !== except) yield* compareField(out, at, name, node, partOf(a, name), partOf(b, name))
      compareUnknown(out, at, inB.fields, a, b)
    } else {
      // A widget of another type: what a key means is no longer the same.
      compareUnknown(out, at, except === null ? NONE : new Map([[except, inB]]), a, b)
    }
  } else if (inB.kind === 'list' && Array.isArray(a) && Array.isArray(b)) yield* compareList(out, at, inB, a, b)
  else if (inB.kind === 'record' && isRecord(a) && isRecord(b)) yield* compareRecord(out, at, inB.value, a, b)
  else if (!isSame(a, b)) report(out, at, { kind: 'changed', before: a, after: b })
}

const NONE: ReadonlyMap<string, ConfigNode> = new Map()

/** Keys that the schema does not have here, each as a whole. */
function compareUnknown(out: Change[], parent: At, fields: ReadonlyMap<string, ConfigNode>, a: object, b: object): void {
  const unknown = [...Object.keys(a), ...Object.keys(b)].filter((name) => !fields.has(name))
  for (const name of new Set(unknown)) {
    const [before, after] = [partOf(a, name), partOf(b, name)]
    if (isSame(before, after)) continue
    const at = fieldAt(parent, name, fieldNode(parent, name, after ?? before), after ?? before)
    if (before === undefined) report(out, at, { kind: 'added', after })
    else if (after === undefined) report(out, at, { kind: 'removed', before })
    else report(out, at, { kind: 'changed', before, after })
  }
}

function fieldNode({ node, value }: At, name: string, part: unknown): ConfigNode {
  const own = nodeFor(node, value)
  const field = own.kind === 'object' ? own.fields.get(name) : undefined
  return (
    field ?? {
      kind: 'value',
      title: name,
      help: null,
      default: undefined,
      nullable: false,
      word: {},
      type: own.type,
      valueType: typeof part,
      allowed: null,
    }
  )
}

function* compareRecord(out: Change[], at: At, node: ConfigNode, a: object, b: object): InParts<void> {
  for (const name of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
    const [before, after] = [partOf(a, name), partOf(b, name)]
    if (before === after) continue
    yield
    const below = fieldAt(at, name, node, after ?? before)
    if (before === undefined) report(out, below, { kind: 'added', after })
    else if (after === undefined) report(out, below, { kind: 'removed', before })
    else yield* compareValue(out, below, before, after)
  }
}

function* compareList(out: Change[], at: At, node: ListNode, a: readonly unknown[], b: readonly unknown[]): InParts<void> {
  if (node.key === null) return yield* comparePlain(out, at, node, a, b)
  const [inA, inB] = [keysOf(a, node.key), keysOf(b, node.key)]
  if (inA && inB) yield* compareKeyed(out, at, node, { items: a as object[], keys: inA }, { items: b as object[], keys: inB })
  else if (!isSame(a, b)) report(out, at, { kind: 'changed', before: a, after: b })
}

/** Null when an item has no key or two have the same: such a list has no pointers into it. */
function keysOf(items: readonly unknown[], key: string): string[] | null {
  const keys = items.map((item) => (isRecord(item) ? item[key] : undefined))
  return keys.every((own) => typeof own === 'string' && own !== '') && new Set(keys).size === keys.length ? (keys as string[]) : null
}

interface Keyed {
  items: readonly object[]
  keys: readonly string[]
}

/** First what got another key, then what went, then what stands elsewhere or came, front to back; then what is inside. */
function* compareKeyed(out: Change[], at: At, node: ListNode, a: Keyed, b: Keyed): InParts<void> {
  const itemAt = (key: string, item: object): At => ({ parent: at, segment: key, node: node.item, value: item, item: 'keyed' })
  const inside = function* (index: number, source: number): InParts<void> {
    if (a.items[source] === b.items[index]) return
    yield
    const renamed = a.keys[source] !== b.keys[index]
    yield* compareValue(out, itemAt(b.keys[index]!, b.items[index]!), a.items[source], b.items[index], renamed ? node.key : null)
  }
  if (a.keys.length === b.keys.length && a.keys.every((key, index) => key === b.keys[index])) {
    for (const index of a.keys.keys()) yield* inside(index, index)
    return
  }
  const [placeInA, placeInB] = [placesOf(a.keys), placesOf(b.keys)]
  const went = unmatched(a, placeInB)
  const renames = findRenames(node, went, unmatched(b, placeInA))
  const sources = b.keys.map((key, index) => placeInA.get(key) ?? renames.get(index) ?? -1)
  for (const [index, source] of renames) {
    report(out, itemAt(b.keys[index]!, b.items[index]!), { kind: 'renamed', from: a.keys[source]!, to: b.keys[index]! })
  }
  const kept = new Set(renames.values())
  for (const { index, item } of went) {
    if (!kept.has(index)) report(out, itemAt(a.keys[index]!, item), { kind: 'removed', before: item, from: a.keys[index - 1] ?? null })
  }
  const present = sources.flatMap((source, index) => (source < 0 ? [] : [index]))
  const staying = new Set(longestIncreasing(present.map((index) => sources[index]!)).map((i) => present[i]!))
  for (const [index, source] of sources.entries()) {
    if (staying.has(index)) continue
    const to = b.keys[index - 1] ?? null
    const place = itemAt(b.keys[index]!, b.items[index]!)
    if (source < 0) report(out, place, { kind: 'added', after: b.items[index], to })
    else report(out, place, { kind: 'moved', from: a.keys[source - 1] ?? null, to })
  }
  for (const index of present) yield* inside(index, sources[index]!)
}

const placesOf = (keys: readonly string[]) => new Map(keys.map((key, index) => [key, index]))

const unmatched = ({ keys, items }: Keyed, other: ReadonlyMap<string, number>): Unmatched[] =>
  keys.flatMap((key, index) => (other.has(key) ? [] : [{ index, item: items[index]! }]))

/** Removals are told by their old index from the back, additions by their new one from the front: either works in that order. */
function* comparePlain(out: Change[], at: At, node: ListNode, a: readonly unknown[], b: readonly unknown[]): InParts<void> {
  if (isSame(a, b)) return
  const itemAt = (index: number, item: unknown): At => ({ parent: at, segment: String(index), node: node.item, value: item, item: 'plain' })
  const { same, replaced } = alignRows(node, a, b)
  const stays = new Set([...same, ...replaced].map(([index]) => index))
  const stands = new Set([...same, ...replaced].map(([, index]) => index))
  for (let index = a.length - 1; index >= 0; index--) {
    if (!stays.has(index)) report(out, itemAt(index, a[index]), { kind: 'removed', before: a[index] })
  }
  for (const [index, item] of b.entries()) if (!stands.has(index)) report(out, itemAt(index, item), { kind: 'added', after: item })
  for (const [from, to] of replaced) yield* compareValue(out, itemAt(to, b[to]), a[from], b[to])
}

/** Equal in meaning: the order of keys says nothing, nor does one that is undefined. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index]))
  }
  return (
    Object.keys(a).every((key) => isSame(partOf(a, key), partOf(b, key))) &&
    Object.keys(b).every((key) => Object.hasOwn(a, key) || partOf(b, key) === undefined)
  )
}
