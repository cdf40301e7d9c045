import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { CONFIGURATION_JSON_LIMITS, readJsonSteps } from '../../kernel/read-json.ts'
import type { CooperativeTask } from '../../kernel/cooperative.ts'
import type { ConfigIssue } from './issues.ts'
import {
  listChildNames,
  followPointer,
  findItemIndex,
  isJsonObject,
  getLocationAtPointer,
  withSavedPathHint,
  createUnknownPathError,
  parsePointer,
  type ConfigLocation,
  toPointer,
  getConfigRootLocation,
  findChildLocation,
} from './pointers.ts'
import { rewriteConfigReferences } from './references.ts'
import { cleanHtml } from './rich-text.ts'
import { type ConfigDocument, MAX_DOCUMENT_BYTES } from './schema/event-config.ts'
import { type ConfigNode, findChildNode, type ListNode, resolveUnionNode } from './schema/nodes.ts'
import { stripDefaults } from './stored.ts'
import { checkValueInParts } from './structure.ts'
import { isHtmlTranslation } from './texts.ts'
import { mapValuesInParts, expandShorthand } from './walk.ts'

export const CONFIG_OPERATIONS = ['set', 'insert', 'remove', 'move', 'rename'] as const

/** One edit of a draft. Values are passed as JSON text. */
export interface ConfigOperation {
  op: (typeof CONFIG_OPERATIONS)[number]
  path: string
  valueJson?: string | undefined
  /** The key of the list item before or after which the new item is inserted. */
  before?: string | undefined
  after?: string | undefined
  at?: number | undefined
  /** The new key for a rename, or the target list for a move. */
  to?: string | undefined
}

export interface ConfigOperationsResult {
  document: ConfigDocument
  renamedReferences: number
  warnings: ConfigIssue[]
}

/** Applies edits to a configuration in order. The new document shares unchanged parts with the old one. If one edit fails, all fail. */
export function* applyOperationsInParts(
  document: ConfigDocument,
  operations: readonly ConfigOperation[],
): CooperativeTask<ConfigOperationsResult> {
  checkTotalSize(operations)
  const applied: ConfigOperationsResult = { document, renamedReferences: 0, warnings: [] }
  for (const [index, operation] of operations.entries()) {
    yield
    const at = `operations/${index}`
    checkArguments(operation, at)
    yield* withSavedPathHint(document, OPERATION_HANDLERS[operation.op](applied, operation, at))
  }
  return applied
}

/** Maximum total length of the values in one call, in characters. Allows a whole configuration with generous whitespace. */
const MAX_VALUES = 2 * MAX_DOCUMENT_BYTES

function checkTotalSize(operations: readonly ConfigOperation[]): void {
  const much = operations.reduce((sum, { valueJson }) => sum + (valueJson?.length ?? 0), 0)
  if (much > MAX_VALUES)
    throw invalidArguments([
      { path: 'operations', message: `the values have ${much} characters; one call accepts ${MAX_VALUES}: split them into several calls` },
    ])
}

const OPERATION_HANDLERS: Record<
  ConfigOperation['op'],
  (applied: ConfigOperationsResult, operation: ConfigOperation, at: string) => CooperativeTask<void>
> = {
  set,
  insert,
  remove,
  move,
  rename,
}

const OPERATION_ARGUMENTS: Record<ConfigOperation['op'], readonly (keyof ConfigOperation)[]> = {
  set: ['valueJson'],
  insert: ['valueJson', 'before', 'after', 'at'],
  remove: [],
  move: ['before', 'after', 'at', 'to'],
  rename: ['to'],
}

