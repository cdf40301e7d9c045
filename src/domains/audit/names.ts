import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { cleanName } from '../../kernel/outside-text.ts'
import type { AuditTarget } from './log.ts'
import { namedIn, NAMES_OF_EVENT, NAMES_OF_TENANT, type NamedIn } from './kinds.ts'

/** What records are called today, by what keeps their names and their id. */
export type Names = ReadonlyMap<string, string>

const keyOf = (keeper: NamedIn, id: string) => `${keeper} ${id}`

/** One record by a name that is known already. */
export const onlyName = (kind: string, id: string, name: string): Names => {
  const keeper = namedIn(kind)
  return new Map(keeper ? [[keyOf(keeper, id), name]] : [])
}

/** Of so many records of one entry the names are read; the rest of a long one is told by number. */
export const MOST_NAMED = 20

interface Changed {
  targets: readonly AuditTarget[]
  event: { id: string } | null
}

/** The names of everything that these entries are about, in one statement. Of records of events only those of the events that the entries are at. */
export async function namesIn({ db, tenantId }: Pick<Context, 'db' | 'tenantId'>, entries: readonly Changed[]): Promise<Names> {
  const wanted = new Map<NamedIn, Set<string>>()
  const want = (keeper: NamedIn | null, id: string) => {
    if (keeper) wanted.set(keeper, (wanted.get(keeper) ?? new Set()).add(id))
  }
  for (const { targets } of entries)
    for (const target of targets.slice(0, MOST_NAMED)) {
      want(namedIn(target.kind), target.id)
      for (const field of Object.keys(target.fields)) if (field.startsWith(SESSION)) want('sessions', field.slice(SESSION.length))
    }
  if (wanted.size === 0) return new Map()
  const eventIds = [...new Set(entries.flatMap(({ event }) => (event ? [event.id] : [])))]
  const parts = [...wanted].map(([keeper, ids]) => {
    const ofEvent = Object.hasOwn(NAMES_OF_EVENT, keeper)
    const name = ofEvent ? NAMES_OF_EVENT[keeper as keyof typeof NAMES_OF_EVENT] : NAMES_OF_TENANT[keeper as keyof typeof NAMES_OF_TENANT]
    return sql`select ${sql.lit(keeper)} as keeper, r.id, ${sql.raw(name)} as name from ${sql.table(keeper)} r
      where r.tenant_id = ${tenantId} ${ofEvent ? sql`and r.event_id = any(${eventIds})` : sql``} and r.id = any(${[...ids]})`
  })
  const { rows } = await sql<{ keeper: NamedIn; id: string; name: string | null }>`${sql.join(parts, sql` union all `)}`.execute(db)
  return new Map(rows.flatMap(({ keeper, id, name }) => (name ? [[keyOf(keeper, id), name] as const] : [])))
}

/** Sessions are answered by their id. */
const SESSION = '@session.'

/** What the session is called that this field is about. */
export const sessionNamed = (names: Names, field: string): string | null =>
  field.startsWith(SESSION) ? (names.get(keyOf('sessions', field.slice(SESSION.length))) ?? null) : null

/** What an entry itself calls its record, the most telling first. */
const CALLED = ['name', 'title', 'app', 'receiptNumber', 'number', 'email', 'url', 'code'] as const

const MOST_LETTERS = 120

/** Today's name of a record; of one that is gone, what the entry says of it. */
export function nameOf(names: Names, { kind, id, fields }: AuditTarget): string | null {
  const keeper = namedIn(kind)
  const today = keeper && names.get(keyOf(keeper, id))
  return today ? shortName(today) : nameThen(kind, fields)
}

/** Whether what keeps such names still has the record. */
export const isThere = (names: Names, { kind, id }: Pick<AuditTarget, 'kind' | 'id'>): boolean => {
  const keeper = namedIn(kind)
  return keeper !== null && names.has(keyOf(keeper, id))
}

function nameThen(kind: string, fields: AuditTarget['fields']): string | null {
  const said = (field: string) => {
    const value = fields[field]?.after ?? fields[field]?.before
    return typeof value === 'string' && value !== '' ? value : null
  }
  if (kind === 'participant') {
    const parts = ['firstName', 'lastName'].map((part) => said(part) ?? said(`@participant.${part}`)).filter((part) => part !== null)
    if (parts.length > 0) return shortName(parts.join(' '))
  }
  // A directory keeps credentials by names of their own.
  const found = kind === 'directory credential' ? null : CALLED.map(said).find((name) => name !== null)
  return found ? shortName(found) : null
}

const shortName = (name: string) => {
  const clean = cleanName(name)
  return clean.length > MOST_LETTERS ? `${cleanName(clean.slice(0, MOST_LETTERS))}…` : clean
}
