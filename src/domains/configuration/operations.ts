import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { DOCUMENT_LIMITS, readInParts } from '../../kernel/read-json.ts'
import type { InParts } from '../../kernel/turns.ts'
import type { Issue } from './issues.ts'
import {
  childNames,
  follow,
  indexIn,
  isRecord,
  locate,
  lookingBack,
  noSuch,
  parsePointer,
  type Place,
  pointerOf,
  rootOf,
  step,
} from './pointers.ts'
import { redirectReferences } from './references.ts'
import { cleanHtml } from './rich-text.ts'
import { type ConfigDocument, MAX_DOCUMENT_BYTES } from './schema/event-config.ts'
import { type ConfigNode, childNode, type ListNode, nodeFor } from './schema/nodes.ts'
import { withoutDefaults } from './stored.ts'
import { checkPart } from './structure.ts'
import { translatesHtml } from './texts.ts'
import { mapInParts, spelledOut } from './walk.ts'

export const OPERATIONS = ['set', 'insert', 'remove', 'move', 'rename'] as const

/** One edit of a draft. Values travel as JSON text. */
export interface Operation {
  op: (typeof OPERATIONS)[number]
  path: string
  valueJson?: string | undefined
  /** Key of the item to stand before, or after. */
  before?: string | undefined
  after?: string | undefined
  at?: number | undefined
  /** The new key, or for a move the new list. */
  to?: string | undefined
}

export interface Applied {
  document: ConfigDocument
  renamedReferences: number
  warnings: Issue[]
}

/** Carries edits out one after the other, on a document that shares with the old one whatever stays. The first that fails fails all. */
export function* applyInParts(document: ConfigDocument, operations: readonly Operation[]): InParts<Applied> {
  refuseMuch(operations)
  const applied: Applied = { document, renamedReferences: 0, warnings: [] }
  for (const [index, operation] of operations.entries()) {
    yield
    const at = `operations/${index}`
    checkArguments(operation, at)
    yield* lookingBack(document, CARRY_OUT[operation.op](applied, operation, at))
  }
  return applied
}

/** All values of a call together, in characters: a whole configuration, however it is spaced. */
const MAX_VALUES = 2 * MAX_DOCUMENT_BYTES

function refuseMuch(operations: readonly Operation[]): void {
  const much = operations.reduce((sum, { valueJson }) => sum + (valueJson?.length ?? 0), 0)
  if (much > MAX_VALUES)
    throw invalidArguments([
      { path: 'operations', message: `their values have ${much} characters; one call takes ${MAX_VALUES}: make several calls of it` },
    ])
}

const CARRY_OUT: Record<Operation['op'], (applied: Applied, operation: Operation, at: string) => InParts<void>> = {
  set,
  insert,
  remove,
  move,
  rename,
}

const TAKES: Record<Operation['op'], readonly (keyof Operation)[]> = {
  set: ['valueJson'],
  insert: ['valueJson', 'before', 'after', 'at'],
  remove: [],
  move: ['before', 'after', 'at', 'to'],
  rename: ['to'],
}

function checkArguments(operation: Operation, at: string): void {
  const given = (['valueJson', 'before', 'after', 'at', 'to'] as const).filter((name) => operation[name] !== undefined)
  const wrong: FieldError[] = given
    .filter((name) => !TAKES[operation.op].includes(name))
    .map((name) => ({ path: `${at}/${name}`, message: `is not taken by ${operation.op}` }))
  if ((operation.op === 'set' || operation.op === 'insert') && operation.valueJson === undefined) {
    wrong.push({ path: `${at}/valueJson`, message: `is needed for ${operation.op}` })
  }
  if (operation.op === 'rename' && operation.to === undefined)
    wrong.push({ path: `${at}/to`, message: 'is needed for rename: the new key' })
  if (wrong.length > 0) throw invalidArguments(wrong)
}

export function* parseJson(text: string, argument: string): InParts<unknown> {
  const read = yield* readInParts(text, DOCUMENT_LIMITS)
  if ('problem' in read) throw invalidArguments([{ path: argument, message: read.detail }])
  return read.value
}

