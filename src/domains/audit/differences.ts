import { cleanText } from '../../kernel/clean-text.ts'
import { describePath } from '../configuration/diff/describe-path.ts'
import { findSchemaNode } from '../configuration/diff/describe-values.ts'
import { type WordDiffSegment, splitIntoWordDiffSegments } from '../configuration/diff/word-diff.ts'
import { toDescribedChange } from '../configuration/diff/describe-changes.ts'
import { PERSONAL_DATA_MASK } from '../registration/personal-fields.ts'
import type { AuditedRecord } from './log.ts'

/** One changed value in readable form. */
export interface ValueDifference {
  label: string
  before: string | null
  after: string | null
  /** The differences between two texts word by word; `before` and `after` are then null. */
  runs: WordDiffSegment[] | null
}

const MAX_SHOWN_CHARACTERS = 500
/** Maximum length of texts that are compared word by word. Longer texts are too slow to compare and too long to read. */
const MAX_COMPARED_CHARACTERS = 8000

/** Returns the label of a field, such as the name of a product or question; null if the field name is clear enough. */
export type FindFieldLabel = (field: string) => string | null

/** Lists the values that differ between before and after, at any depth. */
export function listValueDifferences({ kind, fields }: Pick<AuditedRecord, 'kind' | 'fields'>, labels: FindFieldLabel): ValueDifference[] {
  return Object.entries(fields).flatMap(([name, { before, after }]) => {
    const label = labels(name) ?? formatFieldName(name)
    // A hidden value looks the same before and after. The log only shows that it changed.
    if (HIDDEN_VALUES.has(before) || HIDDEN_VALUES.has(after))
      return [{ label, before: formatValue(before), after: formatValue(after), runs: null }]
    return kind === 'configuration' && name.startsWith('/')
      ? [toDraftDifference(name, before, after, labels)]
      : compareValues(label, before, after)
  })
}

const HIDDEN_VALUES: ReadonlySet<unknown> = new Set([PERSONAL_DATA_MASK, '[secret]'])

/** Formats a field name for display: `firstName` and `@participant.firstName` both become "First name". */
export function formatFieldName(name: string): string {
  const bare = name.replace(/^@[a-z]+\./, '').replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
  return bare.charAt(0).toUpperCase() + bare.slice(1).toLowerCase()
}

/** Describes a change of the draft configuration in the same words as the draft's own list of changes. */
function toDraftDifference(path: string, before: unknown, after: unknown, labels: FindFieldLabel): ValueDifference {
  const label = labels(path) ?? path
  const [was, is] = [restoreCutValue(before), restoreCutValue(after)]
  if (typeof was === 'string' && typeof is === 'string' && isItem(path))
    return { label, before: was, after: describeMove(path, is), runs: null }
  if (typeof was === 'string' && typeof is === 'string') return compareTexts(label, was, is)
  const kind = was === undefined || was === null ? 'added' : is === undefined || is === null ? 'removed' : 'changed'
  const described = toDescribedChange({ kind, path, title: label, within: null, before: was, after: is })
  return { label, before: clean(described.before), after: clean(described.after), runs: null }
}

/** Whether the path names a whole item of the configuration. When an item is moved or renamed, the log contains only its key. */
const isItem = (path: string) => {
  const node = findSchemaNode(path)
  return node?.kind === 'object' || node?.kind === 'union'
}

const describeMove = (path: string, key: string) => (key === path ? 'at the front' : path.endsWith(`/${key}`) ? key : `behind ${key}`)

/** Returns the text of a value that was truncated in the audit log, with an ellipsis; other values unchanged. */
function restoreCutValue(value: unknown): unknown {
  const cut = isObject(value) && Object.keys(value).length === 2 && 'sha256' in value ? value['cut'] : undefined
  if (typeof cut !== 'string') return value
  if (!cut.startsWith('"')) return `${cut}…`
  const text = cut.slice(1).replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')
  try {
    return `${JSON.parse(`"${text}"`) as string}…`
  } catch {
    return `${text}…`
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function compareValues(label: string, before: unknown, after: unknown): ValueDifference[] {
  if (isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after) && !Array.isArray(before)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => compareValues(`${label}, ${formatFieldName(name).toLowerCase()}`, before[name], after[name]))
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (typeof before === 'string' && typeof after === 'string') return [compareTexts(label, before, after)]
  return [{ label, before: formatValue(before), after: formatValue(after), runs: null }]
}

/** Compares two texts word by word if they share words; otherwise returns both texts. */
function compareTexts(label: string, before: string, after: string): ValueDifference {
  const [was, is] = [cleanText(before), cleanText(after)]
  const small = was.length <= MAX_COMPARED_CHARACTERS && is.length <= MAX_COMPARED_CHARACTERS
  const runs = small && /\s/.test(was) && /\s/.test(is) ? splitIntoWordDiffSegments(was, is) : []
  const shared = runs.some(({ kind, text }) => kind === 'same' && /[\p{L}\p{N}]/u.test(text))
  return shared ? { label, before: null, after: null, runs } : { label, before: clean(before), after: clean(after), runs: null }
}

function clean(text: string | null): string | null {
  if (text === null || text === '') return null
  const shown = cleanText(text, MAX_SHOWN_CHARACTERS)
  return text.length > MAX_SHOWN_CHARACTERS ? `${shown}…` : shown
}

function formatValue(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number'))
    return clean(value.join(', ')) ?? 'none'
  if (isObject(value) && !Array.isArray(value)) {
    const said = Object.entries(value).flatMap(([name, one]) => {
      const words = formatValue(one)
      return words === null ? [] : [`${formatFieldName(name).toLowerCase()} ${words}`]
    })
    return clean(said.join(', '))
  }
  return clean(JSON.stringify(value))
}

/** Returns a readable name for a JSON pointer in the draft configuration. */
export const describeDraftConfigPath = (path: string, called: (pointer: string) => string | null): string | null =>
  path.startsWith('/') && !/~(?![01])/.test(path) ? describePath(path, called) : null
