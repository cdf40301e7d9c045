import { cleanName } from '../../kernel/outside-text.ts'
import { deedOf } from './deeds.ts'
import type { Labels } from './differences.ts'
import { nounOf, wordBefore } from './kinds.ts'
import type { AuditEntry, AuditTarget } from './log.ts'
import { isThere, nameOf, type Names } from './names.ts'

/** A record that a sentence names. */
export interface NamedRecord {
  kind: string
  id: string
  name: string
  /** Of an event: the code that its pages go by. */
  code: string | null
  /** Deleted since, or of a kind that is known by its entries alone. */
  gone: boolean
}

/** What somebody did, as words with the records in their places. */
export type Sentence = (string | NamedRecord)[]

type Told = Pick<AuditEntry, 'tool' | 'client' | 'event' | 'targets'>

const MAX_VALUE = 60

/** What an entry says after the name of who did it. */
export function sentenceOf(entry: Told, names: Names, labels: Labels): Sentence {
  const valueOf = (field: string): string | null => {
    for (const { fields } of entry.targets) {
      const value = fields[field]?.after ?? fields[field]?.before
      if (typeof value === 'string' || typeof value === 'number') return cleanName(String(value)).slice(0, MAX_VALUE).toWellFormed()
    }
    return null
  }
  const statuses = entry.targets.filter(({ kind }) => kind === 'participant').map(({ fields }) => fields['status']?.after)
  const told = deedOf(entry.tool, statuses) ?? `did “${entry.tool.replaceAll('_', ' ')}”`
  const known = told.replaceAll(/\[([^\]]*)\]/g, (_, optional: string) => {
    const field = /\{=(\w+)\}/.exec(optional)?.[1]
    return field !== undefined && valueOf(field) === null ? '' : optional
  })
  return known
    .split(/(\{[^}]+\})/)
    .filter((part) => part !== '')
    .flatMap((part): Sentence => {
      if (!part.startsWith('{')) return [part]
      const place = part.slice(1, -1)
      if (place.startsWith('=')) return [valueOf(place.slice(1)) ?? 'unknown']
      return place === 'edit' ? [editInWords(entry, labels)] : recordsAt(place, entry, names)
    })
}

/** The first record of that kind by its name, and how many others there were. */
function recordsAt(place: string, entry: Told, names: Names): Sentence {
  const [kinds = '', condition] = place.split('?')
  const [field, value] = condition?.split('=') ?? []
  const fits = ({ fields }: AuditTarget) =>
    field === undefined || (field in fields && (value === undefined || fields[field]!.after === value))
  const [kind = ''] = kinds.split('|')
  const found = kinds
    .split('|')
    .map((one) => entry.targets.filter((target) => target.kind === one && fits(target)))
    .find((some) => some.length > 0)
  const [first] = found ?? []
  if (!first) return [fallback(kind, entry)]
  const name = calledIn(entry, names, first)
  if (name === null) return [nounOf(first.kind)]
  const code = first.fields['code']?.after
  const eventCode = first.id === entry.event?.id ? entry.event.code : typeof code === 'string' ? code : null
  const record = { kind: first.kind, id: first.id, name, code: first.kind === 'event' ? eventCode : null, gone: !isThere(names, first) }
  const others = new Set(found!.map(({ id }) => id)).size - 1
  const said = wordBefore(first.kind)
  return [...(said === '' ? [] : [said]), record, ...(others > 0 ? [` and ${others} more`] : [])]
}

/** Its own name, or what else of the same id is called: the sign-in of a member who is gone says who they were. */
const calledIn = ({ targets }: Told, names: Names, { kind, id, fields }: AuditTarget): string | null =>
  nameOf(names, { kind, id, fields }) ??
  targets
    .filter((other) => other.id === id)
    .map((other) => nameOf(names, other))
    .find((name) => name !== null) ??
  null

/** What happened at a place without changing it names the place. */
function fallback(kind: string, { event, client }: Told): string | NamedRecord {
  if (kind === 'event' && event) return { kind, ...event, gone: false }
  if (kind === 'client' && client) return { kind, ...client, code: null, gone: false }
  return nounOf(kind)
}

/** `changed Price 1 of "Delegate" and 2 more`. */
function editInWords({ targets }: Told, labels: Labels): string {
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
