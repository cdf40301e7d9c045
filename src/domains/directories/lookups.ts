import { sql } from 'kysely'
import { canonicalJson } from '../../kernel/canonical.ts'
import type { Db } from '../../kernel/columns.ts'
import type { Keys } from '../../kernel/secrets.ts'
import type { ConnectionRow, EventPlace } from './connections.ts'
import type { DirectoryInput, DirectoryInputs, DirectoryOutcome } from './engine/spec.ts'

type Keyed = EventPlace & { keys: Keys }

/** The log of lookups, which is also the cache of their answers: rows that went out keep what came back, sealed, for a while. */

/** The same person writes these in capitals or not; a member number in other capitals may be another member's. */
const IN_ANY_CAPITALS: ReadonlySet<string> = new Set<DirectoryInput>(['email', 'lastName'])

/** What was asked for, as nobody without the key can read or compute it. */
export function keyOf(ctx: Keyed, code: string, inputs: DirectoryInputs): Buffer {
  const folded = (name: string, value: string) => (IN_ANY_CAPITALS.has(name) ? value.normalize('NFKC').toLowerCase() : value)
  const plain = Object.entries(inputs).map(([name, value]) => [name, folded(name, value).trim()])
  const text = `${ctx.tenantId}|${ctx.event.id}|${code}|${canonicalJson(Object.fromEntries(plain))}`
  return Buffer.from(ctx.keys.sign('directory lookup', text), 'base64url')
}

const ANSWER = 'directory answer'
const bindingOf = (connectionId: string, key: Buffer) => `${connectionId}|${key.toString('base64url')}`

export interface Kept {
  outcome: DirectoryOutcome
  record: unknown
}

type CachedRow = ConnectionRow & { cached_outcome: DirectoryOutcome | null; cached_answer: string | null }

/**
 * The connection and, when it is usable and this was asked lately, the answer: one statement, which also logs the hit. Tags are
 * copied, because whatever could give other ones drops the answers.
 */
export async function readCached(
  ctx: Keyed,
  code: string,
  { key, lookupId }: { key: Buffer; lookupId: string },
): Promise<{ connection: ConnectionRow; kept: Kept | null } | null> {
  const { rows } = await sql<CachedRow>`
    with connection as (
      select * from directory_connections where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and code = ${code}
    ), cached as (
      select l.* from connection c join directory_lookups l
        on l.tenant_id = c.tenant_id and l.event_id = c.event_id and l.connection_id = c.id
      where c.status in ('ready', 'failing') and l.key_hash = ${key} and l.answer is not null and l.expires_at > lanyard_now()
      order by l.expires_at desc limit 1
    ), logged as (
      insert into directory_lookups (tenant_id, event_id, connection_id, id, key_hash, outcome, status, tags_given, cache_hit)
      select tenant_id, event_id, connection_id, ${lookupId}, key_hash, outcome, status, tags_given, true from cached
    )
    select c.*, k.outcome as cached_outcome, k.answer as cached_answer from connection c left join cached k on true`.execute(ctx.db)
  const [row] = rows
  if (!row) return null
  const { cached_outcome: outcome, cached_answer: answer, ...connection } = row
  const opened = outcome && answer ? ctx.keys.open(ANSWER, answer, bindingOf(connection.id, key)) : null
  return { connection, kept: opened ? { outcome: outcome!, record: JSON.parse(opened.toString('utf8')) as unknown } : null }
}

export interface Looked {
  lookupId: string
  key: Buffer
  outcome: DirectoryOutcome
  status: number | null
  ms: number | null
  tags: readonly string[]
}

/**
 * Logs a lookup that went out and keeps its answer, unless the connection was changed since it was read. Answers whose time is up
 * are dropped on the way.
 */
export async function keepAnswer(ctx: Keyed, connection: ConnectionRow, looked: Looked, record: unknown): Promise<void> {
  const answer = ctx.keys.seal(ANSWER, JSON.stringify(record ?? null), bindingOf(connection.id, looked.key))
  const keeps = sql`c.cache_minutes > 0 and c.revision = ${connection.revision} and c.status in ('ready', 'failing')`
  await sql`
    with dropped as (
      update directory_lookups set answer = null, expires_at = null
      where (tenant_id, event_id, connection_id, id) in (
        select tenant_id, event_id, connection_id, id from directory_lookups
        where answer is not null and expires_at <= lanyard_now() limit 50 for update skip locked)
    )
    insert into directory_lookups as l
      (tenant_id, event_id, connection_id, id, key_hash, outcome, status, ms, tags_given, answer, expires_at)
    select c.tenant_id, c.event_id, c.id, ${looked.lookupId}, ${looked.key}, ${looked.outcome}, ${looked.status}::integer,
      ${looked.ms}::integer, ${looked.tags}::text[], case when ${keeps} then ${answer} end,
      case when ${keeps} then lanyard_now() + make_interval(mins => c.cache_minutes) end
    from directory_connections c
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = ${connection.id}
    on conflict (tenant_id, event_id, connection_id, id) do update set
      outcome = excluded.outcome, status = excluded.status, ms = excluded.ms, tags_given = excluded.tags_given, cache_hit = false,
      answer = excluded.answer, expires_at = excluded.expires_at, asked = null`.execute(ctx.db)
}

