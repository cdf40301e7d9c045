import { canonicalJson } from '../../../kernel/canonical.ts'
import { cutTo } from '../labels.ts'
import { isRecord } from '../pointers.ts'
import { ROOT } from '../schema/nodes.ts'
import { CHANGE_KINDS, type Change, type ChangeKind } from './diff.ts'
import { itemInWords, schemaAt, valueInWords } from './values-in-words.ts'
import { type Run, wordDiff, wordRuns } from './word-diff.ts'

const MAX_VALUE = 500
/** From here on two texts are easier to read as one with its changes marked. */
const LONG_TEXT = 60

export type Counts = Record<ChangeKind, number>

export interface Summary {
  bySection: Record<string, Counts>
  total: number
}

export function summarize(changes: readonly Change[]): Summary {
  const bySection: Record<string, Counts> = {}
  for (const { path, kind } of changes) {
    const counts = (bySection[sectionOf(path)] ??= Object.fromEntries(CHANGE_KINDS.map((each) => [each, 0])) as Counts)
    counts[kind]++
  }
  return { bySection, total: changes.length }
}

const sectionOf = (path: string) => path.split('/')[1]!

/** A value as JSON of at most 500 characters. A text that is cut stays JSON; of anything else only the beginning is left. */
export function shownJson(value: unknown): { json: string; cut: boolean } {
  const json = canonicalJson(value)
  if (json.length <= MAX_VALUE) return { json, cut: false }
  if (typeof value !== 'string') return { json: cutTo(json, MAX_VALUE), cut: true }
  // Quotes and line breaks take more room in JSON than in the text.
  let shown = cutTo(value, MAX_VALUE - 2)
  while (canonicalJson(shown).length > MAX_VALUE) shown = cutTo(shown, shown.length - 1)
  return { json: canonicalJson(shown), cut: true }
}

/** What changed in a text, when it is too long to compare by eye. */
export function shownWords(change: Change): string | null {
  const texts = longTexts(change)
  if (!texts) return null
  const shown = worded.get(change) ?? cutTo(wordDiff(...texts), MAX_VALUE)
  worded.set(change, shown)
  return shown
}

function longTexts({ kind, before, after }: Change): [before: string, after: string] | null {
  if (kind !== 'changed' || typeof before !== 'string' || typeof after !== 'string') return null
  return Math.max(before.length, after.length) <= LONG_TEXT ? null : [before, after]
}

/** The list and the text of a comparison tell the same, and of long texts it takes long to work out. */
const worded = new WeakMap<Change, string>()

const VERBS = { added: 'Added', removed: 'Removed', changed: 'Changed', moved: 'Moved', renamed: 'Renamed' } as const
const PREPOSITIONS = { added: 'to', removed: 'from', changed: 'of', moved: 'of', renamed: 'of' } as const

const isSource = ({ path, kind }: Change) => kind === 'changed' && path.startsWith('/translations/') && path.endsWith('/sourceHash')

/** One change as people would tell it. */
export function inSentence(change: Change): string {
  if (isSource(change)) return `Kept the ${change.within} for the text as it is now (${change.path})`
  const { kind, path, title, within, from, to } = change
  const isItem = from !== undefined || to !== undefined || /\/\d+$/.test(path)
  const whole = title.startsWith('"') ? title : title.charAt(0).toLowerCase() + title.slice(1)
  const own = within === null ? whole : whole.slice(0, whole.length - within.length - ' of '.length)
  const holder = within === null ? '' : ` ${isItem ? PREPOSITIONS[kind] : 'of'} ${within}`
  const thing = `${VERBS[kind]} ${isItem ? '' : 'the '}${own}`
  if (kind === 'moved') {
    return to === null
      ? `${thing} to the front${within === null ? '' : ` of ${within}`} (${path})`
      : `${thing}${holder} behind ${to} (${path})`
  }
  if (kind === 'renamed') return `${thing}${holder} (${path}): ${from} → ${to}`
  const place = kind === 'added' && to !== undefined ? (to === null ? ', at the front' : `, behind ${to}`) : ''
  return `${thing}${holder}${place} (${path})${valuesInWords(change)}`
}

/** A change in the parts that a page shows apart. */
export interface ToldChange {
  kind: ChangeKind
  path: string
  /** What is concerned: `Price 1 of "Gala dinner"`. */
  title: string
  /** Values as people would say them; null where there is none to say. */
  before: string | null
  after: string | null
  /** In place of both, for texts too long to compare by eye. */
  runs: Run[] | null
}

const MAX_TOLD = 160

export function toldChange(change: Change): ToldChange {
  const { kind, path, title, before, after, from, to } = change
  const place = { kind, path, title, before: null, after: null, runs: null }
  if (isSource(change)) return { ...place, title: `The ${change.within} is kept for the text as it is now` }
  if (kind === 'renamed') return { ...place, before: from ?? null, after: to ?? null }
  if (kind === 'moved') return { ...place, after: to === null ? 'to the front' : `behind ${to}` }
  const texts = longTexts(change)
  if (texts) return { ...place, runs: shortRuns(wordRuns(...texts)) }
  const node = schemaAt(path)
  const said = (value: unknown) => {
    if (value === undefined || value === null) return null
    const named = isRecord(value) && !/\/\d+$/.test(path) && !node?.word.shortFor
    return cutTo(named ? itemInWords(node, value) : valueInWords(node, value), MAX_TOLD) || null
  }
  return { ...place, before: said(before), after: said(after) }
}

function shortRuns(runs: readonly Run[]): Run[] {
  let room = MAX_VALUE
  return runs.flatMap(({ kind, text }) => {
    if (room <= 0) return []
    const shown = cutTo(text, room)
    room -= shown.length
    return [{ kind, text: shown }]
  })
}

function valuesInWords(change: Change): string {
  const { kind, path, before, after } = change
  const node = schemaAt(path)
  const inline = (value: unknown) => cutTo(valueInWords(node, value), MAX_VALUE)
  if (kind === 'changed') return `: ${shownWords(change) ?? `${inline(before)} → ${inline(after)}`}`
  const value = kind === 'added' ? after : before
  // What goes by a name was called by it already.
  const said = isRecord(value) && !/\/\d+$/.test(path) && !node?.word.shortFor ? cutTo(itemInWords(node, value), MAX_VALUE) : inline(value)
  return said === '' ? '' : `: ${said}`
}

/** All of them, under the names of their sections. */
export function inText(changes: readonly Change[]): string {
  const sections = new Map<string, string[]>()
  const told = new Set(changes.map(({ path }) => path))
  for (const change of changes) {
    // That a new translation was made from the new text goes without saying.
    if (isSource(change) && told.has(change.path.replace(/sourceHash$/, 'text'))) continue
    const section = sectionOf(change.path)
    const lines = sections.get(section) ?? []
    sections.set(section, lines)
    lines.push(`- ${inSentence(change)}`)
  }
  return [...sections].map(([name, lines]) => [ROOT.fields.get(name)?.title ?? name, ...lines].join('\n')).join('\n\n')
}
