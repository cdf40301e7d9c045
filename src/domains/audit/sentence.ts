import { cleanName } from '../../kernel/clean-text.ts'
import { findAuditActionSentence } from './actions.ts'
import type { FindFieldLabel } from './differences.ts'
import { getRecordKindNoun, getRecordNamePrefix } from './kinds.ts'
import type { AuditEntry, AuditedRecord } from './log.ts'
import { recordExists, findRecordName, type RecordNames } from './names.ts'

/** A record that is named in a sentence of the audit log. */
export interface NamedRecord {
  kind: string
  id: string
  name: string
  /** For an event, its code, because URLs contain the code instead of the id; null for other kinds of records. */
  code: string | null
  /** Whether the record is deleted, or its kind has no table from which a name could be read. */
  gone: boolean
}

/** The sentence that describes an action, as a list of texts and named records. */
export type AuditSentence = (string | NamedRecord)[]

type SentenceEntry = Pick<AuditEntry, 'tool' | 'client' | 'event' | 'targets'>

const MAX_VALUE = 60

/** Builds the sentence of a log entry, to follow the actor's name. */
export function buildAuditSentence(entry: SentenceEntry, names: RecordNames, labels: FindFieldLabel): AuditSentence {
  const valueOf = (field: string): string | null => {
    for (const { fields } of entry.targets) {
      const value = fields[field]?.after ?? fields[field]?.before
      if (typeof value === 'string' || typeof value === 'number') return cleanName(String(value)).slice(0, MAX_VALUE).toWellFormed()
    }
    return null
  }
  const statuses = entry.targets.filter(({ kind }) => kind === 'participant').map(({ fields }) => fields['status']?.after)
  const template = findAuditActionSentence(entry.tool, statuses) ?? `did “${entry.tool.replaceAll('_', ' ')}”`
  const known = template.replaceAll(/\[([^\]]*)\]/g, (_, optional: string) => {
    const field = /\{=(\w+)\}/.exec(optional)?.[1]
    return field !== undefined && valueOf(field) === null ? '' : optional
  })
  return known
    .split(/(\{[^}]+\})/)
    .filter((part) => part !== '')
    .flatMap((part): AuditSentence => {
      if (!part.startsWith('{')) return [part]
      const place = part.slice(1, -1)
      if (place.startsWith('=')) return [valueOf(place.slice(1)) ?? 'unknown']
      return place === 'edit' ? [describeEdit(entry, labels)] : insertRecords(place, entry, names)
    })
}

/** Replaces a placeholder such as `{participant}` by the name of the first changed record of this kind, and the number of others. */
function insertRecords(place: string, entry: SentenceEntry, names: RecordNames): AuditSentence {
  const [kinds = '', condition] = place.split('?')
  const [field, value] = condition?.split('=') ?? []
  const fits = ({ fields }: AuditedRecord) =>
    field === undefined || (field in fields && (value === undefined || fields[field]!.after === value))
  const [kind = ''] = kinds.split('|')
  const found = kinds
    .split('|')
    .map((one) => entry.targets.filter((target) => target.kind === one && fits(target)))
    .find((some) => some.length > 0)
  const [first] = found ?? []
  if (!first) return [fallback(kind, entry)]
  const name = findNameInEntry(entry, names, first)
  if (name === null) return [getRecordKindNoun(first.kind)]
  const code = first.fields['code']?.after
  const eventCode = first.id === entry.event?.id ? entry.event.code : typeof code === 'string' ? code : null
  const record = {
    kind: first.kind,
    id: first.id,
    name,
    code: first.kind === 'event' ? eventCode : null,
    gone: !recordExists(names, first),
  }
  const others = new Set(found!.map(({ id }) => id)).size - 1
  const said = getRecordNamePrefix(first.kind)
  return [...(said === '' ? [] : [said]), record, ...(others > 0 ? [` and ${others} more`] : [])]
}

/**
 * Finds the name of a record, otherwise the name of another record of the entry with the same id, such as the login of a deleted member.
 */
const findNameInEntry = ({ targets }: SentenceEntry, names: RecordNames, { kind, id, fields }: AuditedRecord): string | null =>
  findRecordName(names, { kind, id, fields }) ??
  targets
    .filter((other) => other.id === id)
    .map((other) => findRecordName(names, other))
    .find((name) => name !== null) ??
  null

/** Returns the text for a placeholder without a matching record: the event or client of the action, otherwise a noun such as "product". */
function fallback(kind: string, { event, client }: SentenceEntry): string | NamedRecord {
  if (kind === 'event' && event) return { kind, ...event, gone: false }
  if (kind === 'client' && client) return { kind, ...client, code: null, gone: false }
  return getRecordKindNoun(kind)
}

/** Describes an edit of the draft configuration, for example `changed Price 1 of "Delegate" and 2 more`. */
function describeEdit({ targets }: SentenceEntry, labels: FindFieldLabel): string {
  const changed = targets.filter(({ kind }) => kind === 'configuration').flatMap(({ fields }) => Object.entries(fields))
  const places = changed.filter(([path]) => path.startsWith('/'))
  const [first] = places
  if (!first) return 'made changes'
  const [path, { before, after }] = first
  const isNothing = (value: unknown) => value === undefined || value === null
  const verb = isNothing(before) ? 'added' : isNothing(after) ? 'removed' : 'changed'
  const title = labels(path) ?? path
  const own = title.startsWith('"') ? title : title.charAt(0).toLowerCase() + title.slice(1)
  return `${verb} ${own}${places.length > 1 ? ` and ${places.length - 1} more` : ''}`
}