function* set(applied: Applied, { path, valueJson }: Operation, at: string): InParts<void> {
  const segments = parsePointer(path, `${at}/path`)
  const raw = yield* parseJson(valueJson!, `${at}/valueJson`)
  if (segments.length === 0) throw invalidArguments([{ path: `${at}/path`, message: 'the root cannot be set; set its sections' }])
  const { place, left } = follow(applied.document, segments)
  if (left.length === 0) {
    const around = follow(applied.document, segments.slice(0, -1)).place
    if (raw === null && around.node.kind === 'list' && around.node.key !== null) {
      throw invalidArguments([{ path: `${at}/valueJson`, message: 'an item is taken out by remove, not by null' }])
    }
    // A whole item may be replaced by one of another type, so it need not be what the old one was.
    const node = around.node.kind === 'list' ? around.node.item : place.node
    const value = raw === null ? undefined : yield* storable(applied, node, place.path, named(around, segments.at(-1)!, raw, at))
    applied.document = put(applied.document, parsePointer(place.path), value)
    return
  }
  const target = creatable(place, left, `${at}/path`)
  // What is not there need not be cleared, and nothing is made on the way to it.
  if (raw === null) return
  applied.document = put(
    applied.document,
    [...parsePointer(place.path), ...target.left],
    yield* storable(applied, target.node, place.path + pointerOf(target.left), raw),
  )
}

/** Optional objects on the way are made; items of lists never are, but for the end of a plain list. */
export function creatable(place: Place, left: readonly string[], argument: string): { node: ConfigNode; left: readonly string[] } {
  let { node } = place
  for (const [index, segment] of left.entries()) {
    if (node.kind === 'list') {
      const end =
        node.key === null && (segment === '-' || (index === 0 && segment === String((place.value as unknown[] | undefined)?.length ?? 0)))
      if (!end || index < left.length - 1) {
        const list = place.path + pointerOf(left.slice(0, index))
        if (node.key !== null)
          throw invalidArguments([{ path: argument, message: `${list} has no item ${JSON.stringify(segment)}: add it with op insert` }])
        throw noSuch(place, segment)
      }
      return { node: node.item, left: [...left.slice(0, index), '-'] }
    }
    const child = childNode(node, segment)
    if (!child) throw noSuch(place, segment)
    node = child
  }
  return { node, left }
}

/** An item keeps the key it is addressed by: it may be left out of the value, and differ only by a rename. */
function named({ node }: Place, segment: string, value: unknown, at: string): unknown {
  if (node.kind !== 'list' || node.key === null || !isRecord(value)) return value
  const { key } = node
  if (value[key] !== undefined && value[key] !== segment) {
    throw invalidArguments([
      { path: `${at}/valueJson`, message: `${key} ${JSON.stringify(value[key])} differs from the path; use op rename` },
    ])
  }
  return { ...value, [key]: segment }
}

function* insert(applied: Applied, operation: Operation, at: string): InParts<void> {
  const segments = parsePointer(operation.path, `${at}/path`)
  let { place, left } = follow(applied.document, segments)
  let position = operation.at
  // A plain list is also named with the place of the new item: /products/gala/prices/1
  if (left.length === 0 && place.node.kind !== 'list' && segments.length > 0) {
    const parent = locate(applied.document, pointerOf(segments.slice(0, -1)))
    if (parent.node.kind === 'list') {
      if (parent.node.key !== null) throw invalidArguments([{ path: `${at}/path`, message: `${place.path} exists already` }])
      ;[place, left] = [parent, [segments.at(-1)!]]
    }
  }
  const { node } = place
  if (node.kind !== 'list') {
    if (left.length > 0) throw noSuch(place, left[0]!)
    throw invalidArguments([{ path: `${at}/path`, message: `${place.path || 'the root'} is no list: use op set` }])
  }
  if (left.length > 1) throw noSuch(place, left[0]!)
  const raw = yield* parseJson(operation.valueJson!, `${at}/valueJson`)
  const items = Array.isArray(place.value) ? (place.value as unknown[]) : []
  const [last] = left
  if (node.key === null && last !== undefined && last !== '-') {
    if (!/^\d+$/.test(last) || Number(last) > items.length) throw noSuch(place, last)
    position ??= Number(last)
  }
  const value = node.key !== null && last !== undefined && isRecord(raw) ? withKey(node, last, raw, at) : raw
  const key = node.key !== null && isRecord(value) ? value[node.key] : undefined
  if (node.key !== null && typeof key === 'string' && items.some((item) => isRecord(item) && item[node.key!] === key)) {
    throw invalidArguments([{ path: `${at}/path`, message: `${place.path}${pointerOf([key])} exists already` }])
  }
  const stored = yield* storable(
    applied,
    node.item,
    place.path + pointerOf([typeof key === 'string' ? key : String(position ?? items.length)]),
    value,
  )
  const index = positionIn(place, items, { ...operation, at: position }, at) ?? endFor(node, items, stored)
  applied.document = put(applied.document, parsePointer(place.path), items.toSpliced(index, 0, stored))
}

