import { bytesOf, firstThatFit } from '../../kernel/bytes.ts'
import type { Issue } from './issues.ts'
import { summaryOf } from './labels.ts'
import { childNames, isRecord, isUnder, locate, parsePointer, type Place, pointerOf, segmentOf, step } from './pointers.ts'
import { readableSchemaOf, type Schema } from './place-schemas.ts'
import type { Configuration } from './read.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { type ConfigNode, nodeFor } from './schema/nodes.ts'
import { localeOf, openTranslations, shownTranslations } from './shown-translations.ts'
import { referencesOf } from './search-texts.ts'
import { isDefault } from './stored.ts'
import { type RecordUse, type Usage, usageOf } from './usage.ts'

export const INCLUDES = ['values', 'schema', 'issues', 'usage'] as const
export type Include = (typeof INCLUDES)[number]

export interface ExploreRequest {
  path: string
  depth: number
  source: string
  include: readonly Include[]
}

/** What is known of a document beside what it says; of its issues nothing when they were not asked for. */
export interface Known {
  issues: readonly Issue[] | null
  records: readonly RecordUse[]
}

type Kind = 'object' | 'list' | 'value'

// Not an interface, which would not do for a result that declares only a part of it.
export type Child = {
  path: string
  key: string
  kind: Kind
  title: string
  summary: string
  count?: number
  defaultJson?: string
  isDefault: boolean
  /** At it or below it; only when issues were asked for. */
  issues?: number
}

export interface Explored {
  path: string
  source: string
  draftRevision: number
  kind: Kind
  title: string
  help: string | null
  valueJson?: string
  children: Child[]
  schema?: Schema
  issues?: Record<string, unknown>[]
  usage?: Usage
  truncated?: true
  /** Paths within the depth that was asked for that are not shown. */
  cutPaths?: number
  note?: string
}

/** What a look should cost in bytes, what rows may that were asked for, what a single value may that was asked for alone, and all together. */
const TARGET = 8_000
const MAX_ROWS = 24_000
const MAX_VALUE = 48_000
const MAX_BYTES = 72_000
const MAX_ISSUES = 50
const MAX_REFERENCES = 100

/** One place of the document and what is below it, in the order of the schema, as flat rows of which each has its own pointer. */
export function exploreConfig(configuration: Configuration, request: ExploreRequest, known: Known): Explored {
  const { document, facts } = configuration
  const place = locate(document, request.path, { byIndex: true })
  const includes = (part: Include) => request.include.includes(part)
  const locale = localeOf(place.path)
  const untranslated = known.issues && locale !== null ? openTranslations(configuration, locale) : []
  const issues = known.issues ? [...known.issues.filter((issue) => isUnder(issue.path, place.path)), ...untranslated] : null
  const look: Look = { document, absent: includes('schema'), currency: facts.currency, issues }
  const schema = includes('schema') ? readableSchemaOf(place.node) : undefined
  const usage = includes('usage') ? usageOf(referencesOf(document), place.path, known.records) : undefined
  const rows = childrenWithin(place, request.depth, look)
  const value = includes('values') ? shownValue(document, place, request.depth, rows.bytes) : {}
  const left = MAX_BYTES - rows.bytes - bytesOf([value.json, schema])
  const [allIssues, allReferences] = [issues ?? [], usage?.referencedBy ?? []]
  const shownIssues = firstThatFit(allIssues, { room: left, most: MAX_ISSUES + untranslated.length })
  const references = firstThatFit(allReferences, { room: left - shownIssues.bytes, most: MAX_REFERENCES })
  const notes = [
    ...rows.notes,
    ...(value.note ? [value.note] : []),
    ...(references.items.length < allReferences.length
      ? [`${allReferences.length} places refer to it: config_find with references lists them all.`]
      : []),
    ...(shownIssues.items.length < allIssues.length
      ? [`${allIssues.length} issues: ${untranslated.length > 0 ? 'translate these and ask again.' : 'validate_schema lists them all.'}`]
      : []),
  ]
  return {
    path: place.path,
    source: request.source,
    draftRevision: facts.draftRevision,
    kind: kindOf(place.node),
    title: place.node.title,
    help: place.node.help,
    ...(value.json === undefined ? {} : { valueJson: value.json }),
    children: rows.children,
    ...(schema === undefined ? {} : { schema }),
    ...(issues ? { issues: shownIssues.items.map((issue) => ({ ...issue })) } : {}),
    ...(usage ? { usage: { ...usage, referencedBy: references.items } } : {}),
    ...(notes.length > 0 ? { truncated: true as const, note: notes.join(' ') } : {}),
    ...(rows.cut > 0 ? { cutPaths: rows.cut } : {}),
  }
}

const kindOf = ({ kind }: ConfigNode): Kind => (kind === 'list' || kind === 'value' ? kind : 'object')

/** As stored, or where nothing is stored what it then reads as. */
const valueAt = ({ node, value }: Place): unknown => (value === undefined ? (node.default ?? null) : value)

/** The database keeps keys in an order of its own. */
function inOrder(bare: ConfigNode, value: unknown): unknown {
  const node = nodeFor(bare, value)
  if (node.kind === 'list' && Array.isArray(value)) return value.map((item) => inOrder(node.item, item))
  if (node.kind !== 'object' || !isRecord(value)) return value
  return Object.fromEntries(
    [...node.fields].flatMap(([name, field]) => (value[name] === undefined ? [] : [[name, inOrder(field, value[name])]])),
  )
}

