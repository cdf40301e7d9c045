import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { inTurns } from '../../kernel/turns.ts'
import { lockEvent } from '../tenancy/lock-event.ts'
import { type Compiled, compile, keep, recall } from './compiled.ts'
import type { ConfigDocument, EventConfig } from './schema/event-config.ts'
import type {} from './tables.ts'

/** What the configuration is read beside: these live on the event, not in the document. */
export interface EventFacts {
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
  /** The row of the version that is live. */
  liveId: string | null
  liveSha256: string | null
  /** Of the client: where it is established, and how long its invoices may wait. */
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
  /** In stored form. */
  document: ConfigDocument
  /** With every default filled in. */
  config: EventConfig
  /** Of the document; null for one that is not stored anywhere. */
  sha256: string | null
  /** Null for the draft. */
  version: number | null
  versionId: string | null
  facts: EventFacts
}

interface FactsRow extends Omit<EventFacts, 'locales'> {
  locales: string[]
  /** Null for an event that was never edited. */
  sha256: string | null
  /** Null where the caller knows it. */
  document: ConfigDocument | null
  bytes: number | null
}

/** Where a configuration is read: also for people who register, who have no permissions. */
export type AtEvent = Pick<EventContext, 'tenantId' | 'db'> & { event: Pick<EventContext['event'], 'id' | 'code'> }

const factsOf = (ctx: AtEvent, known: string | null) => sql<FactsRow>`
  select e.name, e.starts_on as "startsOn", e.ends_on as "endsOn", e.timezone, e.currency, e.locale, e.locales, e.test_mode as "testMode",
    e.status, e.published_version as "publishedVersion", v.id as "liveId", v.sha256 as "liveSha256",
    c.established_in as "establishedIn", c.payment_terms_days as "paymentTermsDays", coalesce(d.draft_revision, 1) as "draftRevision", d.based_on_version as "basedOnVersion",
    d.restored_from as "restoredFrom", coalesce(d.updated_at, e.created_at) as "updatedAt", d.updated_by_name as "updatedBy", lanyard_now() as now,
    d.sha256, pg_column_size(d.document) as bytes, case when d.sha256 = ${known} then null else d.document end as document
  from events e join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id
    left join config_drafts d on d.tenant_id = e.tenant_id and d.event_id = e.id
    left join config_versions v on v.tenant_id = e.tenant_id and v.event_id = e.id and v.number = e.published_version
  where e.tenant_id = ${ctx.tenantId} and e.id = ${ctx.event.id}`

/** The draft before anybody edited it. */
export const blankDocument = ({ name, startsOn, endsOn }: Pick<EventFacts, 'name' | 'startsOn' | 'endsOn'>): ConfigDocument => ({
  details: { name, startsOn, endsOn },
})

/** The hash last seen of each event's draft: when that document is at hand, the database need not send it. */
const lastSeen = new Map<string, string>()
const MAX_SEEN = 1000

/** The draft as last committed, or inside a change as that has left it. */
export async function readDraft(ctx: AtEvent): Promise<Configuration> {
  const guess = lastSeen.get(ctx.event.id)
  // Held on to until the answer is there: by then others may have pushed it out of what is kept.
  const held = guess === undefined ? null : recall(guess)
  const { rows } = await factsOf(ctx, held ? guess! : null).execute(ctx.db)
  const { document, sha256, bytes, ...facts } = rows[0]!
  const draft = { sha256, version: null, versionId: null, facts }
  if (sha256 === null) return { ...(await inTurns(compile(blankDocument(facts)))), ...draft }
  if (lastSeen.size > MAX_SEEN) lastSeen.clear()
  lastSeen.set(ctx.event.id, sha256)
  const compiled = document === null ? held! : (recall(sha256) ?? keep(sha256, await inTurns(compile(document)), bytes!))
  return { ...compiled, ...draft }
}

