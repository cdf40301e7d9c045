import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import { paginateList, readValueStoredInCursor } from '../../kernel/page.ts'
import { type CompiledPattern, compilePattern } from '../../kernel/patterns.ts'
import { yieldToEventLoop } from '../../kernel/cooperative.ts'
import { buildExcerpt } from './excerpts.ts'
import { type SearchMatchRank, SEARCH_MATCH_RANKS, type SearchQuery, buildPatternQuery, buildWordQuery } from './find-ranks.ts'
import { truncate, findLabel, summarizeConfigValue } from './labels.ts'
import { followPointer, isJsonObject, isPathUnder, addConfigSourceToErrorHint, createUnknownPathError, parsePointer } from './pointers.ts'
import { type Configuration, readConfigBySelector } from './read.ts'
import { htmlToPlainText } from './rich-text.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { type ConfigNode, ROOT_NODE } from './schema/nodes.ts'
import { type SearchIndex, getSearchIndex, type SearchEntry } from './search-index.ts'

export const CONFIG_SEARCH_CRITERIA = ['text', 'regex', 'binding', 'references', 'type'] as const

export interface ConfigSearchRequest {
  text?: string | undefined
  regex?: string | undefined
  binding?: string | undefined
  references?: string | undefined
  type?: string | undefined
  /** Restricts the search to this pointer and below, including translations of the texts there. */
  in?: string | undefined
  keysOnly?: boolean | undefined
}

export interface ConfigSearchMatch {
  path: string
  title: string
  excerpt: string
  matched: 'key' | 'value' | 'reference'
  context: string
}

interface Hit {
  entry: SearchEntry
  matched: ConfigSearchMatch['matched']
  /** Returns the start and end of the match within the text. */
  locateMatch: (written: string) => [number, number]
}

interface SearchOutcome {
  hits: readonly Hit[]
  /** The number of paths that were not searched because the regular expression used up its time budget; null if all were searched. */
  unread: { paths: number; after: number } | null
}

export interface ConfigSearchResult extends SearchOutcome {
  /** Converts a hit to a search result. Called only for the hits on the requested result page, because there may be thousands. */
  toMatch: (hit: Hit) => ConfigSearchMatch
}

/** Finds all matching paths of a document, each once, best matches first and otherwise in document order. */
export function findInConfigDocument(
  { document, facts }: Pick<Configuration, 'document' | 'facts'>,
  request: ConfigSearchRequest,
): ConfigSearchResult {
  const selector = selectorOf(request)
  const all = getSearchIndex(document)
  const within = request.in === undefined ? '' : getCanonicalPath(document, request.in, 'in')
  const texts = within === '' ? all : { ...all, searchEntries: all.searchEntries.filter((entry) => isWithin(entry, within)) }
  const { hits, unread } = SEARCHES[selector](texts, document, request[selector]!, request.keysOnly ?? false)
  return {
    hits: within === '' ? hits : hits.filter(({ entry }) => isWithin(entry, within)),
    unread,
    toMatch: (hit) => matchOf(hit, facts.currency),
  }
}

const isWithin = ({ path, original }: SearchEntry, prefix: string) =>
  isPathUnder(path, prefix) || (original !== null && isPathUnder(original.path, prefix))

function selectorOf(request: ConfigSearchRequest): (typeof CONFIG_SEARCH_CRITERIA)[number] {
  const given = CONFIG_SEARCH_CRITERIA.filter((name) => request[name] !== undefined)
  const [selector] = given
  if (selector === undefined || given.length > 1) {
    const message = selector === undefined ? 'nothing to search for' : `${given.join(' and ')} cannot be combined`
    throw invalidArguments(
      (selector === undefined ? ['text'] : given).map((path) => ({
        path,
        message: `${message}: give exactly one of ${CONFIG_SEARCH_CRITERIA.join(', ')}`,
      })),
    )
  }
  if (request.keysOnly && selector !== 'text' && selector !== 'regex') {
    throw invalidArguments([{ path: 'keysOnly', message: `works only with text or regex, not with ${selector}` }])
  }
  return selector
}

type Search = (texts: SearchIndex, document: ConfigDocument, wanted: string, keysOnly: boolean) => SearchOutcome

