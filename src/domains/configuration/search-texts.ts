import { foldText } from '../../kernel/conditions.ts'
import type { Condition } from '../../kernel/conditions.ts'
import { conditionInWords } from './labels.ts'
import { isRecord, pointerOf, segmentOf } from './pointers.ts'
import { type Reference, referencesIn } from './references.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { type ConfigNode, nodeFor, ROOT } from './schema/nodes.ts'

/** A place of the document as a search sees it. */
export interface Spot {
  /** In the order of the schema. */
  order: number
  path: string
  parent: Spot | null
  node: ConfigNode
  value: unknown
  segment: string
  /** What its key is: of an item, of a setting, or nothing that anybody would search. */
  key: 'item' | 'setting' | null
  /** As written; null where there is nothing to read. */
  text: string | null
  /** Made when it is first searched for words. */
  folded: string | null
  /** For a translation, what it is one of. */
  original: Spot | null
}

export interface SearchTexts {
  spots: Spot[]
  at: (path: string) => Spot | undefined
  references: () => readonly Reference[]
}

const made = new WeakMap<ConfigDocument, SearchTexts>()

/** Made once for a document, since nobody changes one: an edit makes another. */
export function searchTextsOf(document: ConfigDocument): SearchTexts {
  const known = made.get(document)
  if (known) return known
  const texts = collect(document)
  made.set(document, texts)
  return texts
}

function collect(document: ConfigDocument): SearchTexts {
  const spots: Spot[] = []
  const translated = document.translations !== undefined
  const originals = new Map<string, Spot>()
  const add = (parent: Spot | null, segment: string, node: ConfigNode, value: unknown, key: Spot['key']): Spot => {
    const path = parent ? `${parent.path}${key === 'setting' ? `/${segment}` : pointerOf([segment])}` : ''
    const spot: Spot = {
      order: spots.length,
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
    spots.push(spot)
    if (translated && node.word.translatable) originals.set(path, spot)
    return spot
  }
  const visit = (spot: Spot, keyed: string | null): void => {
    const { node, value } = spot
    if (node.kind === 'object' && isRecord(value)) {
      for (const [name, field] of node.fields) {
        // The key of an item is found as its key.
        if (name === keyed || value[name] === undefined || value[name] === null) continue
        visit(add(spot, name, nodeFor(field, value[name]), value[name], 'setting'), null)
      }
    } else if (node.kind === 'list' && Array.isArray(value)) {
      value.forEach((item: unknown, index) => {
        visit(add(spot, segmentOf(item, index, node.key), nodeFor(node.item, item), item, node.key === null ? null : 'item'), node.key)
      })
    } else if (node.kind === 'record' && isRecord(value)) {
      if (spot.path === '/translations') translations(spot, node.value, value)
    }
  }
  /** By far the most texts of a large document: they are looked up, not walked. */
  const translations = (spot: Spot, node: ConfigNode, locales: Record<string, unknown>): void => {
    for (const locale of Object.keys(locales).sort()) {
      const own = add(spot, locale, node, locales[locale], 'item')
      const entries = locales[locale] as Record<string, { text: string }>
      // Positions in the result are what cursors remember, on whichever process.
      for (const pointer of Object.keys(entries).sort()) {
        const entry = entries[pointer]!
        const text = add(own, pointer, node, entry.text, null)
        text.path += '/text'
        text.text = entry.text
        text.original = originals.get(pointer) ?? null
      }
    }
  }
  visit(add(null, '', ROOT, document, null), null)
  let byPath: Map<string, Spot> | null = null
  return {
    spots,
    at: (path) => (byPath ??= new Map(spots.map((spot) => [spot.path, spot]))).get(path),
    references: () => referencesOf(document),
  }
}

const found = new WeakMap<ConfigDocument, readonly Reference[]>()

/** Every reference of a document, looked for once. */
export function referencesOf(document: ConfigDocument): readonly Reference[] {
  const known = found.get(document) ?? referencesIn(document)
  found.set(document, known)
  return known
}

/** The text as words are compared with it; null where there is none. */
export function foldedOf(spot: Spot): string | null {
  if (spot.text === null) return null
  const html = spot.node.word.html ?? spot.original?.node.word.html ?? false
  return (spot.folded ??= fold(html ? wordsIn(spot.text) : spot.text))
}

function textOf(node: ConfigNode, value: unknown): string | null {
  if (node.word.condition) return isRecord(value) ? conditionInWords(value as unknown as Condition) : null
  if (node.kind !== 'value') return null
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return Array.isArray(value) ? value.join(', ') : null
}

const TAG = /<(\/?)([a-z0-9]+)[^>]*>/gi
const INLINE = new Set(['a', 'b', 'i', 'u', 's', 'em', 'strong', 'span', 'sup', 'sub', 'code'])
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

/** The words of a stored rich text. It was cleaned when it was saved, so a look at its tags is enough; to parse a whole document again would take too long. */
const wordsIn = (html: string) =>
  html.includes('<') || html.includes('&')
    ? html
        .replace(TAG, (_tag, _end, name: string) => (INLINE.has(name) ? '' : ' '))
        .replace(/&(amp|lt|gt|quot|nbsp);/g, (_whole, name: string) => ENTITIES[name]!)
    : html

const ACCENTS = /[\u0300-\u036f]/g
/** Letters with a stroke or of two letters, which no normal form takes apart. */
const STROKES: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ı: 'i', æ: 'ae', œ: 'oe' }

const MAX_KEPT = 20_000
const folds = new Map<string, string>()

/** Texts repeat their few letters outside of ASCII, and folding is dear. */
function foldRun(run: string): string {
  const known = folds.get(run)
  if (known !== undefined) return known
  const folded = foldText(run)
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(/[øłđħıæœ]/g, (letter) => STROKES[letter]!)
  if (folds.size >= MAX_KEPT) folds.clear()
  folds.set(run, folded)
  return folded
}

/** Case and accents away, blanks alike: how texts and what is searched for are compared. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\u0080-\uffff]+/g, foldRun)
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim()
