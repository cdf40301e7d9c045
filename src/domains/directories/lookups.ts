import { sql } from 'kysely'
import { toCanonicalJson } from '../../kernel/canonical.ts'
import type { Db } from '../../kernel/columns.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import type { ConnectionRow, ConnectionQueryScope } from './connections.ts'
import type { DirectoryLookupInput, DirectoryLookupInputs, DirectoryLookupOutcome } from './engine/spec.ts'

type KeyedEventScope = ConnectionQueryScope & { keys: DerivedKeys }

/** The lookup log is also the cache of answers: the row of a sent lookup contains the encrypted answer until it expires. */

/**
 * Functions that normalize emails and last names, which match regardless of case. Member numbers are not normalized, because numbers that
 * differ in case may belong to different members.
 */
const FOLDED_INPUTS: { [Name in DirectoryLookupInput]?: (value: string) => string } = {
  email: foldEmailCase,
  lastName: (value) => value.normalize('NFKC').toLowerCase(),
}

/** Computes a keyed hash (HMAC) of the lookup's inputs, so that the log reveals nothing about the person without the key. */
export function computeLookupInputsHmac(ctx: KeyedEventScope, code: string, inputs: DirectoryLookupInputs): Buffer {
  const folded = (name: string, value: string) => FOLDED_INPUTS[name as DirectoryLookupInput]?.(value) ?? value
  const plain = Object.entries(inputs).map(([name, value]) => [name, folded(name, value.trim())])
  const text = `${ctx.tenantId}|${ctx.event.id}|${code}|${toCanonicalJson(Object.fromEntries(plain))}`
  return Buffer.from(ctx.keys.sign('directory lookup', text), 'base64url')
}

const ANSWER_SEAL_LABEL = 'directory answer'
const answerSealContext = (connectionId: string, key: Buffer) => `${connectionId}|${key.toString('base64url')}`

export interface CachedLookupResult {
  outcome: DirectoryLookupOutcome
  record: unknown
}

type CachedRow = ConnectionRow & { cached_outcome: DirectoryLookupOutcome | null; cached_answer: string | null }

/**
 * Reads the connection and, if the connection is usable, a cached answer, and logs the cache hit, in one statement. The tags are read from
 * the cache too, because every change that affects them deletes cached answers.
 */
export async function readCachedLookupResult(
  ctx: KeyedEventScope,
  code: string,
  { key, lookupId }: { key: Buffer; lookupId: string },
): Promise<{ connection: ConnectionRow; kept: CachedLookupResult | null } | null> {
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
  const opened = outcome && answer ? ctx.keys.open(ANSWER_SEAL_LABEL, answer, answerSealContext(connection.id, key)) : null
  return { connection, kept: opened ? { outcome: outcome!, record: JSON.parse(opened.toString('utf8')) as unknown } : null }
}

export interface LookupLogEntry {
  lookupId: string
  key: Buffer
  outcome: DirectoryLookupOutcome
  status: number | null
  ms: number | null
  tags: readonly string[]
}

