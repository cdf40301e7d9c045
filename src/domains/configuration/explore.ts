import { jsonByteLength, DEFAULT_MAX_LIST_BYTES, MAX_RESULT_LIST_BYTES, takeItemsWithinByteLimit } from '../../kernel/bytes.ts'
import type { ConfigIssue } from './issues.ts'
import { summarizeConfigValue } from './labels.ts'
import {
  listChildNames,
  isJsonObject,
  isPathUnder,
  getLocationAtPointer,
  parsePointer,
  type ConfigLocation,
  toPointer,
  toPointerSegment,
  findChildLocation,
} from './pointers.ts'
import { buildPrunedJsonSchema, type ConfigJsonSchema } from './json-schemas.ts'
import type { Configuration } from './read.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { type ConfigNode, resolveUnionNode } from './schema/nodes.ts'
import { parseTranslationLocale, listMissingOrStaleTranslations, omitUpToDateSourceHashes } from './explore-translations.ts'
import { getCachedDocumentReferences } from './search-index.ts'
import { isDefaultValue } from './stored.ts'
import { type RecordUseCount, type ItemUsage, describeConfigUsage } from './usage.ts'

export const EXPLORE_RESULT_PARTS = ['values', 'schema', 'issues', 'usage'] as const
export type ExploreResultPart = (typeof EXPLORE_RESULT_PARTS)[number]

export interface ExploreRequest {
  path: string
  depth: number
  source: string
  include: readonly ExploreResultPart[]
}

/** The problems of an event's configuration, and how many records use its items. `issues` is null if the caller did not request them. */
export interface IssuesAndItemUsage {
  issues: readonly ConfigIssue[] | null
  records: readonly RecordUseCount[]
}

type Kind = 'object' | 'list' | 'value'

// A type alias, because an interface is not assignable to a result schema that declares only some of its keys.
export type ExploreResultRow = {
  path: string
  key: string
  kind: Kind
  title: string
  summary: string
  count?: number
  defaultJson?: string
  isDefault: boolean
  /** Number of issues at this path or below; present only if the caller requested issues. */
  issues?: number
}

export interface ExploreResult {
  path: string
  source: string
  draftRevision: number
  kind: Kind
  title: string
  help: string | null
  valueJson?: string
  children: ExploreResultRow[]
  schema?: ConfigJsonSchema
  issues?: Record<string, unknown>[]
  usage?: ItemUsage
  truncated?: true
  /** Number of paths within the requested depth that are not shown. */
  cutPaths?: number
  note?: string
}

/** Maximum size in bytes of a response with the value of the requested configuration path and a list of the paths below it. */
const TARGET_BYTES = 8_000
const MAX_ISSUES = 50
const MAX_REFERENCES = 100