function withKey(node: ListNode, segment: string, value: Record<string, unknown>, at: string): Record<string, unknown> {
  if (value[node.key!] !== undefined && value[node.key!] !== segment) {
    throw invalidArguments([{ path: `${at}/valueJson`, message: `${node.key} ${JSON.stringify(value[node.key!])} differs from the path` }])
  }
  return { ...value, [node.key!]: segment }
}

/** Where an item goes for which no place was named: to the end, but before what has to be last. */
export function endFor({ word }: ListNode, items: readonly unknown[], item: unknown): number {
  const closed = word.closes !== undefined && items.length > 0 && word.closes(items.at(-1)) && !word.closes(item)
  return closed ? items.length - 1 : items.length
}

/** Where in a list: before or after an item or at an index; null when none of these was said. */
function positionIn(place: Place, items: readonly unknown[], { before, after, at }: Operation, argument: string): number | null {
  const key = place.node.kind === 'list' ? place.node.key : null
  if ([before, after, at].filter((one) => one !== undefined).length > 1) {
    throw invalidArguments([{ path: argument, message: 'takes one of before, after and at' }])
  }
  if (at !== undefined) return Math.min(at, items.length)
  const anchor = before ?? after
  if (anchor === undefined) return null
  const index = indexIn(items, anchor, key)
  if (index < 0) {
    const name = before === undefined ? 'after' : 'before'
    throw invalidArguments([
      { path: `${argument}/${name}`, message: `${place.path} has no ${JSON.stringify(anchor)}`, allowed: childNames(place).slice(0, 20) },
    ])
  }
  return before === undefined ? index + 1 : index
}

function* remove(applied: Applied, { path }: Operation, at: string): InParts<void> {
  yield
  const place = locate(applied.document, path)
  if (place.path === '') throw invalidArguments([{ path: `${at}/path`, message: 'the root cannot be removed' }])
  applied.document = put(applied.document, parsePointer(place.path), undefined)
}

/** The list an item is in, and where. */
function itemAt(document: ConfigDocument, path: string, at: string): { item: Place; list: Place; index: number } {
  const item = locate(document, path)
  const segments = parsePointer(item.path)
  const list = locate(document, pointerOf(segments.slice(0, -1)))
  if (segments.length === 0 || list.node.kind !== 'list') {
    throw invalidArguments([{ path: `${at}/path`, message: `${item.path || 'the root'} is no item of a list` }])
  }
  return { item, list, index: indexIn(list.value as unknown[], segments.at(-1)!, list.node.key) }
}

function* move(applied: Applied, operation: Operation, at: string): InParts<void> {
  yield
  const { item, list, index } = itemAt(applied.document, operation.path, at)
  const rest = (list.value as unknown[]).toSpliced(index, 1)
  const target = operation.to === undefined ? list : listAt(applied.document, operation.to, at)
  if (target.path === list.path) {
    const position = positionIn(list, rest, operation, at) ?? rest.length
    applied.document = put(applied.document, parsePointer(list.path), rest.toSpliced(position, 0, item.value))
    return
  }
  const [from, to] = [list.node as ListNode, target.node as ListNode]
  if (from.item !== to.item) throw invalidArguments([{ path: `${at}/to`, message: `${target.path} takes other items than ${list.path}` }])
  if (`${target.path}/`.startsWith(`${item.path}/`)) throw invalidArguments([{ path: `${at}/to`, message: 'is inside what is moved' }])
  const key = to.key !== null && isRecord(item.value) ? String(item.value[to.key]) : null
  const items = Array.isArray(target.value) ? (target.value as unknown[]) : []
  if (key !== null && indexOfKey(items, to.key!, key) >= 0)
    throw invalidArguments([{ path: `${at}/to`, message: `${target.path} has ${JSON.stringify(key)} already` }])
  const position = positionIn(target, items, operation, at) ?? endFor(to, items, item.value)
  const without = put(applied.document, parsePointer(list.path), rest)
  const moved = put(without, parsePointer(target.path), items.toSpliced(position, 0, item.value))
  redirect(applied, moved, item.path, target.path + pointerOf([key ?? String(position)]))
}