function checkArguments(operation: ConfigOperation, at: string): void {
  const given = (['valueJson', 'before', 'after', 'at', 'to'] as const).filter((name) => operation[name] !== undefined)
  const wrong: FieldError[] = given
    .filter((name) => !OPERATION_ARGUMENTS[operation.op].includes(name))
    .map((name) => ({ path: `${at}/${name}`, message: `does not apply to ${operation.op}` }))
  if ((operation.op === 'set' || operation.op === 'insert') && operation.valueJson === undefined) {
    wrong.push({ path: `${at}/valueJson`, message: `is needed for ${operation.op}` })
  }
  if (operation.op === 'rename' && operation.to === undefined)
    wrong.push({ path: `${at}/to`, message: 'is required for rename: the new key' })
  if (wrong.length > 0) throw invalidArguments(wrong)
}

export function* parseJson(text: string, argument: string): CooperativeTask<unknown> {
  const read = yield* readJsonSteps(text, CONFIGURATION_JSON_LIMITS)
  if ('problem' in read) throw invalidArguments([{ path: argument, message: read.detail }])
  return read.value
}

function* set(applied: ConfigOperationsResult, { path, valueJson }: ConfigOperation, at: string): CooperativeTask<void> {
  const segments = parsePointer(path, `${at}/path`)
  const raw = yield* parseJson(valueJson!, `${at}/valueJson`)
  if (segments.length === 0) throw invalidArguments([{ path: `${at}/path`, message: 'the root cannot be set; set its sections' }])
  const { location, left } = followPointer(applied.document, segments)
  if (left.length === 0) {
    const around = followPointer(applied.document, segments.slice(0, -1)).location
    if (raw === null && around.node.kind === 'list' && around.node.key !== null) {
      throw invalidArguments([{ path: `${at}/valueJson`, message: 'null cannot delete an item: use op remove' }])
    }
    // The new item may have another type, so validate it against all item types of the list.
    const node = around.node.kind === 'list' ? around.node.item : location.node
    const value = raw === null ? undefined : yield* toStorable(applied, node, location.path, withPathKey(around, segments.at(-1)!, raw, at))
    applied.document = replaceAtPath(applied.document, parsePointer(location.path), value)
    return
  }
  const target = findOrCreateConfigLocation(location, left, `${at}/path`)
  // Clearing a missing value changes nothing, so it must not create the objects around the value.
  if (raw === null) return
  applied.document = replaceAtPath(
    applied.document,
    [...parsePointer(location.path), ...target.left],
    yield* toStorable(applied, target.node, location.path + toPointer(target.left), raw),
  )
}

/**
 * Finds the location that an edit writes to. Missing optional objects on the path are created. List items are not, except at the end of a
 * list without keys.
 */
export function findOrCreateConfigLocation(
  location: ConfigLocation,
  left: readonly string[],
  argument: string,
): { node: ConfigNode; left: readonly string[] } {
  let { node } = location
  for (const [index, segment] of left.entries()) {
    if (node.kind === 'list') {
      const end =
        node.key === null &&
        (segment === '-' || (index === 0 && segment === String((location.value as unknown[] | undefined)?.length ?? 0)))
      if (!end || index < left.length - 1) {
        const list = location.path + toPointer(left.slice(0, index))
        if (node.key !== null)
          throw invalidArguments([{ path: argument, message: `${list} has no item ${JSON.stringify(segment)}: add it with op insert` }])
        throw createUnknownPathError(location, segment)
      }
      return { node: node.item, left: [...left.slice(0, index), '-'] }
    }
    const child = findChildNode(node, segment)
    if (!child) throw createUnknownPathError(location, segment)
    node = child
  }
  return { node, left }
}

/** Adds the key from the path to an item's value. The value may omit the key; only the operation `rename` changes a key. */
function withPathKey({ node }: ConfigLocation, segment: string, value: unknown, at: string): unknown {
  if (node.kind !== 'list' || node.key === null || !isJsonObject(value)) return value
  const { key } = node
  if (value[key] !== undefined && value[key] !== segment) {
    throw invalidArguments([
      { path: `${at}/valueJson`, message: `${key} ${JSON.stringify(value[key])} differs from the path; use op rename` },
    ])
  }
  return { ...value, [key]: segment }
}