/** Logs a sent lookup and caches its answer, unless the connection changed since it was read. Also clears up to 50 expired answers. */
export async function saveLookupResult(
  ctx: KeyedEventScope,
  connection: ConnectionRow,
  lookup: LookupLogEntry,
  record: unknown,
): Promise<void> {
  const answer = ctx.keys.seal(ANSWER_SEAL_LABEL, JSON.stringify(record ?? null), answerSealContext(connection.id, lookup.key))
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
    select c.tenant_id, c.event_id, c.id, ${lookup.lookupId}, ${lookup.key}, ${lookup.outcome}, ${lookup.status}::integer,
      ${lookup.ms}::integer, ${lookup.tags}::text[], case when ${keeps} then ${answer} end,
      case when ${keeps} then lanyard_now() + make_interval(mins => c.cache_minutes) end
    from directory_connections c
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = ${connection.id}
    on conflict (tenant_id, event_id, connection_id, id) do update set
      outcome = excluded.outcome, status = excluded.status, ms = excluded.ms, tags_given = excluded.tags_given, cache_hit = false,
      answer = excluded.answer, expires_at = excluded.expires_at, asked = null`.execute(ctx.db)
}

const INPUTS_SEAL_LABEL = 'directory inputs'
const inputsSealContext = (connectionId: string, lookupId: string) => `${connectionId}|${lookupId}`

/** Logs a lookup that the directory did not answer. `again` contains the inputs for a later retry, which are stored encrypted. */
export async function logUnansweredLookup(
  ctx: KeyedEventScope,
  connection: ConnectionRow,
  lookup: LookupLogEntry,
  again: DirectoryLookupInputs | null,
): Promise<void> {
  const asked = again && ctx.keys.seal(INPUTS_SEAL_LABEL, JSON.stringify(again), inputsSealContext(connection.id, lookup.lookupId))
  await sql`
    insert into directory_lookups (tenant_id, event_id, connection_id, id, key_hash, outcome, status, ms, tags_given, asked)
    select c.tenant_id, c.event_id, c.id, ${lookup.lookupId}, ${lookup.key}, ${lookup.outcome}, ${lookup.status}::integer,
      ${lookup.ms}::integer, ${lookup.tags}::text[], ${asked}::text
    from directory_connections c
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = ${connection.id}
    on conflict (tenant_id, event_id, connection_id, id) do update set
      outcome = excluded.outcome, status = excluded.status, ms = excluded.ms, tags_given = excluded.tags_given, cache_hit = false,
      answer = null, expires_at = null, asked = excluded.asked`.execute(ctx.db)
}

export interface PendingLookup {
  connection: ConnectionRow
  key: Buffer
  inputs: DirectoryLookupInputs | null
  waitedSeconds: number
  /** Time zone of the event, used to parse dates. */
  zone: string
}

/** Finds a lookup that a background job has to retry. Returns null when it was answered or its connection was deleted. */
export async function findPendingLookup(ctx: KeyedEventScope, { connectionId, lookupId }: LookupReference): Promise<PendingLookup | null> {
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
  const opened = ctx.keys.open(INPUTS_SEAL_LABEL, asked, inputsSealContext(connectionId, lookupId))
  return { connection, key, inputs: opened && (JSON.parse(opened.toString('utf8')) as DirectoryLookupInputs), waitedSeconds: waited, zone }
}

interface LookupReference {
  connectionId: string
  lookupId: string
}

/** Stops retrying a lookup. The log keeps the outcome of its last attempt. */
export async function stopRetryingLookup(ctx: ConnectionQueryScope, { connectionId, lookupId }: LookupReference): Promise<void> {
  await sql`
    update directory_lookups set asked = null
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and connection_id = ${connectionId} and id = ${lookupId}`.execute(
    ctx.db,
  )
}

/** Encrypts the inputs of pending lookups again after the master key changed. Cached answers expire too soon to need this. */
export async function reencryptPendingLookups(db: Db, keys: DerivedKeys): Promise<void> {
  const current = `${keys.seal(INPUTS_SEAL_LABEL, '', '').split('.')[0]}.`
  const rows = await db
    .selectFrom('directory_lookups')
    .select(['tenant_id', 'event_id', 'connection_id', 'id', 'asked'])
    .where(sql<boolean>`asked is not null and not starts_with(asked, ${current})`)
    .execute()
  for (const row of rows) {
    const binding = inputsSealContext(row.connection_id, row.id)
    const opened = keys.open(INPUTS_SEAL_LABEL, row.asked!, binding)
    if (!opened) continue
    await db
      .updateTable('directory_lookups')
      .set({ asked: keys.seal(INPUTS_SEAL_LABEL, opened, binding) })
      .where('tenant_id', '=', row.tenant_id)
      .where('event_id', '=', row.event_id)
      .where('connection_id', '=', row.connection_id)
      .where('id', '=', row.id)
      .where('asked', '=', row.asked)
      .execute()
  }
}

/** Deletes the cached answers of a connection. Required after any change that affects its requests or the mapping of answers to fields. */
export async function deleteCachedLookupResults(ctx: ConnectionQueryScope, connectionId: string): Promise<void> {
  await sql`
    update directory_lookups set answer = null, expires_at = null
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and connection_id = ${connectionId} and answer is not null`.execute(
    ctx.db,
  )
}

/** Clears expired answers, also of connections that are no longer queried, and deletes log rows after 30 days. */
export async function cleanUpLookups(db: Db): Promise<void> {
  await sql`update directory_lookups set answer = null, expires_at = null where answer is not null and expires_at <= lanyard_now()`.execute(
    db,
  )
  await sql`delete from directory_lookups where at < lanyard_now() - interval '30 days'`.execute(db)
}
