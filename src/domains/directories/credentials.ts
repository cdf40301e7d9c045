import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import type { Db } from '../../kernel/columns.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { type Keys, Secret } from '../../kernel/secrets.ts'
import { toInstant } from '../../kernel/time.ts'
import { type ConnectionRow, type EventPlace, lockConnection, saveStatus } from './connections.ts'
import { credentialNamesOf } from './credential-names.ts'
import { forgetTokens } from './engine/ask.ts'
import type { SecretOf } from './engine/spec.ts'
import { untested } from './life.ts'
import { dropAnswers } from './lookups.ts'

const LABEL = 'directory credential'
/** A sealed value opens under its own connection and name and nowhere else. */
const bindingOf = (connectionId: string, name: string) => `${connectionId}|${name}`

/** Of a short one, four characters would give away too much. */
const hintOf = (value: string) => (value.length >= 12 ? value.slice(-4) : null)

const rowsOf = (ctx: EventPlace, connectionId: string) =>
  ctx.db
    .selectFrom('directory_credentials')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('connection_id', '=', connectionId)

export interface CredentialState {
  name: string
  set: boolean
  hint: string | null
  setAt: string | null
  setBy: string | null
}

/** Every name that the connection can use, set or not. */
export async function listCredentials(ctx: EventPlace, connection: ConnectionRow): Promise<CredentialState[]> {
  const rows = await rowsOf(ctx, connection.id).select(['name', 'hint', 'set_at', 'set_by']).orderBy('name').execute()
  const names = [...new Set([...credentialNamesOf(connection), ...rows.map(({ name }) => name)])]
  return names.map((name) => {
    const row = rows.find((one) => one.name === name)
    return { name, set: Boolean(row), hint: row?.hint ?? null, setAt: row ? toInstant(row.set_at) : null, setBy: row?.set_by ?? null }
  })
}

/** The secrets of one connection, opened. One that was sealed for another place is as good as not set. */
export async function openCredentials(ctx: EventPlace & { keys: Keys }, connectionId: string): Promise<SecretOf> {
  const rows = await rowsOf(ctx, connectionId).select(['name', 'sealed']).execute()
  const opened = new Map(rows.map(({ name, sealed }) => [name, ctx.keys.open(LABEL, sealed, bindingOf(connectionId, name))]))
  return (name) => {
    const value = opened.get(name)
    return value ? new Secret(value.toString('utf8')) : null
  }
}

const UNSET = { set: false, hint: null, setAt: null }

interface Setting {
  connection: string
  name: string
  value?: Secret | undefined
  remove?: boolean | undefined
}

/** Sets, replaces or removes one secret. What it is stays between the caller and the sealed row. */
export async function setCredential(ctx: EventContext, { connection: named, name, value, remove }: Setting) {
  if ((value !== undefined) === (remove === true))
    throw invalidArguments([{ path: 'value', message: 'pass either value or remove: true, and not both' }])
  const connection = await lockConnection(ctx, named)
  // One that a request once used can still be taken away.
  const known = remove ? (await listCredentials(ctx, connection)).map((one) => one.name) : credentialNamesOf(connection)
  if (!known.includes(name)) {
    const message = known.length > 0 ? `must be one of ${known.join(', ')}` : `connection ${connection.code} uses no credentials`
    throw invalidArguments([{ path: 'name', message, allowed: known }])
  }
  const result = value ? await seal(ctx, connection.id, name, value) : await removeOne(ctx, connection.id, name)
  if (!result) return { ...UNSET, name, status: connection.status }
  const status = await saveStatus(ctx, connection, untested(connection.status))
  await dropAnswers(ctx, connection.id)
  forgetTokens(connection.id)
  return { ...result, status }
}

async function seal(ctx: EventContext, connectionId: string, name: string, value: Secret) {
  const sealed = ctx.keys.seal(LABEL, value.reveal(), bindingOf(connectionId, name))
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
  return { name, set: true, hint, setAt: toInstant(stamp.now) }
}

async function removeOne(ctx: EventContext, connectionId: string, name: string) {
  const gone = await ctx.db
    .deleteFrom('directory_credentials')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('connection_id', '=', connectionId)
    .where('name', '=', name)
    .returning('hint')
    .executeTakeFirst()
  if (!gone) return null
  recordChange(ctx, { kind: 'directory credential', id: connectionId, before: { name, hint: gone.hint } })
  return { ...UNSET, name }
}

/** All of them, because they were given for another place than the one the connection now leads to. */
export async function deleteCredentials(ctx: EventContext, connectionId: string): Promise<number> {
  const gone = await ctx.db
    .deleteFrom('directory_credentials')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('connection_id', '=', connectionId)
    .returning(['name', 'hint'])
    .execute()
  for (const { name, hint } of gone) recordChange(ctx, { kind: 'directory credential', id: connectionId, before: { name, hint } })
  forgetTokens(connectionId)
  return gone.length
}

/**
 * Seals again under the current master key whatever an older one sealed, so that the older one can be taken away. A secret that
 * somebody sets meanwhile is left as they set it.
 */
export async function resealCredentials(db: Db, keys: Keys): Promise<number> {
  const current = `${keys.seal(LABEL, '', '').split('.')[0]}.`
  const rows = await db
    .selectFrom('directory_credentials')
    .selectAll()
    .where(sql<boolean>`not starts_with(sealed, ${current})`)
    .execute()
  let resealed = 0
  for (const row of rows) {
    const binding = bindingOf(row.connection_id, row.name)
    const opened = keys.open(LABEL, row.sealed, binding)
    if (!opened) continue
    const { numUpdatedRows } = await db
      .updateTable('directory_credentials')
      .set({ sealed: keys.seal(LABEL, opened, binding) })
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