function* insert(applied: ConfigOperationsResult, operation: ConfigOperation, at: string): CooperativeTask<void> {
  const segments = parsePointer(operation.path, `${at}/path`)
  let { location, left } = followPointer(applied.document, segments)
  let position = operation.at
  // For a list without keys, the path may include the index of the new item: /products/gala/prices/1
  if (left.length === 0 && location.node.kind !== 'list' && segments.length > 0) {
    const parent = getLocationAtPointer(applied.document, toPointer(segments.slice(0, -1)))
    if (parent.node.kind === 'list') {
      if (parent.node.key !== null) throw invalidArguments([{ path: `${at}/path`, message: `${location.path} exists already` }])
      ;[location, left] = [parent, [segments.at(-1)!]]
    }
  }
  const { node } = location
  if (node.kind !== 'list') {
    if (left.length > 0) throw createUnknownPathError(location, left[0]!)
    throw invalidArguments([{ path: `${at}/path`, message: `${location.path || 'the root'} is not a list: use op set` }])
  }
  if (left.length > 1) throw createUnknownPathError(location, left[0]!)
  const raw = yield* parseJson(operation.valueJson!, `${at}/valueJson`)
  const items = Array.isArray(location.value) ? (location.value as unknown[]) : []
  const [last] = left
  if (node.key === null && last !== undefined && last !== '-') {
    if (!/^\d+$/.test(last) || Number(last) > items.length) throw createUnknownPathError(location, last)
    position ??= Number(last)
  }
  const value = node.key !== null && last !== undefined && isJsonObject(raw) ? withKey(node, last, raw, at) : raw
  const key = node.key !== null && isJsonObject(value) ? value[node.key] : undefined
  if (node.key !== null && typeof key === 'string' && items.some((item) => isJsonObject(item) && item[node.key!] === key)) {
    throw invalidArguments([{ path: `${at}/path`, message: `${location.path}${toPointer([key])} exists already` }])
  }
  const stored = yield* toStorable(
    applied,
    node.item,
    location.path + toPointer([typeof key === 'string' ? key : String(position ?? items.length)]),
    value,
  )
  const index = positionIn(location, items, { ...operation, at: position }, at) ?? getInsertIndex(node, items, stored)
  applied.document = replaceAtPath(applied.document, parsePointer(location.path), items.toSpliced(index, 0, stored))
}

function withKey(node: ListNode, segment: string, value: Record<string, unknown>, at: string): Record<string, unknown> {
  if (value[node.key!] !== undefined && value[node.key!] !== segment) {
    throw invalidArguments([{ path: `${at}/valueJson`, message: `${node.key} ${JSON.stringify(value[node.key!])} differs from the path` }])
  }
  return { ...value, [node.key!]: segment }
}

/** Returns the default index of a new list item: the end, but before an item that must be last. */
export function getInsertIndex({ annotations }: ListNode, items: readonly unknown[], item: unknown): number {
  const closed = annotations.closes !== undefined && items.length > 0 && annotations.closes(items.at(-1)) && !annotations.closes(item)
  return closed ? items.length - 1 : items.length
}

/** Returns the list index given by `before`, `after` or `at`; null if none is given. */
function positionIn(
  location: ConfigLocation,
  items: readonly unknown[],
  { before, after, at }: ConfigOperation,
  argument: string,
): number | null {
  const key = location.node.kind === 'list' ? location.node.key : null
  if ([before, after, at].filter((one) => one !== undefined).length > 1) {
    throw invalidArguments([{ path: argument, message: 'accepts only one of before, after and at' }])
  }
  if (at !== undefined) return Math.min(at, items.length)
  const anchor = before ?? after
  if (anchor === undefined) return null
  const index = findItemIndex(items, anchor, key)
  if (index < 0) {
    const name = before === undefined ? 'after' : 'before'
    throw invalidArguments([
      {
        path: `${argument}/${name}`,
        message: `${location.path} has no ${JSON.stringify(anchor)}`,
        allowed: listChildNames(location).slice(0, 20),
      },
    ])
  }
  return before === undefined ? index + 1 : index
}