/** A value that was asked for alone is given whole; one that comes with its children only beside them. */
function shownValue(document: ConfigDocument, place: Place, depth: number, used: number): { json?: string; note?: string } {
  const json = JSON.stringify(shownTranslations(document, place.path, inOrder(place.node, valueAt(place))))
  // As it is sent: JSON inside of JSON, in which every quote takes a stroke more.
  const bytes = bytesOf(json)
  const alone = depth === 0 || kindOf(place.node) === 'value'
  if (bytes <= (alone ? MAX_VALUE : TARGET - used)) return { json }
  if (alone) return { note: `The value takes ${bytes} bytes, too many to show: ask for a part of it, or search it with config_find.` }
  return bytes <= MAX_VALUE ? { note: `The value (${bytes} bytes) comes with depth 0.` } : {}
}

interface Look {
  document: ConfigDocument
  /** Also what the document leaves to its default, at every depth; otherwise only next to the place itself. */
  absent: boolean
  currency: string
  issues: readonly Issue[] | null
}

interface Rows {
  children: Child[]
  bytes: number
  cut: number
  notes: string[]
}

/** As deep as was asked for, or as the size allows; what that leaves out is counted. */
function childrenWithin(place: Place, depth: number, look: Look): Rows {
  if (depth === 0) return { children: [], bytes: 0, cut: 0, notes: [] }
  const spot = { place, keyed: keyOf(look.document, place.path) }
  let best = collect(spot, 1, look, MAX_ROWS)
  let reached = 1
  while (best.whole && reached < depth) {
    const deeper = collect(spot, reached + 1, look, MAX_ROWS)
    if (!deeper.whole) break
    best = deeper
    reached++
  }
  const cut = countBelow(spot, depth, look, true) - best.children.length
  const note = best.whole
    ? `Shown to depth ${reached} of ${depth}; ${cut} paths below are not: ask for one of these.`
    : `${cut} paths are not shown: search them with config_find, in: ${place.path || '/'}.`
  return { children: best.children, bytes: best.bytes, cut, notes: cut > 0 ? [note] : [] }
}

/** Rows in document order until they are too many; `whole` when they were not. */
function collect(from: Spot, depth: number, look: Look, limit: number): { children: Child[]; bytes: number; whole: boolean } {
  const children: Child[] = []
  let bytes = 0
  const below = (parent: Spot, left: number, absent: boolean): boolean => {
    for (const child of spotsBelow(parent, absent)) {
      const row = rowOf(child.place, look)
      bytes += bytesOf(row) + 1
      if (bytes > limit) return false
      children.push(row)
      if (left > 1 && !below(child, left - 1, look.absent)) return false
    }
    return true
  }
  return { whole: below(from, depth, true), children, bytes }
}

function countBelow(from: Spot, depth: number, look: Look, absent: boolean): number {
  const { node, value } = from.place
  // Most of a document is its lowest level, which needs no places of its own to be counted.
  if (depth === 1) return node.kind === 'list' ? (Array.isArray(value) ? value.length : 0) : namesBelow(from, absent).length
  return spotsBelow(from, absent).reduce((count, child) => count + 1 + countBelow(child, depth - 1, look, look.absent), 0)
}

/** A place, and which of its keys names it in its list. That key is changed by renaming, so it is no row of its own. */
interface Spot {
  place: Place
  keyed: string | null
}

function keyOf(document: unknown, path: string): string | null {
  if (path === '') return null
  const { node } = locate(document, pointerOf(parsePointer(path).slice(0, -1)))
  return node.kind === 'list' ? node.key : null
}

/** What stands below a place, and with `absent` what could. */
function spotsBelow({ place, keyed }: Spot, absent: boolean): Spot[] {
  const { node, value, path } = place
  if (node.kind === 'list') {
    return (Array.isArray(value) ? value : []).map((item: unknown, index) => ({
      place: { node: nodeFor(node.item, item), value: item, path: path + pointerOf([segmentOf(item, index, node.key)]) },
      keyed: node.key,
    }))
  }
  return namesBelow({ place, keyed }, absent).flatMap((name) => {
    const below = step(place, name)
    return below ? [{ place: below, keyed: null }] : []
  })
}

function namesBelow({ place, keyed }: Spot, absent: boolean): string[] {
  const own = isRecord(place.value) ? place.value : {}
  return childNames(place).filter((name) => name !== keyed && (absent || own[name] !== undefined))
}

function rowOf({ node, value, path }: Place, look: Look): Child {
  const kind = kindOf(node)
  const count = Array.isArray(value)
    ? value.length
    : node.kind === 'list'
      ? 0
      : node.kind === 'record' && isRecord(value)
        ? Object.keys(value).length
        : undefined
  const fallback = node.default === undefined || node.default === null ? undefined : JSON.stringify(node.default)
  return {
    path,
    key: parsePointer(path).at(-1)!,
    kind,
    title: node.title,
    summary: summaryOf(node, value, look),
    ...(count === undefined ? {} : { count }),
    ...(fallback === undefined || fallback === '[]' || fallback === '{}' ? {} : { defaultJson: fallback }),
    isDefault: node.default !== undefined && isDefault(node, value),
    ...(look.issues ? { issues: look.issues.filter((issue) => isUnder(issue.path, path)).length } : {}),
  }
}