/** After an edit the document is at hand; should the edit be undone, the next read finds that the draft is another. */
export function expectDraft(eventId: string, sha256: string, compiled: Compiled, bytes: number): void {
  keep(sha256, compiled, bytes)
  lastSeen.set(eventId, sha256)
}

/** The draft for an edit: the event's row is locked, so that two edits at once both survive, and publishing waits too. */
export async function lockDraft(ctx: EventContext): Promise<Configuration> {
  // A statement of its own: whoever waits for the lock must read the draft after the wait, not as it was before.
  await lockEvent(ctx)
  return readDraft(ctx)
}

/** A published version, by number. */
export async function readVersion(ctx: AtEvent, number: number, facts: EventFacts): Promise<Configuration> {
  const row = await ctx.db
    .selectFrom('config_versions')
    .select(['id', 'sha256'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('number', '=', number)
    .executeTakeFirst()
  if (!row) throw await unknownVersion(ctx, String(number))
  return versionOf(ctx, { ...row, number }, facts)
}

async function versionOf(
  ctx: AtEvent,
  { id, sha256, number }: { id: string; sha256: string; number: number },
  facts: EventFacts,
): Promise<Configuration> {
  const found = recall(sha256) ?? keep(sha256, ...(await documentOf(ctx, number)))
  return { ...found, sha256, version: number, versionId: id, facts }
}

/** A published version, as something that was decided by it remembers it. */
export async function readVersionById(ctx: AtEvent, id: string): Promise<Configuration> {
  const { facts } = await readDraft(ctx)
  const row = await ctx.db
    .selectFrom('config_versions')
    .select('number')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw await unknownVersion(ctx, id)
  return readVersion(ctx, row.number, facts)
}

/** The version that is live, or null before the first publish. */
export const readLive = async (ctx: AtEvent, { facts }: Pick<Configuration, 'facts'>): Promise<Configuration | null> =>
  facts.publishedVersion === null
    ? null
    : versionOf(ctx, { id: facts.liveId!, sha256: facts.liveSha256!, number: facts.publishedVersion }, facts)

/** What registrations are made by: the draft in test mode, else what is live; null before the first publish. */
export async function readInUse(ctx: AtEvent): Promise<Configuration | null> {
  const draft = await readDraft(ctx)
  return draft.facts.testMode ? draft : readLive(ctx, draft)
}

async function documentOf(ctx: AtEvent, number: number): Promise<[Compiled, bytes: number]> {
  const { document, bytes } = await ctx.db
    .selectFrom('config_versions')
    .select(['document', sql<number>`octet_length(document::text)`.as('bytes')])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('number', '=', number)
    .executeTakeFirstOrThrow()
  return [await inTurns(compile(document)), bytes]
}

async function unknownVersion(ctx: AtEvent, wanted: string) {
  const { newest } = await ctx.db
    .selectFrom('config_versions')
    .select((eb) => eb.fn.max<number | null>('number').as('newest'))
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .executeTakeFirstOrThrow()
  const range = newest === null ? 'it was never published' : `there are versions 1 to ${newest}`
  return notFound(`No version ${wanted} of ${ctx.event.code} — ${range}`, {
    fix: { tool: 'list_versions', arguments: {}, here: true },
  })
}

/** `draft`, `live` or a version's number. */
export async function readConfig(ctx: AtEvent, selector: string, argument = 'source'): Promise<Configuration> {
  const draft = await readDraft(ctx)
  if (selector === 'draft') return draft
  if (selector === 'live') {
    const live = await readLive(ctx, draft)
    if (!live) throw await unknownVersion(ctx, 'live')
    return live
  }
  if (!/^[1-9]\d{0,8}$/.test(selector)) {
    throw invalidArguments([
      { path: argument, message: `${JSON.stringify(selector.slice(0, 40))} is neither draft, live nor a version number` },
    ])
  }
  return readVersion(ctx, Number(selector), draft.facts)
}