function* remove(applied: ConfigOperationsResult, { path }: ConfigOperation, at: string): CooperativeTask<void> {
  yield
  const location = getLocationAtPointer(applied.document, path)
  if (location.path === '') throw invalidArguments([{ path: `${at}/path`, message: 'the root cannot be removed' }])
  applied.document = replaceAtPath(applied.document, parsePointer(location.path), undefined)
}

/** Finds the list item at a path of the configuration, with its list and its index. Throws if the path is not that of a list item. */
function getListItem(document: ConfigDocument, path: string, at: string): { item: ConfigLocation; list: ConfigLocation; index: number } {
  const item = getLocationAtPointer(document, path)
  const segments = parsePointer(item.path)
  const list = getLocationAtPointer(document, toPointer(segments.slice(0, -1)))
  if (segments.length === 0 || list.node.kind !== 'list') {
    throw invalidArguments([{ path: `${at}/path`, message: `${item.path || 'the root'} is not a list item` }])
  }
  return { item, list, index: findItemIndex(list.value as unknown[], segments.at(-1)!, list.node.key) }
}

function* move(applied: ConfigOperationsResult, operation: ConfigOperation, at: string): CooperativeTask<void> {
  yield
  const { item, list, index } = getListItem(applied.document, operation.path, at)
  const rest = (list.value as unknown[]).toSpliced(index, 1)
  const target = operation.to === undefined ? list : getList(applied.document, operation.to, at)
  if (target.path === list.path) {
    const position = positionIn(list, rest, operation, at) ?? rest.length
    applied.document = replaceAtPath(applied.document, parsePointer(list.path), rest.toSpliced(position, 0, item.value))
    return
  }
  const [from, to] = [list.node as ListNode, target.node as ListNode]
  if (from.item !== to.item)
    throw invalidArguments([{ path: `${at}/to`, message: `${target.path} does not accept the items of ${list.path}` }])
  if (`${target.path}/`.startsWith(`${item.path}/`))
    throw invalidArguments([{ path: `${at}/to`, message: 'is inside the item that is moved' }])
  const key = to.key !== null && isJsonObject(item.value) ? String(item.value[to.key]) : null
  const items = Array.isArray(target.value) ? (target.value as unknown[]) : []
  if (key !== null && indexOfKey(items, to.key!, key) >= 0)
    throw invalidArguments([{ path: `${at}/to`, message: `${target.path} has ${JSON.stringify(key)} already` }])
  const position = positionIn(target, items, operation, at) ?? getInsertIndex(to, items, item.value)
  const without = replaceAtPath(applied.document, parsePointer(list.path), rest)
  const moved = replaceAtPath(without, parsePointer(target.path), items.toSpliced(position, 0, item.value))
  redirectTo(applied, moved, item.path, target.path + toPointer([key ?? String(position)]))
}

function getList(document: ConfigDocument, path: string, at: string): ConfigLocation {
  const location = getLocationAtPointer(document, path)
  if (location.node.kind !== 'list') throw invalidArguments([{ path: `${at}/to`, message: `${location.path || 'the root'} is not a list` }])
  return location
}

const indexOfKey = (items: readonly unknown[], key: string, value: string) =>
  items.findIndex((item) => isJsonObject(item) && item[key] === value)

