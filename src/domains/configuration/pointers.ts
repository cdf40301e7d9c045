import { AppError, invalidArguments, notFound } from '../../kernel/errors.ts'
import { listMostSimilarNames } from '../../kernel/nearest.ts'
import type { CooperativeTask } from '../../kernel/cooperative.ts'
import { findChildNode, type ConfigNode, resolveUnionNode, ROOT_NODE } from './schema/nodes.ts'

/** A pointer is a JSON Pointer in which items of keyed lists are identified by key: `/flows/attendee/pages/contact`. */

export function toPointer(segments: readonly string[]): string {
  let pointer = ''
  for (const segment of segments) pointer += `/${SPECIAL.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment}`
  return pointer
}

const SPECIAL = /[~/]/

export function parsePointer(text: string, argument = 'path'): string[] {
  if (text === '' || text === '/') return []
  if (!text.startsWith('/') || /~(?![01])/.test(text)) {
    throw invalidArguments([
      { path: argument, message: `${JSON.stringify(text.slice(0, 80))} is not a pointer: use the form /products/gala/prices` },
    ])
  }
  return text
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Whether a JSON Pointer equals `prefix` or leads to something inside it. */
export const isPathUnder = (pointer: string, prefix: string) => pointer === prefix || prefix === '' || pointer.startsWith(`${prefix}/`)

export interface ConfigLocation {
  node: ConfigNode
  /** The value stored at this location; undefined if the document does not contain it, so that its default applies. */
  value: unknown
  /** Pointer in canonical form, which identifies list items by key instead of index. */
  path: string
}

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Finds the index of a list item by its key, or by its index if the items have no keys. Returns -1 if the item is missing. */
export function findItemIndex(items: readonly unknown[], segment: string, key: string | null): number {
  if (key !== null) return items.findIndex((item) => isJsonObject(item) && item[key] === segment)
  return /^(0|[1-9]\d{0,5})$/.test(segment) && Number(segment) < items.length ? Number(segment) : -1
}

/** Returns the pointer segment that identifies a list item: its key, or its index if it has none. */
export function toPointerSegment(item: unknown, index: number, key: string | null): string {
  const own = key !== null && isJsonObject(item) ? item[key] : undefined
  return typeof own === 'string' && own !== '' ? own : String(index)
}

export interface PointerOptions {
  /**
   * Whether the items of a keyed list may also be addressed by index, unless an item has that index as its key. Only for reads: in an edit,
   * the index could refer to another item by the time the edit runs.
   */
  byIndex?: boolean
}

/**
 * Moves from a location to one of its children; returns null if neither the document nor the schema has the segment (the next part of the
 * pointer).
 */
export function findChildLocation(
  location: ConfigLocation,
  segment: string,
  { byIndex = false }: PointerOptions = {},
): ConfigLocation | null {
  const { node, value, path } = location
  if (node.kind === 'list') {
    const items = Array.isArray(value) ? value : []
    const named = findItemIndex(items, segment, node.key)
    const index = named < 0 && byIndex ? findItemIndex(items, segment, null) : named
    if (index < 0) return null
    const item: unknown = items[index]
    return { node: resolveUnionNode(node.item, item), value: item, path: path + toPointer([toPointerSegment(item, index, node.key)]) }
  }
  const child = findChildNode(node, segment, value)
  if (!child) return null
  const own = isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined
  if (node.kind === 'record' && own === undefined) return null
  return { node: resolveUnionNode(child, own), value: own, path: path + toPointer([segment]) }
}

export const getConfigRootLocation = (document: unknown): ConfigLocation => ({ node: ROOT_NODE, value: document, path: '' })

/** Follows a pointer as far as the document and the schema contain it. */
export function followPointer(
  document: unknown,
  segments: readonly string[],
  reading?: PointerOptions,
): { location: ConfigLocation; left: readonly string[] } {
  let location = getConfigRootLocation(document)
  for (const [index, segment] of segments.entries()) {
    const next = findChildLocation(location, segment, reading)
    if (!next) return { location, left: segments.slice(index) }
    location = next
  }
  return { location, left: [] }
}

/** Finds the place in the configuration that a pointer names. If there is none, throws an error that suggests existing paths. */
export function getLocationAtPointer(document: unknown, pointer: string, reading?: PointerOptions): ConfigLocation {
  const { location, left } = followPointer(document, parsePointer(pointer), reading)
  if (left.length === 0) return location
  throw createUnknownPathError(location, left[0]!)
}

export function createUnknownPathError(location: ConfigLocation, segment: string) {
  const wanted = location.path + toPointer([segment])
  const children = listChildNames(location)
  const near = listMostSimilarNames(segment, children, 3).map((name) => location.path + toPointer([name]))
  const [first] = near
  const hint = first ? ` — did you mean ${first}?` : children.length > 0 ? ` — ${location.path || 'the root'} has ${some(children)}` : ''
  return notFound(`No ${wanted}${hint}`, {
    fix: { tool: 'config_explore', arguments: { path: location.path }, here: true },
    fields: [{ path: 'path', message: `exists only up to ${location.path || 'the root'}`, ...(near.length > 0 ? { allowed: near } : {}) }],
  })
}

/**
 * Runs code that looks up configuration paths. If it fails in a document other than the draft, the config_explore call that the error
 * suggests reads the same document.
 */
export function addConfigSourceToErrorHint<T>(source: string, lookup: () => T): T {
  try {
    return lookup()
  } catch (error) {
    throw withFixArguments(error, (path) => ({ path, ...(source === 'draft' ? {} : { source }) }))
  }
}

/**
 * Runs an edit. If a path is missing in the edited document, the suggested config_explore call uses the part of the path that the saved
 * document has.
 */
export function* withSavedPathHint<T>(kept: unknown, edit: CooperativeTask<T>): CooperativeTask<T> {
  try {
    return yield* edit
  } catch (error) {
    throw withFixArguments(error, (path) => ({ path: followPointer(kept, parsePointer(path)).location.path }))
  }
}

function withFixArguments(error: unknown, into: (path: string) => Record<string, string>): unknown {
  const fix = error instanceof AppError ? error.details.fix : undefined
  if (!(error instanceof AppError) || !fix || !('tool' in fix) || fix.tool !== 'config_explore') return error
  const next = { ...fix, arguments: into(fix.arguments.path as string) }
  return new AppError(error.code, error.message, { ...error.details, fix: next })
}

const some = (names: readonly string[]) => names.slice(0, 12).join(', ') + (names.length > 12 ? ` and ${names.length - 12} more` : '')

/** Lists the keys that may follow a pointer: those that the schema allows in an object, or those that a list or record contains. */
export function listChildNames({ node, value }: ConfigLocation): string[] {
  if (node.kind === 'list') return (Array.isArray(value) ? value : []).map((item, index) => toPointerSegment(item, index, node.key))
  if (node.kind === 'record') return isJsonObject(value) ? Object.keys(value).sort() : []
  if (node.kind === 'object') return [...node.fields.keys()]
  return []
}
