import { normalizeTextForComparison } from '../../kernel/conditions.ts'
import type { Condition } from '../../kernel/conditions.ts'
import { memoize } from '../../kernel/memoize.ts'
import { formatCondition } from './labels.ts'
import { isJsonObject, toPointer, toPointerSegment } from './pointers.ts'
import { type ConfigReference, listReferences } from './references.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { type ConfigNode, resolveUnionNode, ROOT_NODE } from './schema/nodes.ts'

/** One searchable location of the document. */
export interface SearchEntry {
  /** Position of the location in the order of the schema, by which results are sorted. */
  order: number
  path: string
  parent: SearchEntry | null
  node: ConfigNode
  value: unknown
  segment: string
  /** Whether the last segment of the pointer is the key of an item or the name of a setting; null if it is not searchable. */
  key: 'item' | 'setting' | null
  /** The text as stored; null if the location has no text. */
  text: string | null
  /** The text without case and accents, computed on the first word search. */
  folded: string | null
  /** The location of the source text, if this entry is a translation; otherwise null. */
  original: SearchEntry | null
}

export interface SearchIndex {
  searchEntries: SearchEntry[]
  at: (path: string) => SearchEntry | undefined
  references: () => readonly ConfigReference[]
}

const made = new WeakMap<ConfigDocument, SearchIndex>()

/** Returns the search index of a document. Documents are immutable, so it is cached. */
export function getSearchIndex(document: ConfigDocument): SearchIndex {
  const known = made.get(document)
  if (known) return known
  const texts = collect(document)
  made.set(document, texts)
  return texts
}

function collect(document: ConfigDocument): SearchIndex {
  const searchEntries: SearchEntry[] = []
  const translated = document.translations !== undefined
  const originals = new Map<string, SearchEntry>()
  const add = (parent: SearchEntry | null, segment: string, node: ConfigNode, value: unknown, key: SearchEntry['key']): SearchEntry => {
    const path = parent ? `${parent.path}${key === 'setting' ? `/${segment}` : toPointer([segment])}` : ''
    const searchEntry: SearchEntry = {
      order: searchEntries.length,
      path,
      parent,
      node,
      value,
      segment,
      key,
      text: textOf(node, value),
      folded: null,
      original: null,
    }
    searchEntries.push(searchEntry)
    if (translated && node.annotations.translatable) originals.set(path, searchEntry)
    return searchEntry
  }
  const visit = (searchEntry: SearchEntry, keyed: string | null): void => {
    const { node, value } = searchEntry
    if (node.kind === 'object' && isJsonObject(value)) {
      for (const [name, field] of node.fields) {
        // The key of an item is already searchable as part of its path, so it gets no entry of its own.
        if (name === keyed || value[name] === undefined || value[name] === null) continue
        visit(add(searchEntry, name, resolveUnionNode(field, value[name]), value[name], 'setting'), null)
      }
    } else if (node.kind === 'list' && Array.isArray(value)) {
      value.forEach((item: unknown, index) => {
        visit(
          add(
            searchEntry,
            toPointerSegment(item, index, node.key),
            resolveUnionNode(node.item, item),
            item,
            node.key === null ? null : 'item',
          ),
          node.key,
        )
      })
    } else if (node.kind === 'record' && isJsonObject(value)) {
      if (searchEntry.path === '/translations') translations(searchEntry, node.value, value)
    }
  }
  /** Translations are most of the texts of a large document, so they are indexed directly, without walking the schema. */
  const translations = (searchEntry: SearchEntry, node: ConfigNode, locales: Record<string, unknown>): void => {
    for (const locale of Object.keys(locales).sort()) {
      const own = add(searchEntry, locale, node, locales[locale], 'item')
      const entries = locales[locale] as Record<string, { text: string }>
      // The keys are sorted, because a cursor stores a position in this list, which must be the same in every server process.
      for (const pointer of Object.keys(entries).sort()) {
        const entry = entries[pointer]!
        const text = add(own, pointer, node, entry.text, null)
        text.path += '/text'
        text.text = entry.text
        text.original = originals.get(pointer) ?? null
      }
    }
  }
  visit(add(null, '', ROOT_NODE, document, null), null)
  let byPath: Map<string, SearchEntry> | null = null
  return {
    searchEntries,
    at: (path) => (byPath ??= new Map(searchEntries.map((searchEntry) => [searchEntry.path, searchEntry]))).get(path),
    references: () => getCachedDocumentReferences(document),
  }
}

const found = new WeakMap<ConfigDocument, readonly ConfigReference[]>()

/** Returns every reference of a document. Documents are immutable, so the result is cached. */
export function getCachedDocumentReferences(document: ConfigDocument): readonly ConfigReference[] {
  const known = found.get(document) ?? listReferences(document)
  found.set(document, known)
  return known
}

/** Returns the text without case and accents for word searches; null if the location has no text. */
export function getSearchableText(searchEntry: SearchEntry): string | null {
  if (searchEntry.text === null) return null
  const html = searchEntry.node.annotations.html ?? searchEntry.original?.node.annotations.html ?? false
  return (searchEntry.folded ??= normalizeForSearch(html ? stripTags(searchEntry.text) : searchEntry.text))
}

function textOf(node: ConfigNode, value: unknown): string | null {
  if (node.annotations.condition) return isJsonObject(value) ? formatCondition(value as unknown as Condition) : null
  if (node.kind !== 'value') return null
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return Array.isArray(value) ? value.join(', ') : null
}

const TAG = /<(\/?)([a-z0-9]+)[^>]*>/gi
const INLINE = new Set(['a', 'b', 'i', 'u', 's', 'em', 'strong', 'span', 'sup', 'sub', 'code'])
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

/**
 * Returns the words of a stored rich text. Stored HTML is sanitized, so stripping tags with a regular expression is safe, and much faster
 * than parsing it.
 */
const stripTags = (html: string) =>
  html.includes('<') || html.includes('&')
    ? html
        .replace(TAG, (_tag, _end, name: string) => (INLINE.has(name) ? '' : ' '))
        .replace(/&(amp|lt|gt|quot|nbsp);/g, (_whole, name: string) => ENTITIES[name]!)
    : html

const ACCENTS = /[\u0300-\u036f]/g
/** Letters with a stroke and ligatures with their plain spelling, because Unicode normalization does not decompose them. */
const STROKES: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ı: 'i', æ: 'ae', œ: 'oe' }

const MAX_KEPT = 20_000

/**
 * Removes case and accents from a run of non-ASCII characters. Results are cached, because folding is expensive and texts repeat the same
 * runs.
 */
const foldRun = memoize(MAX_KEPT, (run) =>
  normalizeTextForComparison(run)
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(/[øłđħıæœ]/g, (letter) => STROKES[letter]!),
)

/** Removes case and accents and collapses whitespace, for comparing texts with queries. */
export const normalizeForSearch = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\u0080-\uffff]+/g, foldRun)
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim()
