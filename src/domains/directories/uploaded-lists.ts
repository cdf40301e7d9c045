import { type Insertable, sql } from 'kysely'
import type { Db, Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { Keys } from '../../kernel/secrets.ts'
import type { ConnectionRow, EventPlace } from './connections.ts'
import { listKey, type MemberList, readList } from './engine/list.ts'
import type { DirectoryAnswer, DirectoryInputs } from './engine/spec.ts'
import { expressionOf } from './sources.ts'

/** A directory that is kept here: rows of a sheet, sealed, and found by the HMAC of an email or member number. */

export const isList = ({ preset }: Pick<ConnectionRow, 'preset'>): boolean => preset === 'uploaded-list'

export const LIST_INPUTS = ['email', 'memberNumber'] as const
type Role = (typeof LIST_INPUTS)[number]

const LABEL = 'directory list'
const textOf = (connectionId: string, role: Role, value: string) => `${connectionId}|${role}|${listKey(role, value)}`
const hashOf = (keys: Keys, connectionId: string, role: Role, value: string | undefined): Buffer | null =>
  value === undefined ? null : Buffer.from(keys.sign(LABEL, textOf(connectionId, role, value)), 'base64url')
const bindingOf = (connectionId: string, entryId: string) => `${connectionId}|${entryId}`

/** One row of the sheet, with what it is found by: a later master key must be able to hash it again. */
interface Entry {
  keys: Partial<Record<Role, string>>
  values: Record<string, string>
}

const CHUNK = 500

/** Replaces the whole list, and returns what its connection keeps of it: of the sheet only its figures and headings stay readable. */
export async function replaceList(ctx: EventContext, connectionId: string, csv: string) {
  const list = readSheet(csv)
  const at = sql`tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and connection_id = ${connectionId}`
  await sql`delete from directory_list_entries where ${at}`.execute(ctx.db)
  const entries = list.rows.map(({ values }) => sealedEntry(ctx, connectionId, { keys: keysOf(list, values), values }))
  for (let i = 0; i < entries.length; i += CHUNK)
    await ctx.db
      .insertInto('directory_list_entries')
      .values(entries.slice(i, i + CHUNK))
      .execute()
  const { now } = await ctx.db.selectNoFrom((eb) => eb.fn<Date>('lanyard_now').as('now')).executeTakeFirstOrThrow()
  const settings: Record<string, string> = {
    rows: String(list.rows.length),
    columns: list.columns.map(({ name }) => name).join(', '),
    duplicates: String(list.duplicates.length),
    withoutKey: String(list.withoutKey.length),
    uploadedAt: now.toISOString(),
  }
  return { settings, sources: list.columns.map(({ name }) => ({ expression: expressionOf('$', name), sampleType: 'text' })) }
}

function readSheet(csv: string): MemberList {
  try {
    return readList(csv)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw invalidArguments([{ path: 'settings/csv', message: error.message }])
  }
}

const keysOf = ({ columns }: MemberList, values: Record<string, string>): Entry['keys'] =>
  Object.fromEntries(columns.flatMap(({ name, role }) => (role && values[name] !== undefined ? [[role, values[name]]] : [])))

function sealedEntry(ctx: EventPlace & { keys: Keys }, connectionId: string, entry: Entry): Insertable<Tables['directory_list_entries']> {
  const id = newId()
  const place = { tenant_id: ctx.tenantId, event_id: ctx.event.id, connection_id: connectionId, id }
  return { ...place, ...sealed(ctx.keys, connectionId, id, entry) }
}

const sealed = (keys: Keys, connectionId: string, id: string, entry: Entry) => ({
  email_hash: hashOf(keys, connectionId, 'email', entry.keys.email),
  member_number_hash: hashOf(keys, connectionId, 'memberNumber', entry.keys.memberNumber),
  sealed: keys.seal(LABEL, JSON.stringify(entry), bindingOf(connectionId, id)),
})

function opened(keys: Keys, row: { connection_id: string; id: string; sealed: string }): Entry | null {
  const text = keys.open(LABEL, row.sealed, bindingOf(row.connection_id, row.id))
  return text && (JSON.parse(text.toString('utf8')) as Entry)
}

const COLUMN_OF = { email: 'email_hash', memberNumber: 'member_number_hash' } as const

/**
 * Whoever gives both an email and a member number is looked for by both. A row that has only one of them is found by that one, unless
 * another row has both.
 */
export async function askList(ctx: EventPlace & { keys: Keys }, row: ConnectionRow, inputs: DirectoryInputs): Promise<DirectoryAnswer> {
  // While a master key is being replaced, rows are found under the old one too.
  const hashesOf = (role: Role) =>
    ctx.keys.everySignature(LABEL, textOf(row.id, role, inputs[role]!)).map((signature) => Buffer.from(signature, 'base64url'))
  const given = LIST_INPUTS.filter((role) => inputs[role]?.trim()).map((role) => ({ column: COLUMN_OF[role], hashes: hashesOf(role) }))
  const blank = sql<number>`num_nulls(${sql.join(given.map(({ column }) => sql.ref(column)))})`
  const fitting = await ctx.db
    .selectFrom('directory_list_entries')
    .select(['connection_id', 'id', 'sealed', blank.as('blank')])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('connection_id', '=', row.id)
    .where((eb) => eb.or(given.map(({ column, hashes }) => eb(column, 'in', hashes))))
    .where((eb) => eb.and(given.map(({ column, hashes }) => eb.or([eb(column, 'in', hashes), eb(column, 'is', null)]))))
    .orderBy(blank)
    .limit(2)
    .execute()
  const rows = fitting.filter((one) => one.blank === fitting[0]!.blank)
  const [entry] = rows.map((one) => opened(ctx.keys, one))
  if (rows.length > 0 && !entry) return answered('error', null, 'The list was sealed with a key that is gone: upload it again')
  if (rows.length > 1) return answered('many', null, 'Several rows')
  return entry ? answered('found', entry.values, 'One row') : answered('notFound', null, 'No row')
}

const answered = (outcome: DirectoryAnswer['outcome'], record: unknown, detail: string): DirectoryAnswer => ({
  outcome,
  record,
  httpStatus: null,
  steps: [{ name: 'parse', ok: outcome !== 'error', ms: 0, detail }],
  requests: 0,
})

/** Seals and hashes again under the current master key what an older one did. */
export async function resealLists(db: Db, keys: Keys): Promise<void> {
  const current = `${keys.seal(LABEL, '', '').split('.')[0]}.`
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
      .limit(CHUNK)
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
    if (!last || rows.length < CHUNK) return
    after = [last.event_id, last.connection_id, last.id]
  }
}