/** Lists a location of the configuration document and everything below it in schema order, as flat rows with a JSON pointer each. */
export function exploreConfig(configuration: Configuration, request: ExploreRequest, known: IssuesAndItemUsage): ExploreResult {
  const { document, facts } = configuration
  const location = getLocationAtPointer(document, request.path, { byIndex: true })
  const includes = (part: ExploreResultPart) => request.include.includes(part)
  const locale = parseTranslationLocale(location.path)
  const untranslated = known.issues && locale !== null ? listMissingOrStaleTranslations(configuration, locale) : []
  const issues = known.issues ? [...known.issues.filter((issue) => isPathUnder(issue.path, location.path)), ...untranslated] : null
  const options: RowOptions = { document, absent: includes('schema'), currency: facts.currency, issues }
  const schema = includes('schema') ? buildPrunedJsonSchema(location.node) : undefined
  const usage = includes('usage') ? describeConfigUsage(getCachedDocumentReferences(document), location.path, known.records) : undefined
  const rows = listRows(location, request.depth, options)
  const value = includes('values') ? shownValue(document, location, request.depth, rows.bytes) : {}
  const left = MAX_RESULT_LIST_BYTES - rows.bytes - jsonByteLength([value.json, schema])
  const [allIssues, allReferences] = [issues ?? [], usage?.referencedBy ?? []]
  const shownIssues = takeItemsWithinByteLimit(allIssues, { maxBytes: left, maxItems: MAX_ISSUES + untranslated.length })
  const references = takeItemsWithinByteLimit(allReferences, { maxBytes: left - shownIssues.bytes, maxItems: MAX_REFERENCES })
  const notes = [
    ...rows.notes,
    ...(value.note ? [value.note] : []),
    ...(references.items.length < allReferences.length
      ? [`${allReferences.length} paths refer to it: config_find with references lists them all.`]
      : []),
    ...(shownIssues.items.length < allIssues.length
      ? [
          `${allIssues.length} issues: ${untranslated.length > 0 ? 'translate these and repeat the call.' : 'validate_schema lists them all.'}`,
        ]
      : []),
  ]
  return {
    path: location.path,
    source: request.source,
    draftRevision: facts.draftRevision,
    kind: kindOf(location.node),
    title: location.node.title,
    help: location.node.help,
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

/** Returns the value of a configuration path, or its default if the configuration contains none. */
const getValue = ({ node, value }: ConfigLocation): unknown => (value === undefined ? (node.default ?? null) : value)

/** Sorts the properties of a value in schema order, because jsonb columns do not preserve their order. */
function sortKeys(bare: ConfigNode, value: unknown): unknown {
  const node = resolveUnionNode(bare, value)
  if (node.kind === 'list' && Array.isArray(value)) return value.map((item) => sortKeys(node.item, item))
  if (node.kind !== 'object' || !isJsonObject(value)) return value
  return Object.fromEntries(
    [...node.fields].flatMap(([name, field]) => (value[name] === undefined ? [] : [[name, sortKeys(field, value[name])]])),
  )
}

/**
 * Returns the value of a path if it is small enough. A value requested alone may be larger than a value shown next to its child paths. A
 * long text may be larger still, because the caller cannot request a part of it.
 */
function shownValue(document: ConfigDocument, location: ConfigLocation, depth: number, used: number): { json?: string; note?: string } {
  const json = JSON.stringify(omitUpToDateSourceHashes(document, location.path, sortKeys(location.node, getValue(location))))
  // The result contains this JSON as a JSON string, in which every quote is escaped, so the size is measured with the escapes.
  const bytes = jsonByteLength(json)
  const alone = depth === 0 || kindOf(location.node) === 'value'
  const maxBytes = kindOf(location.node) === 'value' ? MAX_RESULT_LIST_BYTES : DEFAULT_MAX_LIST_BYTES
  if (bytes <= (alone ? maxBytes : TARGET_BYTES - used)) return { json }
  if (alone) return { note: `The value has ${bytes} bytes, too many to show: request a part of it, or search it with config_find.` }
  return bytes <= maxBytes ? { note: `The value has ${bytes} bytes: use depth 0 to get it.` } : {}
}

interface RowOptions {
  document: ConfigDocument
  /**
   * Whether to list properties that have their default value at every depth. Otherwise they are listed only directly below the requested
   * path.
   */
  absent: boolean
  currency: string
  issues: readonly ConfigIssue[] | null
}

interface Rows {
  children: ExploreResultRow[]
  bytes: number
  cut: number
  notes: string[]
}

/** Lists the paths below a location, down to the requested depth or as deep as the size limit allows, and counts the paths left out. */
function listRows(location: ConfigLocation, depth: number, options: RowOptions): Rows {
  if (depth === 0) return { children: [], bytes: 0, cut: 0, notes: [] }
  const rowLocation = { location, keyed: findListKey(options.document, location.path) }
  let best = collect(rowLocation, 1, options, DEFAULT_MAX_LIST_BYTES)
  let reached = 1
  while (best.whole && reached < depth) {
    const deeper = collect(rowLocation, reached + 1, options, DEFAULT_MAX_LIST_BYTES)
    if (!deeper.whole) break
    best = deeper
    reached++
  }
  const cut = countBelow(rowLocation, depth, options, true) - best.children.length
  const note = best.whole
    ? `Shown to depth ${reached} of ${depth}; ${cut} paths below are not shown: request one of these paths.`
    : `${cut} paths are not shown: search them with config_find, in: ${location.path || '/'}.`
  return { children: best.children, bytes: best.bytes, cut, notes: cut > 0 ? [note] : [] }
}

/** Collects paths in document order up to the size limit; `whole` is false if the limit was reached. */
function collect(
  from: RowLocation,
  depth: number,
  options: RowOptions,
  limit: number,
): { children: ExploreResultRow[]; bytes: number; whole: boolean } {
  const children: ExploreResultRow[] = []
  let bytes = 0
  const below = (parent: RowLocation, left: number, absent: boolean): boolean => {
    for (const child of listRowLocations(parent, absent)) {
      const row = toRow(child.location, options)
      bytes += jsonByteLength(row) + 1
      if (bytes > limit) return false
      children.push(row)
      if (left > 1 && !below(child, left - 1, options.absent)) return false
    }
    return true
  }
  return { whole: below(from, depth, true), children, bytes }
}

function countBelow(from: RowLocation, depth: number, options: RowOptions, absent: boolean): number {
  const { node, value } = from.location
  // Most paths are on the lowest level. They are counted by their names alone, which is faster than building them.
  if (depth === 1) return node.kind === 'list' ? (Array.isArray(value) ? value.length : 0) : listRowNames(from, absent).length
  return listRowLocations(from, absent).reduce((count, child) => count + 1 + countBelow(child, depth - 1, options, options.absent), 0)
}

/**
 * A location in the document. `keyed` is the property that identifies it in its list; it gets no row of its own, because only a rename
 * changes it.
 */
interface RowLocation {
  location: ConfigLocation
  keyed: string | null
}

function findListKey(document: unknown, path: string): string | null {
  if (path === '') return null
  const { node } = getLocationAtPointer(document, toPointer(parsePointer(path).slice(0, -1)))
  return node.kind === 'list' ? node.key : null
}

/** Lists the direct children of a configuration path. With `absent`, also those that the schema allows but the configuration leaves out. */
function listRowLocations({ location, keyed }: RowLocation, absent: boolean): RowLocation[] {
  const { node, value, path } = location
  if (node.kind === 'list') {
    return (Array.isArray(value) ? value : []).map((item: unknown, index) => ({
      location: { node: resolveUnionNode(node.item, item), value: item, path: path + toPointer([toPointerSegment(item, index, node.key)]) },
      keyed: node.key,
    }))
  }
  return listRowNames({ location, keyed }, absent).flatMap((name) => {
    const below = findChildLocation(location, name)
    return below ? [{ location: below, keyed: null }] : []
  })
}

function listRowNames({ location, keyed }: RowLocation, absent: boolean): string[] {
  const own = isJsonObject(location.value) ? location.value : {}
  return listChildNames(location).filter((name) => name !== keyed && (absent || own[name] !== undefined))
}

function toRow({ node, value, path }: ConfigLocation, options: RowOptions): ExploreResultRow {
  const kind = kindOf(node)
  const count = Array.isArray(value)
    ? value.length
    : node.kind === 'list'
      ? 0
      : node.kind === 'record' && isJsonObject(value)
        ? Object.keys(value).length
        : undefined
  const fallback = node.default === undefined || node.default === null ? undefined : JSON.stringify(node.default)
  return {
    path,
    key: parsePointer(path).at(-1)!,
    kind,
    title: node.title,
    summary: summarizeConfigValue(node, value, options),
    ...(count === undefined ? {} : { count }),
    ...(fallback === undefined || fallback === '[]' || fallback === '{}' ? {} : { defaultJson: fallback }),
    isDefault: node.default !== undefined && isDefaultValue(node, value),
    ...(options.issues ? { issues: options.issues.filter((issue) => isPathUnder(issue.path, path)).length } : {}),
  }
}
