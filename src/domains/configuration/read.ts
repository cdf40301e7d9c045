import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { lockEventRow } from '../tenancy/lock-event.ts'
import { type ConfigDocumentWithDefaults, compile, cacheCompiledDocument, findCachedConfigDocument } from './compiled-cache.ts'
import type { ConfigDocument, EventConfig } from './schema/event-config.ts'

/** Values from the database rows of the event and its draft that are needed together with the configuration document. */
export interface EventConfigFacts {
  name: string
  startsOn: string
  endsOn: string
  timezone: string
  currency: string
  locale: string
  locales: readonly string[]
  testMode: boolean
  status: 'draft' | 'published' | 'archived'
  publishedVersion: number | null
  /** Database id of the live (currently published) version. */
  liveId: string | null
  liveSha256: string | null
  /** The client's country of establishment and payment terms. */
  establishedIn: string | null
  paymentTermsDays: number
  draftRevision: number
  basedOnVersion: number | null
  restoredFrom: number | null
  updatedAt: Date
  updatedBy: string | null
  now: Date
}

export interface Configuration {
  /** The document in stored form, without defaults. */
  document: ConfigDocument
  /** The document with every default filled in. */
  config: EventConfig
  /** Hash of the document; null if the document is not stored. */
  sha256: string | null
  /** Number of the published version; null for the draft. */
  version: number | null
  versionId: string | null
  facts: EventConfigFacts
}

interface FactsRow extends Omit<EventConfigFacts, 'locales'> {
  locales: string[]
  /** Hash of the draft's document; null for an event that was never edited. */
  sha256: string | null
  /** The draft's document; null if the caller already has it. */
  document: ConfigDocument | null
  bytes: number | null
}

/** The context needed to read a configuration. Registrants have no permissions, so it requires none. */
export type ConfigReadContext = Pick<EventContext, 'tenantId' | 'db'> & { event: Pick<EventContext['event'], 'id' | 'code'> }

const selectFacts = (ctx: ConfigReadContext, known: string | null) => sql<FactsRow>`
  select e.name, e.starts_on as "startsOn", e.ends_on as "endsOn", e.timezone, e.currency, e.locale, e.locales, e.test_mode as "testMode",
    e.status, e.published_version as "publishedVersion", v.id as "liveId", v.sha256 as "liveSha256",
    c.established_in as "establishedIn", c.payment_terms_days as "paymentTermsDays", coalesce(d.draft_revision, 1) as "draftRevision", d.based_on_version as "basedOnVersion",
    d.restored_from as "restoredFrom", coalesce(d.updated_at, e.created_at) as "updatedAt", d.updated_by_name as "updatedBy", lanyard_now() as now,
    d.sha256, pg_column_size(d.document) as bytes, case when d.sha256 = ${known} then null else d.document end as document
  from events e join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id
    left join config_drafts d on d.tenant_id = e.tenant_id and d.event_id = e.id
    left join config_versions v on v.tenant_id = e.tenant_id and v.event_id = e.id and v.number = e.published_version
  where e.tenant_id = ${ctx.tenantId} and e.id = ${ctx.event.id}`

/** Returns the configuration document of an event that was never edited. */
export const createBlankConfigDocument = ({
  name,
  startsOn,
  endsOn,
}: Pick<EventConfigFacts, 'name' | 'startsOn' | 'endsOn'>): ConfigDocument => ({
  details: { name, startsOn, endsOn },
})

/** The latest known hash of each event's draft. If the document with this hash is cached, the query does not transfer it again. */
const lastSeenHashes = new Map<string, string>()
const MAX_SEEN_HASHES = 1000

/** Reads the draft as last committed, or as modified by the current transaction. */
export async function readDraftConfiguration(ctx: ConfigReadContext): Promise<Configuration> {
  const guess = lastSeenHashes.get(ctx.event.id)
  // Keeping a reference to the cached document protects it from garbage collection if the cache evicts it during the query.
  const held = guess === undefined ? null : findCachedConfigDocument(guess)
  const { rows } = await selectFacts(ctx, held ? guess! : null).execute(ctx.db)
  const { document, sha256, bytes, ...facts } = rows[0]!
  const draft = { sha256, version: null, versionId: null, facts }
  if (sha256 === null) return { ...(await runTaskCooperatively(compile(createBlankConfigDocument(facts)))), ...draft }
  if (lastSeenHashes.size > MAX_SEEN_HASHES) lastSeenHashes.clear()
  lastSeenHashes.set(ctx.event.id, sha256)
  const compiled =
    document === null
      ? held!
      : (findCachedConfigDocument(sha256) ?? cacheCompiledDocument(sha256, await runTaskCooperatively(compile(document)), bytes!))
  return { ...compiled, ...draft }
}

