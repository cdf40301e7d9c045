import { hash } from 'node:crypto'
import { isRecord, parsePointer } from './pointers.ts'
import { childNode, type ConfigNode, ROOT } from './schema/nodes.ts'
import type { ConfigDocument, EventConfig } from './schema/event-config.ts'
import { eachValue, holds } from './walk.ts'

/** A text of the document that people read, and that can be given in other languages. */
export interface Text {
  path: string
  text: string
  html: boolean
}

const LETTER = /\p{L}/u

interface Texts {
  texts: readonly Text[]
  paths: ReadonlySet<string>
}

/** Several parts of one edit ask for them, and a document never changes. */
const found = new WeakMap<ConfigDocument, Texts>()

/** Every translatable text in document order; not those of retired items, nor those without a letter. */
export const textsOf = (document: ConfigDocument): readonly Text[] => textsIn(document).texts

/** Where these stand: what a translation can be of. */
export const unitsOf = (document: ConfigDocument): ReadonlySet<string> => textsIn(document).paths

function textsIn(document: ConfigDocument): Texts {
  const known = found.get(document)
  if (known) return known
  const texts: Text[] = []
  eachValue(
    document,
    (node, value, path) => {
      if (typeof value === 'string' && node.word.translatable && LETTER.test(value))
        texts.push({ path, text: value, html: node.word.html ?? false })
    },
    (node, value) => holds(node, isTranslatable) && !(isRecord(value) && value.retired === true),
  )
  const made = { texts, paths: new Set(texts.map(({ path }) => path)) }
  found.set(document, made)
  return made
}

const isTranslatable = ({ word }: ConfigNode) => word.translatable ?? false

/** Whether the text at a pointer is a translation of rich text. */
export function translatesHtml(pointer: string): boolean {
  if (!pointer.startsWith('/translations/')) return false
  const [, , unit = '', key] = parsePointer(pointer)
  // What is no pointer translates nothing, and is refused with the rest of the value.
  return key === 'text' && !/~(?![01])/.test(unit) && isHtmlUnit(ROOT, unit.split('/').slice(1))
}

/** By the schema alone: which type a widget is of can change, and no two types of widget use one name for rich and for plain text. */
function isHtmlUnit(node: ConfigNode, segments: readonly string[]): boolean {
  const [segment, ...rest] = segments
  if (segment === undefined) return node.word.html ?? false
  if (node.kind === 'union') return [...node.options.values()].some((option) => isHtmlUnit(option, segments))
  const below = childNode(node, segment)
  return below !== null && isHtmlUnit(below, rest)
}

/** What a translation was made from: the first 16 hexadecimal digits of the SHA-256 of the text in NFC. */
export function sourceHashOf(text: string): string {
  const known = hashes.get(text)
  if (known !== undefined) return known
  if (hashes.size >= MAX_HASHES) hashes.clear()
  const made = hash('sha256', text.normalize('NFC'), 'hex').slice(0, 16)
  hashes.set(text, made)
  return made
}

/** Between two edits nearly all texts are the same. */
const hashes = new Map<string, string>()
const MAX_HASHES = 20_000

export interface TranslationState {
  locale: string
  texts: number
  missing: string[]
  stale: string[]
  machine: number
  reviewed: number
  /** Entries whose text is gone. They are kept until the next publish. */
  orphaned: string[]
  /** With one decimal. */
  coveragePercent: number
}

interface Languages {
  locale: string
  locales: readonly string[]
}

/** Both the check and the review of a document ask for them. */
const states = new WeakMap<ConfigDocument, { beside: string; states: readonly TranslationState[] }>()

/** How far each of the other languages is. */
export function translationStates(
  document: ConfigDocument,
  config: EventConfig,
  { locale, locales }: Languages,
): readonly TranslationState[] {
  const others = locales.filter((one) => one !== locale)
  if (others.length === 0) return []
  const beside = [locale, ...locales].join()
  const known = states.get(document)
  if (known?.beside === beside) return known.states
  const texts = textsOf(document).map(({ path, text }) => ({ path, hash: sourceHashOf(text) }))
  const units = unitsOf(document)
  const made = others.map((one) => stateOf(one, config.translations[one] ?? {}, texts, units))
  states.set(document, { beside, states: made })
  return made
}

function stateOf(
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

/** Translations that do not say what they were made from were made from the text as it is now, by somebody who could read it. */
export function withSources(document: ConfigDocument): ConfigDocument {
  const { translations } = document
  const isOpen = ({ sourceHash, state }: Entry) => sourceHash === undefined || state === undefined
  if (!translations || !Object.values(translations).some((entries) => Object.values(entries).some(isOpen))) return document
  const texts = new Map(textsOf(document).map(({ path, text }) => [path, text]))
  const filled = (path: string, entry: Entry): Entry => {
    const source = texts.get(path)
    const made = entry.sourceHash === undefined && source !== undefined ? { sourceHash: sourceHashOf(source) } : {}
    return { state: 'reviewed', ...entry, ...made }
  }
  const locales = Object.entries(translations).map(([locale, entries]) => [
    locale,
    Object.fromEntries(Object.entries(entries).map(([path, entry]) => [path, isOpen(entry) ? filled(path, entry) : entry])),
  ])
  return { ...document, translations: Object.fromEntries(locales) as typeof translations }
}

type Entry = NonNullable<ConfigDocument['translations']>[string][string]
