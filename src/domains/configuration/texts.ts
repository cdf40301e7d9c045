import { hash } from 'node:crypto'
import { memoize } from '../../kernel/memoize.ts'
import { isJsonObject, parsePointer } from './pointers.ts'
import { findChildNode, type ConfigNode, ROOT_NODE } from './schema/nodes.ts'
import type { ConfigDocument, EventConfig } from './schema/event-config.ts'
import { visitValues, hasMatchingNode } from './walk.ts'

export interface TranslatableText {
  path: string
  text: string
  html: boolean
}

const LETTER = /\p{L}/u
/** Most texts are unchanged between edits, so their hashes are cached. */
const MAX_CACHED_HASHES = 20_000

interface DocumentTexts {
  texts: readonly TranslatableText[]
  paths: ReadonlySet<string>
}

/** Cached texts per document. Documents are immutable and one edit needs the texts several times. */
const found = new WeakMap<ConfigDocument, DocumentTexts>()

/** Lists every translatable text in document order, except texts of retired items and texts without a letter. */
export const listTranslatableTexts = (document: ConfigDocument): readonly TranslatableText[] => collectTexts(document).texts

/** Lists the paths of all translatable texts, which are the valid keys of translations. */
export const listTranslatableTextPaths = (document: ConfigDocument): ReadonlySet<string> => collectTexts(document).paths

function collectTexts(document: ConfigDocument): DocumentTexts {
  const known = found.get(document)
  if (known) return known
  const texts: TranslatableText[] = []
  visitValues(
    document,
    (node, value, path) => {
      if (typeof value === 'string' && node.annotations.translatable && LETTER.test(value))
        texts.push({ path, text: value, html: node.annotations.html ?? false })
    },
    (node, value) => hasMatchingNode(node, isTranslatable) && !(isJsonObject(value) && value.retired === true),
  )
  const made = { texts, paths: new Set(texts.map(({ path }) => path)) }
  found.set(document, made)
  return made
}

const isTranslatable = ({ annotations }: ConfigNode) => annotations.translatable ?? false

/** Whether the pointer leads to a translation of rich text. */
export function isHtmlTranslation(pointer: string): boolean {
  if (!pointer.startsWith('/translations/')) return false
  const [, , unit = '', key] = parsePointer(pointer)
  // An invalid pointer is rejected later, together with the other errors of the value.
  return key === 'text' && !/~(?![01])/.test(unit) && isHtmlUnit(ROOT_NODE, unit.split('/').slice(1))
}

/**
 * Whether the text at a path is rich text. Uses the schema alone, because the type of a widget may change. No two widget types use one
 * property name for both rich and plain text.
 */
function isHtmlUnit(node: ConfigNode, segments: readonly string[]): boolean {
  const [segment, ...rest] = segments
  if (segment === undefined) return node.annotations.html ?? false
  if (node.kind === 'union') return [...node.options.values()].some((option) => isHtmlUnit(option, segments))
  const below = findChildNode(node, segment)
  return below !== null && isHtmlUnit(below, rest)
}

/** Returns the hash that identifies the source text of a translation: the first 16 hexadecimal digits of the SHA-256 of the text in NFC. */
export const hashSourceText = memoize(MAX_CACHED_HASHES, (text) => hash('sha256', text.normalize('NFC'), 'hex').slice(0, 16))

export interface TranslationState {
  locale: string
  texts: number
  missing: string[]
  stale: string[]
  machine: number
  reviewed: number
  /** Paths of translations whose source text no longer exists. The draft keeps them until the next publish. */
  orphaned: string[]
  /** Share of translated texts in percent, with one decimal. */
  coveragePercent: number
}

interface Languages {
  locale: string
  locales: readonly string[]
}

/** Cached translation progress per document, because validation and review both need it. */
const states = new WeakMap<ConfigDocument, { cacheKey: string; states: readonly TranslationState[] }>()

/** Returns the translation progress of every additional language. */
export function getTranslationStates(
  document: ConfigDocument,
  config: EventConfig,
  { locale, locales }: Languages,
): readonly TranslationState[] {
  const others = locales.filter((one) => one !== locale)
  if (others.length === 0) return []
  const cacheKey = [locale, ...locales].join()
  const known = states.get(document)
  if (known?.cacheKey === cacheKey) return known.states
  const texts = listTranslatableTexts(document).map(({ path, text }) => ({ path, hash: hashSourceText(text) }))
  const units = listTranslatableTextPaths(document)
  const made = others.map((one) => computeState(one, config.translations[one] ?? {}, texts, units))
  states.set(document, { cacheKey, states: made })
  return made
}

function computeState(
  locale: string,
  entries: EventConfig['translations'][string],
  texts: readonly { path: string; hash: string }[],
  units: ReadonlySet<string>,
): TranslationState {
  const state: TranslationState = {
    locale,
    texts: texts.length,
    missing: [],
    stale: [],
    machine: 0,
    reviewed: 0,
    orphaned: Object.keys(entries).filter((path) => !units.has(path)),
    coveragePercent: 100,
  }
  for (const { path, hash: wanted } of texts) {
    const entry = entries[path]
    if (!entry) state.missing.push(path)
    else if (entry.sourceHash !== wanted) state.stale.push(path)
    else state[entry.state ?? 'reviewed']++
  }
  if (texts.length > 0) state.coveragePercent = Math.round(((state.machine + state.reviewed) / texts.length) * 1000) / 10
  return state
}

/** Fills in what saved translations lack: the hash of the current source text as `sourceHash`, and the state `reviewed`. */
export function addTranslationSourceHashes(document: ConfigDocument): ConfigDocument {
  const { translations } = document
  const isOpen = ({ sourceHash, state }: Entry) => sourceHash === undefined || state === undefined
  if (!translations || !Object.values(translations).some((entries) => Object.values(entries).some(isOpen))) return document
  const texts = new Map(listTranslatableTexts(document).map(({ path, text }) => [path, text]))
  const filled = (path: string, entry: Entry): Entry => {
    const source = texts.get(path)
    const made = entry.sourceHash === undefined && source !== undefined ? { sourceHash: hashSourceText(source) } : {}
    return { state: 'reviewed', ...entry, ...made }
  }
  const locales = Object.entries(translations).map(([locale, entries]) => [
    locale,
    Object.fromEntries(Object.entries(entries).map(([path, entry]) => [path, isOpen(entry) ? filled(path, entry) : entry])),
  ])
  return { ...document, translations: Object.fromEntries(locales) as typeof translations }
}

type Entry = NonNullable<ConfigDocument['translations']>[string][string]
