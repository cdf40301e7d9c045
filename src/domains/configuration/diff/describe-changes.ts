import { toCanonicalJson } from '../../../kernel/canonical.ts'
import { truncate } from '../labels.ts'
import { isJsonObject } from '../pointers.ts'
import { ROOT_NODE } from '../schema/nodes.ts'
import { CHANGE_KINDS, type Change, type ChangeKind } from './diff.ts'
import { describeConfigItem, findSchemaNode, describeValue } from './describe-values.ts'
import { type WordDiffSegment, formatWordDiff, splitIntoWordDiffSegments } from './word-diff.ts'

const MAX_VALUE = 500
/** Maximum length of a text that is shown in full before and after the change. Of longer texts, only the changed words are shown. */
const LONG_TEXT = 60

export type ChangeCounts = Record<ChangeKind, number>

export interface ChangeSummary {
  bySection: Record<string, ChangeCounts>
  total: number
}

export function summarizeChanges(changes: readonly Change[]): ChangeSummary {
  const bySection: Record<string, ChangeCounts> = {}
  for (const { path, kind } of changes) {
    const counts = (bySection[sectionOf(path)] ??= Object.fromEntries(CHANGE_KINDS.map((each) => [each, 0])) as ChangeCounts)
    counts[kind]++
  }
  return { bySection, total: changes.length }
}

const sectionOf = (path: string) => path.split('/')[1]!

/** Formats a value as JSON of at most 500 characters. A shortened text remains valid JSON; other values are cut off. */
export function truncateJson(value: unknown): { json: string; cut: boolean } {
  const json = toCanonicalJson(value)
  if (json.length <= MAX_VALUE) return { json, cut: false }
  if (typeof value !== 'string') return { json: truncate(json, MAX_VALUE), cut: true }
  // JSON escapes quotes and line breaks, so the JSON may be longer than the text. Shorten the text until its JSON fits.
  let shown = truncate(value, MAX_VALUE - 2)
  while (toCanonicalJson(shown).length > MAX_VALUE) shown = truncate(shown, shown.length - 1)
  return { json: toCanonicalJson(shown), cut: true }
}

/** Marks the changed words of a text that is too long to compare by eye. Returns null for short texts and other values. */
export function markChangedWords(change: Change): string | null {
  const texts = findLongTexts(change)
  if (!texts) return null
  const shown = worded.get(change) ?? truncate(formatWordDiff(...texts), MAX_VALUE)
  worded.set(change, shown)
  return shown
}

function findLongTexts({ kind, before, after }: Change): [before: string, after: string] | null {
  if (kind !== 'changed' || typeof before !== 'string' || typeof after !== 'string') return null
  return Math.max(before.length, after.length) <= LONG_TEXT ? null : [before, after]
}

/**
 * Cached word-by-word descriptions of changes: the list and the text of a comparison both need them, and they are slow to compute for long
 * texts.
 */
const worded = new WeakMap<Change, string>()

const VERBS = { added: 'Added', removed: 'Removed', changed: 'Changed', moved: 'Moved', renamed: 'Renamed' } as const
const PREPOSITIONS = { added: 'to', removed: 'from', changed: 'of', moved: 'of', renamed: 'of' } as const

const isSourceHashChange = ({ path, kind }: Change) =>
  kind === 'changed' && path.startsWith('/translations/') && path.endsWith('/sourceHash')

export function describeChange(change: Change): string {
  if (isSourceHashChange(change)) return `Marked the ${change.within} as up to date with the current text (${change.path})`
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
  const position = kind === 'added' && to !== undefined ? (to === null ? ', at the front' : `, behind ${to}`) : ''
  return `${thing}${holder}${position} (${path})${describeChangedValues(change)}`
}

/** One configuration change, split into the parts that a console page displays separately. */
export interface DescribedChange {
  kind: ChangeKind
  path: string
  /** The changed setting in words, for example `Price 1 of "Gala dinner"`. */
  title: string
  /** The old and new values in words; null if there is no value to show. */
  before: string | null
  after: string | null
  /** The removed, added and unchanged words of a text too long to compare by eye. Shown instead of `before` and `after`. */
  runs: WordDiffSegment[] | null
}

const MAX_DESCRIBED_VALUE = 160

export function toDescribedChange(change: Change): DescribedChange {
  const { kind, path, title, before, after, from, to } = change
  const base = { kind, path, title, before: null, after: null, runs: null }
  if (isSourceHashChange(change)) return { ...base, title: `The ${change.within} was marked as up to date with the current text` }
  if (kind === 'renamed') return { ...base, before: from ?? null, after: to ?? null }
  if (kind === 'moved') return { ...base, after: to === null ? 'to the front' : `behind ${to}` }
  const texts = findLongTexts(change)
  if (texts) return { ...base, runs: shortRuns(splitIntoWordDiffSegments(...texts)) }
  const node = findSchemaNode(path)
  const describe = (value: unknown) => {
    if (value === undefined || value === null) return null
    const named = isJsonObject(value) && !/\/\d+$/.test(path) && !node?.annotations.shortFor
    return truncate(named ? describeConfigItem(node, value) : describeValue(node, value), MAX_DESCRIBED_VALUE) || null
  }
  return { ...base, before: describe(before), after: describe(after) }
}

function shortRuns(runs: readonly WordDiffSegment[]): WordDiffSegment[] {
  let room = MAX_VALUE
  return runs.flatMap(({ kind, text }) => {
    if (room <= 0) return []
    const shown = truncate(text, room)
    room -= shown.length
    return [{ kind, text: shown }]
  })
}

function describeChangedValues(change: Change): string {
  const { kind, path, before, after } = change
  const node = findSchemaNode(path)
  const inline = (value: unknown) => truncate(describeValue(node, value), MAX_VALUE)
  if (kind === 'changed') return `: ${markChangedWords(change) ?? `${inline(before)} → ${inline(after)}`}`
  const value = kind === 'added' ? after : before
  // The title of the change already contains the name of the item, so the description of the item's value leaves the name out.
  const describe =
    isJsonObject(value) && !/\/\d+$/.test(path) && !node?.annotations.shortFor
      ? truncate(describeConfigItem(node, value), MAX_VALUE)
      : inline(value)
  return describe === '' ? '' : `: ${describe}`
}

/** Formats all changes as text, grouped by section of the configuration. */
export function formatChanges(changes: readonly Change[]): string {
  const sections = new Map<string, string[]>()
  const changedPaths = new Set(changes.map(({ path }) => path))
  for (const change of changes) {
    // A changed translation always has a new source hash as well, so the hash change is left out.
    if (isSourceHashChange(change) && changedPaths.has(change.path.replace(/sourceHash$/, 'text'))) continue
    const section = sectionOf(change.path)
    const lines = sections.get(section) ?? []
    sections.set(section, lines)
    lines.push(`- ${describeChange(change)}`)
  }
  return [...sections].map(([name, lines]) => [ROOT_NODE.fields.get(name)?.title ?? name, ...lines].join('\n')).join('\n\n')
}