const SEARCHES: Record<(typeof CONFIG_SEARCH_CRITERIA)[number], Search> = {
  text: (texts, _document, wanted, keysOnly) => rankMatches(texts, buildWordQuery(wanted), keysOnly),
  regex(texts, _document, wanted, keysOnly) {
    const pattern = compilePattern(wanted)
    if (!pattern)
      throw invalidArguments([
        {
          path: 'regex',
          message: `RE2 cannot compile ${JSON.stringify(wanted.slice(0, 80))}: it supports neither look-ahead nor back references, and repeats of at most a few hundred characters`,
        },
      ])
    return rankMatches(texts, buildPatternQuery(pattern), keysOnly, getReadLimit(pattern))
  },
  binding(texts, _document, wanted) {
    if (!/^@?[A-Za-z]+(\.[\w-]+)+$/.test(wanted)) {
      throw invalidArguments([
        { path: 'binding', message: `${JSON.stringify(wanted.slice(0, 80))} is not a data field: use the form @custom.diet` },
      ])
    }
    const name = wanted.replace(/^@/, '')
    return findReferring(texts, ({ target, written }) => {
      const own = written.replace(/^@/, '')
      return (target === 'binding' || target === 'token') && (own === name || own.startsWith(`${name}.`))
    })
  },
  references(texts, document, wanted) {
    const segments = parsePointer(wanted, 'references')
    const named = followPointer(document, segments)
    const referringTo = (target: string) => findReferring(texts, ({ to }) => to !== null && isPathUnder(to, target))
    const found = referringTo(named.left.length === 0 ? named.location.path : wanted)
    // A path whose item no longer exists is searched as well, because other items may still refer to it.
    if (named.left.length === 0 || found.hits.length > 0) return found
    const { location, left } = followPointer(document, segments, { byIndex: true })
    if (left.length > 0) throw withArgumentName(createUnknownPathError(location, left[0]!), 'references')
    return referringTo(location.path)
  },
  type(texts, _document, wanted) {
    const known = itemTypes()
    const type = known.find((one) => one.toLowerCase() === wanted.toLowerCase())
    if (type === undefined) {
      const near = findMostSimilarName(wanted, known)
      const message = `${JSON.stringify(wanted.slice(0, 60))} is not a widget, block or response type${near ? ` — did you mean ${near}?` : ''}`
      throw invalidArguments([{ path: 'type', message, allowed: near ? [near] : known }])
    }
    const searchEntries = texts.searchEntries.filter((entry) => typeOf(entry) === type)
    return { hits: searchEntries.map((entry) => ({ entry, matched: 'value', locateMatch: () => [0, 0] })), unread: null }
  },
}

/**
 * Budgets for matching a regular expression, in characters and in characters times instructions, because matching blocks the event loop.
 */
const MAX_READ = 250_000
const MAX_STEPS = 40_000_000

const getReadLimit = ({ size }: CompiledPattern) => Math.min(MAX_READ, Math.floor(MAX_STEPS / (size + 20)))

const lengthOf = ({ key, segment, text }: SearchEntry, keysOnly: boolean) =>
  (key === null ? 0 : segment.length) + (keysOnly ? 0 : (text?.length ?? 0))

function rankMatches({ searchEntries }: SearchIndex, wanted: SearchQuery, keysOnly: boolean, most = Infinity): SearchOutcome {
  const found: [Hit[], Hit[], Hit[], Hit[]] = [[], [], [], []]
  let left = most
  for (const [index, entry] of searchEntries.entries()) {
    left -= lengthOf(entry, keysOnly)
    if (left < 0) return { hits: found.flat(), unread: { paths: searchEntries.length - index, after: most } }
    const key: SearchMatchRank | null = entry.key === null ? null : wanted.inKey(entry)
    const text = keysOnly || key === SEARCH_MATCH_RANKS.key ? null : wanted.inText(entry)
    if (key !== null && (text === null || key <= text)) found[key].push({ entry, matched: 'key', locateMatch: () => [0, 0] })
    else if (text !== null)
      found[text].push({
        entry,
        matched: isReference(entry) ? 'reference' : 'value',
        locateMatch: (text) => wanted.locateMatch(text, entry),
      })
  }
  return { hits: found.flat(), unread: null }
}

const isReference = ({ node: { annotations } }: SearchEntry) =>
  Boolean(annotations.ref ?? annotations.binding ?? annotations.condition ?? annotations.leadField)

/** Finds the paths that refer to an item. A path with several matching references is one hit. */
function findReferring(texts: SearchIndex, fits: (reference: ReturnType<SearchIndex['references']>[number]) => boolean): SearchOutcome {
  const first = new Map<SearchEntry, string>()
  for (const reference of texts.references()) {
    if (!fits(reference)) continue
    const entry = texts.at(reference.kind === 'translation' ? `${reference.from}/text` : reference.from)
    if (entry && !first.has(entry)) first.set(entry, reference.written)
  }
  const hits = [...first]
    .sort(([a], [b]) => a.order - b.order)
    .map(([entry, written]): Hit => ({
      entry,
      matched: 'reference',
      locateMatch: (text) => [Math.max(text.indexOf(written), 0), text.indexOf(written) + written.length],
    }))
  return { hits, unread: null }
}

/** Returns the type of an item: `responseType` for custom fields, `type` for other items. */
function typeOf({ key, value }: SearchEntry): unknown {
  return key === 'item' && isJsonObject(value) ? (value.responseType ?? value.type) : undefined
}