const ASKED = 'directory inputs'
const askedBinding = (connectionId: string, lookupId: string) => `${connectionId}|${lookupId}`

/** Logs a lookup that brought nothing. With `again` it keeps, sealed, what to ask a second time. */
export async function logEmpty(ctx: Keyed, connection: ConnectionRow, looked: Looked, again: DirectoryInputs | null): Promise<void> {
  const asked = again && ctx.keys.seal(ASKED, JSON.stringify(again), askedBinding(connection.id, looked.lookupId))
  await sql`
    insert into directory_lookups (tenant_id, event_id, connection_id, id, key_hash, outcome, status, ms, tags_given, asked)
    select c.tenant_id, c.event_id, c.id, ${looked.lookupId}, ${looked.key}, ${looked.outcome}, ${looked.status}::integer,
      ${looked.ms}::integer, ${looked.tags}::text[], ${asked}::text
    from directory_connections c
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = ${connection.id}
    on conflict (tenant_id, event_id, connection_id, id) do update set
      outcome = excluded.outcome, status = excluded.status, ms = excluded.ms, tags_given = excluded.tags_given, cache_hit = false,
      answer = null, expires_at = null, asked = excluded.asked`.execute(ctx.db)
}

export interface Waiting {
  connection: ConnectionRow
  key: Buffer
  inputs: DirectoryInputs | null
  waitedSeconds: number
  /** Of the event, by which days are told. */
  zone: string
}

/** A lookup that a job is to repeat; null when it ended, or went with its connection. */
export async function findWaiting(ctx: Keyed, { connectionId, lookupId }: Waits): Promise<Waiting | null> {
  const { rows } = await sql<ConnectionRow & { key_hash: Buffer; asked: string; waited: number; zone: string }>`
    select c.*, l.key_hash, l.asked, extract(epoch from lanyard_now() - l.at)::float8 as waited, e.timezone as zone
    from directory_lookups l join directory_connections c
      on c.tenant_id = l.tenant_id and c.event_id = l.event_id and c.id = l.connection_id
      join events e on e.tenant_id = l.tenant_id and e.id = l.event_id
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.connection_id = ${connectionId} and l.id = ${lookupId}
      and l.asked is not null`.execute(ctx.db)
  const [row] = rows
  if (!row) return null
  const { key_hash: key, asked, waited, zone, ...connection } = row
  const opened = ctx.keys.open(ASKED, asked, askedBinding(connectionId, lookupId))
  return { connection, key, inputs: opened && (JSON.parse(opened.toString('utf8')) as DirectoryInputs), waitedSeconds: waited, zone }
}

interface Waits {
  connectionId: string
  lookupId: string
}

/** It stays what it is, a lookup without an answer, and is not asked again. */
export async function giveUp(ctx: EventPlace, { connectionId, lookupId }: Waits): Promise<void> {
  await sql`
    update directory_lookups set asked = null
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and connection_id = ${connectionId} and id = ${lookupId}`.execute(
    ctx.db,
  )
}

/** What waits to be asked again is sealed anew when the master key has changed; answers are too short-lived for that. */
export async function resealWaiting(db: Db, keys: Keys): Promise<void> {
  const current = `${keys.seal(ASKED, '', '').split('.')[0]}.`
  const rows = await db
    .selectFrom('directory_lookups')
    .select(['tenant_id', 'event_id', 'connection_id', 'id', 'asked'])
    .where(sql<boolean>`asked is not null and not starts_with(asked, ${current})`)
    .execute()
  for (const row of rows) {
    const binding = askedBinding(row.connection_id, row.id)
    const opened = keys.open(ASKED, row.asked!, binding)
    if (!opened) continue
    await db
      .updateTable('directory_lookups')
      .set({ asked: keys.seal(ASKED, opened, binding) })
      .where('tenant_id', '=', row.tenant_id)
      .where('event_id', '=', row.event_id)
      .where('connection_id', '=', row.connection_id)
      .where('id', '=', row.id)
      .where('asked', '=', row.asked)
      .execute()
  }
}

/** After a change that could make the directory answer otherwise, or us read it otherwise. */
export async function dropAnswers(ctx: EventPlace, connectionId: string): Promise<void> {
  await sql`
    update directory_lookups set answer = null, expires_at = null
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and connection_id = ${connectionId} and answer is not null`.execute(
    ctx.db,
  )
}

/** Answers go when their time is up, also where nobody asks any more; the log stays for a month. */
export async function tidyLookups(db: Db): Promise<void> {
  await sql`update directory_lookups set answer = null, expires_at = null where answer is not null and expires_at <= lanyard_now()`.execute(
    db,
  )
  await sql`delete from directory_lookups where at < lanyard_now() - interval '30 days'`.execute(db)
}
