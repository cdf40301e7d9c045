import { type Insertable, sql } from 'kysely'
import type { Db, Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import type { ConnectionRow, ConnectionQueryScope } from './connections.ts'
import { normalizeMemberIdentifier, type MemberList, parseMemberList } from './engine/list.ts'
import type { DirectoryLookupResult, DirectoryLookupInputs } from './engine/spec.ts'
import { appendJsonPathKey } from './sources.ts'

/** A directory of members that was uploaded instead of queried: encrypted CSV rows, found by the HMAC of an email or member number. */

export const isUploadedList = ({ preset }: Pick<ConnectionRow, 'preset'>): boolean => preset === 'uploaded-list'

export const UPLOADED_LIST_INPUTS = ['email', 'memberNumber'] as const
type ListInput = (typeof UPLOADED_LIST_INPUTS)[number]

const SEAL_LABEL = 'directory list'
const hashInputOf = (connectionId: string, role: ListInput, value: string) =>
  `${connectionId}|${role}|${normalizeMemberIdentifier(role, value)}`
const hashOf = (keys: DerivedKeys, connectionId: string, role: ListInput, value: string | undefined): Buffer | null =>
  value === undefined ? null : Buffer.from(keys.sign(SEAL_LABEL, hashInputOf(connectionId, role, value)), 'base64url')
const sealContext = (connectionId: string, entryId: string) => `${connectionId}|${entryId}`

/**
 * One row of the CSV. It includes the lookup keys (email and member number) in plain text, so that they can be hashed again under a later
 * master key.
 */
interface Entry {
  keys: Partial<Record<ListInput, string>>
  values: Record<string, string>
}

const ROWS_PER_BATCH = 500

/** Replaces all entries of an uploaded list. The returned settings contain only counts and column names, never values. */
export async function replaceUploadedList(ctx: EventContext, connectionId: string, csv: string) {
  const list = parseListCsv(csv)
  const at = sql`tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and connection_id = ${connectionId}`
  await sql`delete from directory_list_entries where ${at}`.execute(ctx.db)
  const entries = list.rows.map(({ values }) => toEntryRow(ctx, connectionId, { keys: pickKeys(list, values), values }))
  for (let i = 0; i < entries.length; i += ROWS_PER_BATCH)
    await ctx.db
      .insertInto('directory_list_entries')
      .values(entries.slice(i, i + ROWS_PER_BATCH))
      .execute()
  const { now } = await ctx.db.selectNoFrom((eb) => eb.fn<Date>('lanyard_now').as('now')).executeTakeFirstOrThrow()
  const settings: Record<string, string> = {
    rows: String(list.rows.length),
    columns: list.columns.map(({ name }) => name).join(', '),
    duplicates: String(list.duplicates.length),
    withoutKey: String(list.linesWithoutKey.length),
    uploadedAt: now.toISOString(),
  }
  return { settings, sources: list.columns.map(({ name }) => ({ expression: appendJsonPathKey('$', name), sampleType: 'text' })) }
}

function parseListCsv(csv: string): MemberList {
  try {
    return parseMemberList(csv)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw invalidArguments([{ path: 'settings/csv', message: error.message }])
  }
}

const pickKeys = ({ columns }: MemberList, values: Record<string, string>): Entry['keys'] =>
  Object.fromEntries(columns.flatMap(({ name, role }) => (role && values[name] !== undefined ? [[role, values[name]]] : [])))

function toEntryRow(
  ctx: ConnectionQueryScope & { keys: DerivedKeys },
  connectionId: string,
  entry: Entry,
): Insertable<Tables['directory_list_entries']> {
  const id = newId()
  const place = { tenant_id: ctx.tenantId, event_id: ctx.event.id, connection_id: connectionId, id }
  return { ...place, ...sealed(ctx.keys, connectionId, id, entry) }
}

const sealed = (keys: DerivedKeys, connectionId: string, id: string, entry: Entry) => ({
  email_hash: hashOf(keys, connectionId, 'email', entry.keys.email),
  member_number_hash: hashOf(keys, connectionId, 'memberNumber', entry.keys.memberNumber),
  sealed: keys.seal(SEAL_LABEL, JSON.stringify(entry), sealContext(connectionId, id)),
})

function opened(keys: DerivedKeys, row: { connection_id: string; id: string; sealed: string }): Entry | null {
  const text = keys.open(SEAL_LABEL, row.sealed, sealContext(row.connection_id, row.id))
  return text && (JSON.parse(text.toString('utf8')) as Entry)
}

const COLUMN_OF = { email: 'email_hash', memberNumber: 'member_number_hash' } as const

/**
 * Looks up a person in an uploaded list. If both an email and a member number are given, a row must match both. A row that contains only
 * one of them may match by that one, unless another row matches both.
 */
export async function queryUploadedList(
  ctx: ConnectionQueryScope & { keys: DerivedKeys },
  row: ConnectionRow,
  inputs: DirectoryLookupInputs,
): Promise<DirectoryLookupResult> {
  // Hashes a lookup key with every encryption master key, because rows written before a key rotation have the hash of the old key.
  const hashesOf = (role: ListInput) =>
    ctx.keys.listSignatures(SEAL_LABEL, hashInputOf(row.id, role, inputs[role]!)).map((signature) => Buffer.from(signature, 'base64url'))
  const given = UPLOADED_LIST_INPUTS.filter((role) => inputs[role]?.trim()).map((role) => ({
    column: COLUMN_OF[role],
    hashes: hashesOf(role),
  }))
  const blank = sql<number>`num_nulls(${sql.join(given.map(({ column }) => sql.ref(column)))})`
  const fitting = await eventDb(ctx)
    .selectFrom('directory_list_entries')
    .select(['connection_id', 'id', 'sealed', blank.as('blank')])
    .where('connection_id', '=', row.id)
    .where((eb) => eb.or(given.map(({ column, hashes }) => eb(column, 'in', hashes))))
    .where((eb) => eb.and(given.map(({ column, hashes }) => eb.or([eb(column, 'in', hashes), eb(column, 'is', null)]))))
    .orderBy(blank)
    .limit(2)
    .execute()
  const rows = fitting.filter((one) => one.blank === fitting[0]!.blank)
  const [entry] = rows.map((one) => opened(ctx.keys, one))
  if (rows.length > 0 && !entry)
    return toAnswer('error', null, 'The list was sealed with a key that no longer exists. Upload the list again.')
  if (rows.length > 1) return toAnswer('many', null, 'Several rows')
  return entry ? toAnswer('found', entry.values, 'One row') : toAnswer('notFound', null, 'No row')
}

const toAnswer = (outcome: DirectoryLookupResult['outcome'], record: unknown, detail: string): DirectoryLookupResult => ({
  outcome,
  record,
  httpStatus: null,
  steps: [{ name: 'parse', ok: outcome !== 'error', ms: 0, detail }],
  requests: 0,
})

/** Encrypts and hashes list entries again under the current master key. */
export async function reencryptUploadedLists(db: Db, keys: DerivedKeys): Promise<void> {
  const current = `${keys.seal(SEAL_LABEL, '', '').split('.')[0]}.`
  let after = ['', '', '']
  for (;;) {
    const rows = await db
      .selectFrom('directory_list_entries')
      .selectAll()
      .where(sql<boolean>`not starts_with(sealed, ${current})`)
      .where(sql<boolean>`(event_id, connection_id, id) > (${after[0]}, ${after[1]}, ${after[2]})`)
      .orderBy('event_id')
      .orderBy('connection_id')
      .orderBy('id')
      .limit(ROWS_PER_BATCH)
      .execute()
    for (const row of rows) {
      const entry = opened(keys, row)
      if (!entry) continue
      await db
        .updateTable('directory_list_entries')
        .set(sealed(keys, row.connection_id, row.id, entry))
        .where('tenant_id', '=', row.tenant_id)
        .where('event_id', '=', row.event_id)
        .where('connection_id', '=', row.connection_id)
        .where('id', '=', row.id)
        .execute()
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_BATCH) return
    after = [last.event_id, last.connection_id, last.id]
  }
}
