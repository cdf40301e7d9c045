import { cleanText } from '../../kernel/outside-text.ts'
import { titleAt } from '../configuration/diff/path-in-words.ts'
import { schemaAt } from '../configuration/diff/values-in-words.ts'
import { type Run, wordRuns } from '../configuration/diff/word-diff.ts'
import { toldChange } from '../configuration/diff/words.ts'
import { HIDDEN } from '../registration/personal-fields.ts'
import type { AuditTarget } from './log.ts'

/** One value that became another, as people read it. */
export interface Difference {
  label: string
  before: string | null
  after: string | null
  /** In place of both, for texts: what went, came and stayed. */
  runs: Run[] | null
}

const MAX_TEXT = 500
/** Longer texts are compared by nobody's eye, and for long by ours. */
const MAX_COMPARED = 8000

/** What fields are called: a place of a draft, a product, a question; null where their own name says it. */
export type Labels = (field: string) => string | null

/** What really differs, down to single values: of a long record only the lines that changed are worth reading. */
export function differencesOf({ kind, fields }: Pick<AuditTarget, 'kind' | 'fields'>, labels: Labels): Difference[] {
  return Object.entries(fields).flatMap(([name, { before, after }]) => {
    const label = labels(name) ?? fieldInWords(name)
    // What is hidden looks alike on both sides; that it changed is all that is said.
    if (HIDES.has(before) || HIDES.has(after)) return [{ label, before: written(before), after: written(after), runs: null }]
    return kind === 'configuration' && name.startsWith('/') ? [inDraft(name, before, after, labels)] : between(label, before, after)
  })
}

const HIDES: ReadonlySet<unknown> = new Set([HIDDEN, '[secret]'])

/** `firstName` and `@participant.firstName` are both the first name. */
export function fieldInWords(name: string): string {
  const bare = name.replace(/^@[a-z]+\./, '').replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
  return bare.charAt(0).toUpperCase() + bare.slice(1).toLowerCase()
}

/** Places of a draft are told as the draft's own page tells them. */
function inDraft(path: string, before: unknown, after: unknown, labels: Labels): Difference {
  const label = labels(path) ?? path
  const [was, is] = [whole(before), whole(after)]
  if (typeof was === 'string' && typeof is === 'string' && isItem(path)) return { label, before: was, after: movedTo(path, is), runs: null }
  if (typeof was === 'string' && typeof is === 'string') return texts(label, was, is)
  const kind = was === undefined || was === null ? 'added' : is === undefined || is === null ? 'removed' : 'changed'
  const told = toldChange({ kind, path, title: label, within: null, before: was, after: is })
  return { label, before: clean(told.before), after: clean(told.after), runs: null }
}

/** Of items that moved or got another key the log keeps the keys alone. */
const isItem = (path: string) => {
  const node = schemaAt(path)
  return node?.kind === 'object' || node?.kind === 'union'
}

const movedTo = (path: string, key: string) => (key === path ? 'at the front' : path.endsWith(`/${key}`) ? key : `behind ${key}`)

/** What was too long for the log is kept there as its beginning. */
function whole(value: unknown): unknown {
  const cut = isHolder(value) && Object.keys(value).length === 2 && 'sha256' in value ? value['cut'] : undefined
  if (typeof cut !== 'string') return value
  if (!cut.startsWith('"')) return `${cut}…`
  const text = cut.slice(1).replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')
  try {
    return `${JSON.parse(`"${text}"`) as string}…`
  } catch {
    return `${text}…`
  }
}

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function between(label: string, before: unknown, after: unknown): Difference[] {
  if (isHolder(before) && isHolder(after) && Array.isArray(before) === Array.isArray(after) && !Array.isArray(before)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => between(`${label}, ${fieldInWords(name).toLowerCase()}`, before[name], after[name]))
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (typeof before === 'string' && typeof after === 'string') return [texts(label, before, after)]
  return [{ label, before: written(before), after: written(after), runs: null }]
}

/** Two texts in one where they share words; else the one and then the other. */
function texts(label: string, before: string, after: string): Difference {
  const [was, is] = [cleanText(before), cleanText(after)]
  const small = was.length <= MAX_COMPARED && is.length <= MAX_COMPARED
  const runs = small && /\s/.test(was) && /\s/.test(is) ? wordRuns(was, is) : []
  const shared = runs.some(({ kind, text }) => kind === 'same' && /[\p{L}\p{N}]/u.test(text))
  return shared ? { label, before: null, after: null, runs } : { label, before: clean(before), after: clean(after), runs: null }
}

function clean(text: string | null): string | null {
  if (text === null || text === '') return null
  const shown = cleanText(text, MAX_TEXT)
  return text.length > MAX_TEXT ? `${shown}…` : shown
}

function written(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number'))
    return clean(value.join(', ')) ?? 'none'
  if (isHolder(value) && !Array.isArray(value)) {
    const said = Object.entries(value).flatMap(([name, one]) => {
      const words = written(one)
      return words === null ? [] : [`${fieldInWords(name).toLowerCase()} ${words}`]
    })
    return clean(said.join(', '))
  }
  return clean(JSON.stringify(value))
}

/** The name of a place in a draft, for labels. */
export const placeInWords = (path: string, called: (pointer: string) => string | null): string | null =>
  path.startsWith('/') && !/~(?![01])/.test(path) ? titleAt(path, called) : null