function listAt(document: ConfigDocument, path: string, at: string): Place {
  const place = locate(document, path)
  if (place.node.kind !== 'list') throw invalidArguments([{ path: `${at}/to`, message: `${place.path || 'the root'} is no list` }])
  return place
}

const indexOfKey = (items: readonly unknown[], key: string, value: string) =>
  items.findIndex((item) => isRecord(item) && item[key] === value)

function* rename(applied: Applied, { path, to }: Operation, at: string): InParts<void> {
  const { item, list } = itemAt(applied.document, path, at)
  const { key, item: node } = list.node as ListNode
  if (key === null || !isRecord(item.value)) throw invalidArguments([{ path: `${at}/path`, message: `${item.path} has no key to rename` }])
  const checked = yield* checkPart(childNode(nodeFor(node, item.value), key)!, item.path, to)
  if (!checked.ok) throw invalidArguments([{ path: `${at}/to`, message: checked.issues[0]!.message }])
  const next = checked.value as string
  if (next === item.value[key]) return
  if (indexOfKey(list.value as unknown[], key, next) >= 0)
    throw invalidArguments([{ path: `${at}/to`, message: `${list.path} has ${JSON.stringify(next)} already` }])
  const renamed = put(applied.document, [...parsePointer(item.path), key], next)
  redirect(applied, renamed, item.path, list.path + pointerOf([next]))
}

/** Whatever pointed at or below the old place points at the new one. */
function redirect(applied: Applied, document: ConfigDocument, from: string, to: string): void {
  const { document: next, rewritten } = redirectReferences(document, (reference) =>
    reference.to !== null && (reference.to === from || reference.to.startsWith(`${from}/`)) ? to + reference.to.slice(from.length) : null,
  )
  applied.document = next
  applied.renamedReferences += rewritten
}

/** A value as it is stored: checked, cleaned, without defaults. */
function* storable(applied: Applied, node: ConfigNode, path: string, value: unknown): InParts<unknown> {
  yield
  const clean = yield* withCleanHtml(applied, node, path, spelledOut(node, value))
  yield
  const checked = yield* checkPart(node, path, clean)
  yield
  if (!checked.ok) throw invalidArguments(checked.issues.slice(0, 50).map(({ path: where, message }) => ({ path: where, message })))
  return withoutDefaults(node, checked.value)
}

/** Every rich text in it, in whichever language, without what is not allowed there; what was taken out is told as a warning. */
export const withCleanHtml = (applied: Pick<Applied, 'warnings'>, node: ConfigNode, path: string, value: unknown): InParts<unknown> =>
  mapInParts(node, value, path, ({ word }, text, at) => {
    if (typeof text !== 'string' || !(word.html || translatesHtml(at))) return text
    const { html, stripped } = cleanHtml(text)
    if (stripped) {
      applied.warnings.push({
        level: 'warning',
        code: 'htmlStripped',
        path: at,
        message: 'held tags or attributes that are not allowed; they were taken out',
      })
    }
    return html
  })

/** The document with another value at a place; undefined takes it out. Only what lies on the way is copied. */
export function put(document: ConfigDocument, segments: readonly string[], value: unknown): ConfigDocument {
  const write = (place: Place, left: readonly string[]): unknown => {
    const [segment, ...rest] = left
    if (segment === undefined) return value
    if (place.node.kind === 'list') {
      const items = Array.isArray(place.value) ? (place.value as unknown[]) : []
      const index = segment === '-' ? items.length : indexIn(items, segment, place.node.key)
      if (index < 0) throw noSuch(place, segment)
      const path = place.path + pointerOf([segment])
      const inner = write({ node: nodeFor(place.node.item, items[index]), value: items[index], path }, rest)
      return inner === undefined ? items.toSpliced(index, 1) : items.toSpliced(index, 1, inner)
    }
    const below = step({ ...place, value: place.value ?? {} }, segment) ?? {
      node: childNode(place.node, segment, place.value)!,
      value: undefined,
      path: place.path + pointerOf([segment]),
    }
    const inner = write(below, rest)
    const own = isRecord(place.value) ? place.value : {}
    if (inner !== undefined) return { ...own, [segment]: inner }
    const { [segment]: _, ...others } = own
    return others
  }
  return write(rootOf(document), segments) as ConfigDocument
}