let types: string[] | null = null

/** Lists every type that an item of a configuration document can have, derived from the schema. */
function itemTypes(): string[] {
  const seen = new Set<ConfigNode>()
  const found = new Set<string>()
  const visit = (node: ConfigNode, item: boolean): void => {
    if (seen.has(node)) return
    seen.add(node)
    if (node.kind === 'list') visit(node.item, node.key !== null)
    if (node.kind === 'union')
      for (const [type, option] of node.options) {
        found.add(type)
        visit(option, false)
      }
    if (node.kind !== 'object') return
    const own = node.fields.get('responseType') ?? node.fields.get('type')
    if (item && own?.kind === 'value') own.allowed?.forEach((type) => found.add(type))
    for (const field of node.fields.values()) visit(field, false)
  }
  if (types === null) visit(ROOT_NODE, false)
  return (types ??= [...found].sort())
}

/** Converts a pointer to its canonical form. Throws with suggestions if the path does not exist. */
function getCanonicalPath(document: ConfigDocument, pointer: string, argument: string): string {
  const { location, left } = followPointer(document, parsePointer(pointer, argument), { byIndex: true })
  if (left.length > 0) throw withArgumentName(createUnknownPathError(location, left[0]!), argument)
  return location.path
}

/** Rewrites an error about a path so that it names the argument in which the caller passed the path. */
function withArgumentName({ code, message, details }: AppError, argument: string) {
  return new AppError(code, message, { ...details, fields: (details.fields ?? []).map((field) => ({ ...field, path: argument })) })
}

function matchOf({ entry, matched, locateMatch }: Hit, currency: string): ConfigSearchMatch {
  const html = entry.node.annotations.html ?? entry.original?.node.annotations.html
  const text = entry.text !== null && html ? htmlToPlainText(entry.text) : entry.text
  const shown =
    matched === 'key' || text === null ? summarizeConfigValue(entry.node, entry.value, { currency }) : buildExcerpt(text, locateMatch)
  return { path: entry.path, title: titleOf(entry), excerpt: shown, matched, context: contextOf(entry) }
}

const titleOf = (entry: SearchEntry): string => {
  if (entry.original) return titleOf(entry.original)
  return (entry.key === 'item' ? findLabel(entry.value) : null) ?? entry.node.title
}

const MAX_CONTEXT = 160

/**
 * Names the items that contain the match, outermost first: flow › page › widget. If no item contains the match, returns the title of its
 * section.
 */
function contextOf(entry: SearchEntry): string {
  if (entry.original) return truncate([contextOf(entry.original), localeOf(entry)].filter(Boolean).join(' › '), MAX_CONTEXT)
  const names: string[] = []
  let section = ''
  for (let outer = entry.parent; outer?.parent; outer = outer.parent) {
    if (outer.key === 'item') names.unshift(findLabel(outer.value) ?? outer.segment)
    section = outer.node.title
  }
  return truncate(names.length > 0 ? names.join(' › ') : section, MAX_CONTEXT)
}

const localeOf = ({ path }: SearchEntry) => parsePointer(path)[1] ?? ''

/** Returns one page of matches. A cursor is a position in one revision of the document, so it is valid for that revision only. */
export async function searchConfig(
  ctx: EventContext,
  { source, limit, cursor, ...request }: ConfigSearchRequest & { source: string; limit: number; cursor?: string | undefined },
) {
  // Validates the cursor first: if it belongs to another query, that is the most helpful error.
  readValueStoredInCursor(ctx, { limit, cursor })
  const configuration = await readConfigBySelector(ctx, source)
  await yieldToEventLoop()
  getSearchIndex(configuration.document)
  await yieldToEventLoop()
  const { hits, unread, toMatch } = addConfigSourceToErrorHint(source, () => findInConfigDocument(configuration, request))
  const { version, facts } = configuration
  const { items, ...page } = paginateList(
    ctx,
    { limit, cursor },
    {
      rows: hits,
      shape: toMatch,
      pin: version === null ? `draft ${facts.draftRevision}` : `version ${version}`,
      moved: `belongs to an earlier state of ${source === 'draft' ? `the draft, which is now at revision ${facts.draftRevision}` : source}; omit it to start from the first page`,
    },
  )
  return { matches: items, total: hits.length, ...page, ...unreadNote(unread, page.note) }
}

function unreadNote(unread: ConfigSearchResult['unread'], note: string | undefined): { truncated?: true; note?: string } {
  if (unread === null) return {}
  const own = `The pattern was tried on the first ${unread.after} characters; ${unread.paths} paths after them were neither searched nor counted. Pass in, such as /products, to search a part.`
  return { truncated: true, note: note === undefined ? own : `${note} ${own}` }
}
