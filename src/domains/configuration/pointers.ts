import { AppError, invalidArguments, notFound } from '../../kernel/errors.ts'
import { nearestFew } from '../../kernel/nearest.ts'
import type { InParts } from '../../kernel/turns.ts'
import { childNode, type ConfigNode, nodeFor, ROOT } from './schema/nodes.ts'

/** A pointer is a JSON Pointer in which items of keyed lists are named by their key: `/flows/attendee/pages/contact`. */

export function pointerOf(segments: readonly string[]): string {
  let pointer = ''
  for (const segment of segments) pointer += `/${SPECIAL.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment}`
  return pointer
}

const SPECIAL = /[~/]/

export function parsePointer(text: string, argument = 'path'): string[] {
  if (text === '' || text === '/') return []
  if (!text.startsWith('/') || /~(?![01])/.test(text)) {
    throw invalidArguments([
      { path: argument, message: `${JSON.stringify(text.slice(0, 80))} is no pointer: write it like /products/gala/prices` },
    ])
  }
  return text
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Whether `pointer` is at `prefix` or below it. */
export const isUnder = (pointer: string, prefix: string) => pointer === prefix || prefix === '' || pointer.startsWith(`${prefix}/`)

export interface Place {
  node: ConfigNode
  /** Undefined where the document leaves the default. */
  value: unknown
  /** As it should be written: items by key. */
  path: string
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where a segment leads within a list: by key where items have one, else by index. -1 for nowhere. */
export function indexIn(items: readonly unknown[], segment: string, key: string | null): number {
  if (key !== null) return items.findIndex((item) => isRecord(item) && item[key] === segment)
  return /^(0|[1-9]\d{0,5})$/.test(segment) && Number(segment) < items.length ? Number(segment) : -1
}

/** The segment that names an item: its key, or its index where it has none. */
export function segmentOf(item: unknown, index: number, key: string | null): string {
  const own = key !== null && isRecord(item) ? item[key] : undefined
  return typeof own === 'string' && own !== '' ? own : String(index)
}

/** How a pointer is read. */
export interface Reading {
  /** An index is understood where no item has it as its key. Only for those who look: an edit would hit whatever stands there by then. */
  byIndex?: boolean
}

/** One step down; null where neither the document nor the schema has anything. */
export function step(place: Place, segment: string, { byIndex = false }: Reading = {}): Place | null {
  const { node, value, path } = place
  if (node.kind === 'list') {
    const items = Array.isArray(value) ? value : []
    const named = indexIn(items, segment, node.key)
    const index = named < 0 && byIndex ? indexIn(items, segment, null) : named
    if (index < 0) return null
    const item: unknown = items[index]
    return { node: nodeFor(node.item, item), value: item, path: path + pointerOf([segmentOf(item, index, node.key)]) }
  }
  const child = childNode(node, segment, value)
  if (!child) return null
  const own = isRecord(value) && Object.hasOwn(value, segment) ? value[segment] : undefined
  if (node.kind === 'record' && own === undefined) return null
  return { node: nodeFor(child, own), value: own, path: path + pointerOf([segment]) }
}

export const rootOf = (document: unknown): Place => ({ node: ROOT, value: document, path: '' })

/** What a pointer leads to, or how far it leads. */
export function follow(document: unknown, segments: readonly string[], reading?: Reading): { place: Place; left: readonly string[] } {
  let place = rootOf(document)
  for (const [index, segment] of segments.entries()) {
    const next = step(place, segment, reading)
    if (!next) return { place, left: segments.slice(index) }
    place = next
  }
  return { place, left: [] }
}

/** The place of a pointer; refused with the longest part that exists and what it could have meant. */
export function locate(document: unknown, pointer: string, reading?: Reading): Place {
  const { place, left } = follow(document, parsePointer(pointer), reading)
  if (left.length === 0) return place
  throw noSuch(place, left[0]!)
}

export function noSuch(place: Place, segment: string) {
  const wanted = place.path + pointerOf([segment])
  const children = childNames(place)
  const near = nearestFew(segment, children, 3).map((name) => place.path + pointerOf([name]))
  const [first] = near
  const hint = first ? ` — did you mean ${first}?` : children.length > 0 ? ` — ${place.path || 'the root'} has ${some(children)}` : ''
  return notFound(`No ${wanted}${hint}`, {
    fix: { tool: 'config_explore', arguments: { path: place.path }, here: true },
    fields: [{ path: 'path', message: `leads as far as ${place.path || 'the root'}`, ...(near.length > 0 ? { allowed: near } : {}) }],
  })
}

/** Where a pointer leads nowhere in a document other than the draft, the look that is offered goes into that document too. */
export function lookingInto<T>(source: string, look: () => T): T {
  try {
    return look()
  } catch (error) {
    throw redirected(error, (path) => ({ path, ...(source === 'draft' ? {} : { source }) }))
  }
}

/** Where it leads nowhere in an edited document, the look goes as far into the one that is kept as that has it. */
export function* lookingBack<T>(kept: unknown, edit: InParts<T>): InParts<T> {
  try {
    return yield* edit
  } catch (error) {
    throw redirected(error, (path) => ({ path: follow(kept, parsePointer(path)).place.path }))
  }
}

function redirected(error: unknown, into: (path: string) => Record<string, string>): unknown {
  const fix = error instanceof AppError ? error.details.fix : undefined
  if (!(error instanceof AppError) || !fix || !('tool' in fix) || fix.tool !== 'config_explore') return error
  const next = { ...fix, arguments: into(fix.arguments.path as string) }
  return new AppError(error.code, error.message, { ...error.details, fix: next })
}

const some = (names: readonly string[]) => names.slice(0, 12).join(', ') + (names.length > 12 ? ` and ${names.length - 12} more` : '')

/** Every key that can be written below a place, in the order of the schema, and of a list the items that are there. */
export function childNames({ node, value }: Place): string[] {
  if (node.kind === 'list') return (Array.isArray(value) ? value : []).map((item, index) => segmentOf(item, index, node.key))
  if (node.kind === 'record') return isRecord(value) ? Object.keys(value).sort() : []
  if (node.kind === 'object') return [...node.fields.keys()]
  return []
}