function* rename(applied: ConfigOperationsResult, { path, to }: ConfigOperation, at: string): CooperativeTask<void> {
  const { item, list } = getListItem(applied.document, path, at)
  const { key, item: node } = list.node as ListNode
  if (key === null || !isJsonObject(item.value))
    throw invalidArguments([{ path: `${at}/path`, message: `${item.path} has no key to rename` }])
  const checked = yield* checkValueInParts(findChildNode(resolveUnionNode(node, item.value), key)!, item.path, to)
  if (!checked.ok) throw invalidArguments([{ path: `${at}/to`, message: checked.issues[0]!.message }])
  const next = checked.value as string
  if (next === item.value[key]) return
  if (indexOfKey(list.value as unknown[], key, next) >= 0)
    throw invalidArguments([{ path: `${at}/to`, message: `${list.path} has ${JSON.stringify(next)} already` }])
  const renamed = replaceAtPath(applied.document, [...parsePointer(item.path), key], next)
  redirectTo(applied, renamed, item.path, list.path + toPointer([next]))
}

/** After an item was renamed or moved, changes references to its old path, or to a path below it, to the new path. */
function redirectTo(applied: ConfigOperationsResult, document: ConfigDocument, from: string, to: string): void {
  const { document: next, rewritten } = rewriteConfigReferences(document, (reference) =>
    reference.to !== null && (reference.to === from || reference.to.startsWith(`${from}/`)) ? to + reference.to.slice(from.length) : null,
  )
  applied.document = next
  applied.renamedReferences += rewritten
}

/** Converts a value to stored form: validated, sanitized, without defaults. */
function* toStorable(applied: ConfigOperationsResult, node: ConfigNode, path: string, value: unknown): CooperativeTask<unknown> {
  yield
  const clean = yield* sanitizeHtmlInParts(applied, node, path, expandShorthand(node, value))
  yield
  const checked = yield* checkValueInParts(node, path, clean)
  yield
  if (!checked.ok) throw invalidArguments(checked.issues.slice(0, 50).map(({ path: where, message }) => ({ path: where, message })))
  return stripDefaults(node, checked.value)
}

/** Sanitizes every rich text in all languages, and adds a warning where something was removed. */
export const sanitizeHtmlInParts = (
  applied: Pick<ConfigOperationsResult, 'warnings'>,
  node: ConfigNode,
  path: string,
  value: unknown,
): CooperativeTask<unknown> =>
  mapValuesInParts(node, value, path, ({ annotations }, text, at) => {
    if (typeof text !== 'string' || !(annotations.html || isHtmlTranslation(at))) return text
    const { html, stripped } = cleanHtml(text)
    if (stripped) {
      applied.warnings.push({
        level: 'warning',
        code: 'htmlStripped',
        path: at,
        message: 'tags or attributes that are not allowed were removed',
      })
    }
    return html
  })

/** Returns the document with another value at a path; undefined removes it. Copies only the objects on the path. */
export function replaceAtPath(document: ConfigDocument, segments: readonly string[], value: unknown): ConfigDocument {
  const write = (location: ConfigLocation, left: readonly string[]): unknown => {
    const [segment, ...rest] = left
    if (segment === undefined) return value
    if (location.node.kind === 'list') {
      const items = Array.isArray(location.value) ? (location.value as unknown[]) : []
      const index = segment === '-' ? items.length : findItemIndex(items, segment, location.node.key)
      if (index < 0) throw createUnknownPathError(location, segment)
      const path = location.path + toPointer([segment])
      const inner = write({ node: resolveUnionNode(location.node.item, items[index]), value: items[index], path }, rest)
      return inner === undefined ? items.toSpliced(index, 1) : items.toSpliced(index, 1, inner)
    }
    const below = findChildLocation({ ...location, value: location.value ?? {} }, segment) ?? {
      node: findChildNode(location.node, segment, location.value)!,
      value: undefined,
      path: location.path + toPointer([segment]),
    }
    const inner = write(below, rest)
    const own = isJsonObject(location.value) ? location.value : {}
    if (inner !== undefined) return { ...own, [segment]: inner }
    const { [segment]: _, ...others } = own
    return others
  }
  return write(getConfigRootLocation(document), segments) as ConfigDocument
}
