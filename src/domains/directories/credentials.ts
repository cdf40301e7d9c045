import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import type { Db } from '../../kernel/columns.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { type DerivedKeys, Secret } from '../../kernel/secrets.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type ConnectionRow, type ConnectionQueryScope, lockConnection, saveConnectionStatus } from './connections.ts'
import { listCredentialNames } from './credential-names.ts'
import { deleteCachedTokens } from './engine/query-directory.ts'
import type { GetSecret } from './engine/spec.ts'
import { getStatusAfterConnectionEdit } from './state-machine.ts'
import { deleteCachedLookupResults } from './lookups.ts'

const SEAL_LABEL = 'directory credential'
/** Additional authenticated data of the encryption: an encrypted secret can be decrypted only for its own connection and name. */
const sealContext = (connectionId: string, name: string) => `${connectionId}|${name}`

/** Returns the last characters of a secret as a hint. A short secret gets none, because four characters would reveal too much. */
const hintOf = (value: string) => (value.length >= 12 ? value.slice(-4) : null)

const selectCredentials = (ctx: ConnectionQueryScope, connectionId: string) =>
  eventDb(ctx).selectFrom('directory_credentials').where('connection_id', '=', connectionId)

export interface CredentialState {
  name: string
  set: boolean
  hint: string | null
  setAt: string | null
  setBy: string | null
}

/** Lists the secrets of a connection, including names that are not set yet, and set names that no request uses any more. */
export async function listCredentials(ctx: ConnectionQueryScope, connection: ConnectionRow): Promise<CredentialState[]> {
  const rows = await selectCredentials(ctx, connection.id).select(['name', 'hint', 'set_at', 'set_by']).orderBy('name').execute()
  const names = [...new Set([...listCredentialNames(connection), ...rows.map(({ name }) => name)])]
  return names.map((name) => {
    const row = rows.find((one) => one.name === name)
    return { name, set: Boolean(row), hint: row?.hint ?? null, setAt: row ? formatInstant(row.set_at) : null, setBy: row?.set_by ?? null }
  })
}

/**
 * Decrypts the secrets of a connection. A secret that was encrypted for another connection or name cannot be decrypted and counts as not
 * set.
 */
export async function decryptCredentials(ctx: ConnectionQueryScope & { keys: DerivedKeys }, connectionId: string): Promise<GetSecret> {
  const rows = await selectCredentials(ctx, connectionId).select(['name', 'sealed']).execute()
  const opened = new Map(rows.map(({ name, sealed }) => [name, ctx.keys.open(SEAL_LABEL, sealed, sealContext(connectionId, name))]))
  return (name) => {
    const value = opened.get(name)
    return value ? new Secret(value.toString('utf8')) : null
  }
}

const UNSET = { set: false, hint: null, setAt: null }

interface CredentialEdit {
  connection: string
  name: string
  value?: Secret | undefined
  remove?: boolean | undefined
}

/** Sets, replaces or removes one secret. The tool result and the audit log contain at most the last characters of the secret. */
export async function setCredential(ctx: EventContext, { connection: named, name, value, remove }: CredentialEdit) {
  if ((value !== undefined) === (remove === true))
    throw invalidArguments([{ path: 'value', message: 'pass either value or remove: true, not both' }])
  const connection = await lockConnection(ctx, named)
  // A secret that requests no longer use can still be removed.
  const known = remove ? (await listCredentials(ctx, connection)).map((one) => one.name) : listCredentialNames(connection)
  if (!known.includes(name)) {
    const message = known.length > 0 ? `must be one of ${known.join(', ')}` : `connection ${connection.code} uses no credentials`
    throw invalidArguments([{ path: 'name', message, allowed: known }])
  }
  const result = value ? await saveCredential(ctx, connection.id, name, value) : await removeCredential(ctx, connection.id, name)
  if (!result) return { ...UNSET, name, status: connection.status }
  const status = await saveConnectionStatus(ctx, connection, getStatusAfterConnectionEdit(connection.status))
  await deleteCachedLookupResults(ctx, connection.id)
  deleteCachedTokens(connection.id)
  return { ...result, status }
}

async function saveCredential(ctx: EventContext, connectionId: string, name: string, value: Secret) {
  const sealed = ctx.keys.seal(SEAL_LABEL, value.reveal(), sealContext(connectionId, name))
  const hint = hintOf(value.reveal())
  const row = { tenant_id: ctx.tenantId, event_id: ctx.event.id, connection_id: connectionId, name }
  const stamp = await ctx.db.selectNoFrom((eb) => eb.fn<Date>('lanyard_now').as('now')).executeTakeFirstOrThrow()
  const changing = { sealed, hint, set_at: stamp.now, set_by: ctx.actor.name }
  await ctx.db
    .insertInto('directory_credentials')
    .values({ ...row, ...changing })
    .onConflict((c) => c.columns(['tenant_id', 'event_id', 'connection_id', 'name']).doUpdateSet(changing))
    .execute()
  recordChange(ctx, { kind: 'directory credential', id: connectionId, after: { name, hint } })
  return { name, set: true, hint, setAt: formatInstant(stamp.now) }
}

async function removeCredential(ctx: EventContext, connectionId: string, name: string) {
  const deleted = await eventDb(ctx)
    .deleteFrom('directory_credentials')
    .where('connection_id', '=', connectionId)
    .where('name', '=', name)
    .returning('hint')
    .executeTakeFirst()
  if (!deleted) return null
  recordChange(ctx, { kind: 'directory credential', id: connectionId, before: { name, hint: deleted.hint } })
  return { ...UNSET, name }
}

/** Deletes all secrets of a connection whose URL or auth method changed, because they were entered for the previous URL or method. */
export async function deleteCredentials(ctx: EventContext, connectionId: string): Promise<number> {
  const gone = await eventDb(ctx)
    .deleteFrom('directory_credentials')
    .where('connection_id', '=', connectionId)
    .returning(['name', 'hint'])
    .execute()
  for (const { name, hint } of gone) recordChange(ctx, { kind: 'directory credential', id: connectionId, before: { name, hint } })
  deleteCachedTokens(connectionId)
  return gone.length
}

/**
 * Encrypts secrets again under the current master key, so that older keys can be removed. A secret that another request has changed
 * meanwhile is skipped.
 */
export async function reencryptCredentials(db: Db, keys: DerivedKeys): Promise<number> {
  const current = `${keys.seal(SEAL_LABEL, '', '').split('.')[0]}.`
  const rows = await db
    .selectFrom('directory_credentials')
    .selectAll()
    .where(sql<boolean>`not starts_with(sealed, ${current})`)
    .execute()
  let resealed = 0
  for (const row of rows) {
    const binding = sealContext(row.connection_id, row.name)
    const opened = keys.open(SEAL_LABEL, row.sealed, binding)
    if (!opened) continue
    const { numUpdatedRows } = await db
      .updateTable('directory_credentials')
      .set({ sealed: keys.seal(SEAL_LABEL, opened, binding) })
      .where('tenant_id', '=', row.tenant_id)
      .where('event_id', '=', row.event_id)
      .where('connection_id', '=', row.connection_id)
      .where('name', '=', row.name)
      .where('sealed', '=', row.sealed)
      .executeTakeFirst()
    resealed += Number(numUpdatedRows)
  }
  return resealed
}