/** Caches the document after an edit. If the transaction rolls back, the next read sees another hash and reloads. */
export function cacheDraftConfiguration(eventId: string, sha256: string, compiled: ConfigDocumentWithDefaults, bytes: number): void {
  cacheCompiledDocument(sha256, compiled, bytes)
  lastSeenHashes.set(eventId, sha256)
}

/** Locks the event's row and reads the draft for an edit, so that concurrent edits and publishing are serialized. */
export async function lockDraftConfiguration(ctx: EventContext): Promise<Configuration> {
  // The draft is read in a separate statement after waiting for the lock, so that it has a fresh snapshot.
  await lockEventRow(ctx)
  return readDraftConfiguration(ctx)
}

export async function readConfigVersion(ctx: ConfigReadContext, number: number, facts: EventConfigFacts): Promise<Configuration> {
  const row = await eventDb(ctx).selectFrom('config_versions').select(['id', 'sha256']).where('number', '=', number).executeTakeFirst()
  if (!row) throw await unknownVersion(ctx, String(number))
  return versionOf(ctx, { ...row, number }, facts)
}

async function versionOf(
  ctx: ConfigReadContext,
  { id, sha256, number }: { id: string; sha256: string; number: number },
  facts: EventConfigFacts,
): Promise<Configuration> {
  const found = findCachedConfigDocument(sha256) ?? cacheCompiledDocument(sha256, ...(await documentOf(ctx, number)))
  return { ...found, sha256, version: number, versionId: id, facts }
}

/** Reads a published version by the id that is stored on records created under it. */
export async function readConfigVersionById(ctx: ConfigReadContext, id: string): Promise<Configuration> {
  const { facts } = await readDraftConfiguration(ctx)
  const row = await eventDb(ctx).selectFrom('config_versions').select('number').where('id', '=', id).executeTakeFirst()
  if (!row) throw await unknownVersion(ctx, id)
  return readConfigVersion(ctx, row.number, facts)
}

/** Reads the live version; null before the first publish. */
export const readLiveConfiguration = async (
  ctx: ConfigReadContext,
  { facts }: Pick<Configuration, 'facts'>,
): Promise<Configuration | null> =>
  facts.publishedVersion === null
    ? null
    : versionOf(ctx, { id: facts.liveId!, sha256: facts.liveSha256!, number: facts.publishedVersion }, facts)

/** Reads the configuration that registrations use: the draft in test mode, otherwise the live version; null before the first publish. */
export async function readConfigForRegistration(ctx: ConfigReadContext): Promise<Configuration | null> {
  const draft = await readDraftConfiguration(ctx)
  return draft.facts.testMode ? draft : readLiveConfiguration(ctx, draft)
}

async function documentOf(ctx: ConfigReadContext, number: number): Promise<[ConfigDocumentWithDefaults, bytes: number]> {
  const { document, bytes } = await eventDb(ctx)
    .selectFrom('config_versions')
    .select(['document', sql<number>`octet_length(document::text)`.as('bytes')])
    .where('number', '=', number)
    .executeTakeFirstOrThrow()
  return [await runTaskCooperatively(compile(document)), bytes]
}

async function unknownVersion(ctx: ConfigReadContext, wanted: string) {
  const { newest } = await eventDb(ctx)
    .selectFrom('config_versions')
    .select((eb) => eb.fn.max<number | null>('number').as('newest'))
    .executeTakeFirstOrThrow()
  const range = newest === null ? 'the event was never published' : `versions 1 to ${newest} exist`
  return notFound(`No version ${wanted} of ${ctx.event.code} — ${range}`, {
    fix: { tool: 'list_versions', arguments: {}, here: true },
  })
}

/** Reads the configuration that a selector names: `draft`, `live` or a version number. */
export async function readConfigBySelector(ctx: ConfigReadContext, selector: string, argument = 'source'): Promise<Configuration> {
  const draft = await readDraftConfiguration(ctx)
  if (selector === 'draft') return draft
  if (selector === 'live') {
    const live = await readLiveConfiguration(ctx, draft)
    if (!live) throw await unknownVersion(ctx, 'live')
    return live
  }
  if (!/^[1-9]\d{0,8}$/.test(selector)) {
    throw invalidArguments([
      { path: argument, message: `${JSON.stringify(selector.slice(0, 40))} is neither draft, live nor a version number` },
    ])
  }
  return readConfigVersion(ctx, Number(selector), draft.facts)
}
