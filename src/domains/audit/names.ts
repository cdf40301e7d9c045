import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { cleanName } from '../../kernel/clean-text.ts'
import type { AuditedRecord } from './log.ts'
import { findRecordNameTable, EVENT_RECORD_NAME_SQL, TENANT_RECORD_NAME_SQL, type TableWithRecordNames } from './kinds.ts'

/** Current names of records, by table and id. */
export type RecordNames = ReadonlyMap<string, string>

const keyOf = (keeper: TableWithRecordNames, id: string) => `${keeper} ${id}`

export const createNameMapOfOneRecord = (kind: string, id: string, name: string): RecordNames => {
  const keeper = findRecordNameTable(kind)
  return new Map(keeper ? [[keyOf(keeper, id), name]] : [])
}

/** Maximum number of records per log entry whose names are read. The other records of the entry are only counted. */
export const MAX_RECORD_NAMES_PER_ENTRY = 20

interface NamedEntry {
  targets: readonly AuditedRecord[]
  event: { id: string } | null
}

/** Reads the names of the records in these log entries in one statement. Event records are limited to the events of the entries. */
export async function readRecordNames(
  { db, tenantId }: Pick<Context, 'db' | 'tenantId'>,
  entries: readonly NamedEntry[],
): Promise<RecordNames> {
  const wanted = new Map<TableWithRecordNames, Set<string>>()
  const want = (keeper: TableWithRecordNames | null, id: string) => {
    if (keeper) wanted.set(keeper, (wanted.get(keeper) ?? new Set()).add(id))
  }
  for (const { targets } of entries)
    for (const target of targets.slice(0, MAX_RECORD_NAMES_PER_ENTRY)) {
      want(findRecordNameTable(target.kind), target.id)
      for (const field of Object.keys(target.fields))
        if (field.startsWith(SESSION_PREFIX)) want('sessions', field.slice(SESSION_PREFIX.length))
    }
  if (wanted.size === 0) return new Map()
  const eventIds = [...new Set(entries.flatMap(({ event }) => (event ? [event.id] : [])))]
  const parts = [...wanted].map(([keeper, ids]) => {
    const ofEvent = Object.hasOwn(EVENT_RECORD_NAME_SQL, keeper)
    const name = ofEvent
      ? EVENT_RECORD_NAME_SQL[keeper as keyof typeof EVENT_RECORD_NAME_SQL]
      : TENANT_RECORD_NAME_SQL[keeper as keyof typeof TENANT_RECORD_NAME_SQL]
    return sql`select ${sql.lit(keeper)} as keeper, r.id, ${sql.raw(name)} as name from ${sql.table(keeper)} r
      where r.tenant_id = ${tenantId} ${ofEvent ? sql`and r.event_id = any(${eventIds})` : sql``} and r.id = any(${[...ids]})`
  })
  const { rows } = await sql<{
    keeper: TableWithRecordNames
    id: string
    name: string | null
  }>`${sql.join(parts, sql` union all `)}`.execute(db)
  return new Map(rows.flatMap(({ keeper, id, name }) => (name ? [[keyOf(keeper, id), name] as const] : [])))
}

/** Prefix of field names that contain the id of a conference session. */
const SESSION_PREFIX = '@session.'

/** Finds the title of the conference session that a field of a log entry refers to. */
export const findConferenceSessionTitle = (names: RecordNames, field: string): string | null =>
  field.startsWith(SESSION_PREFIX) ? (names.get(keyOf('sessions', field.slice(SESSION_PREFIX.length))) ?? null) : null

/** Fields of a changed record that can serve as its name, best first. */
const NAME_FIELDS = ['name', 'title', 'app', 'receiptNumber', 'number', 'email', 'url', 'code'] as const

const MAX_NAME_CHARACTERS = 120

/** Finds the current name of a record, or for a deleted record the name in the log entry. */
export function findRecordName(names: RecordNames, { kind, id, fields }: AuditedRecord): string | null {
  const keeper = findRecordNameTable(kind)
  const today = keeper && names.get(keyOf(keeper, id))
  return today ? shortName(today) : findEntryName(kind, fields)
}

export const recordExists = (names: RecordNames, { kind, id }: Pick<AuditedRecord, 'kind' | 'id'>): boolean => {
  const keeper = findRecordNameTable(kind)
  return keeper !== null && names.has(keyOf(keeper, id))
}

function findEntryName(kind: string, fields: AuditedRecord['fields']): string | null {
  const said = (field: string) => {
    const value = fields[field]?.after ?? fields[field]?.before
    return typeof value === 'string' && value !== '' ? value : null
  }
  if (kind === 'participant') {
    const parts = ['firstName', 'lastName'].map((part) => said(part) ?? said(`@participant.${part}`)).filter((part) => part !== null)
    if (parts.length > 0) return shortName(parts.join(' '))
  }
  // The field `name` of a directory credential is the name of the credential and not that of its directory.
  const found = kind === 'directory credential' ? null : NAME_FIELDS.map(said).find((name) => name !== null)
  return found ? shortName(found) : null
}

const shortName = (name: string) => {
  const clean = cleanName(name)
  return clean.length > MAX_NAME_CHARACTERS ? `${cleanName(clean.slice(0, MAX_NAME_CHARACTERS))}…` : clean
}
