import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { type ConfigDocument, EventConfig } from './schema/event-config.ts'
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
  /** Null for the draft. */
  version: number | null
  versionId: string | null
  facts: EventFacts
}

interface FactsRow extends Omit<EventFacts, 'locales'> {
  locales: string[]
  document: ConfigDocument | null
}

const factsOf = (ctx: EventContext, known: number | null) => sql<FactsRow>`
  select e.name, e.starts_on as "startsOn", e.ends_on as "endsOn", e.timezone, e.currency, e.locale, e.locales, e.test_mode as "testMode",
    e.status, e.published_version as "publishedVersion", coalesce(d.draft_revision, 1) as "draftRevision", d.based_on_version as "basedOnVersion",
    d.restored_from as "restoredFrom", coalesce(d.updated_at, e.created_at) as "updatedAt", d.updated_by_name as "updatedBy", lanyard_now() as now,
    case when d.draft_revision = ${known}::int then null else d.document end as document
  from events e left join config_drafts d on d.tenant_id = e.tenant_id and d.event_id = e.id
  where e.tenant_id = ${ctx.tenantId} and e.id = ${ctx.event.id}`

/** The draft before anybody edited it. */
export const blankDocument = ({ name, startsOn, endsOn }: Pick<EventFacts, 'name' | 'startsOn' | 'endsOn'>): ConfigDocument => ({
  details: { name, startsOn, endsOn },
})

interface Compiled {
  document: ConfigDocument
  config: EventConfig
}

const MAX_KEPT = 32
/** What never changes may be kept: a version by its id, a draft by its event and revision as committed. */
const compiled = new Map<string, Compiled>()

function keep(key: string, document: ConfigDocument): Compiled {
  const made = { document, config: EventConfig.parse(document) }
  compiled.set(key, made)
  if (compiled.size > MAX_KEPT) compiled.delete(compiled.keys().next().value!)
  return made
}

function recall(key: string): Compiled | null {
  const found = compiled.get(key)
  if (!found) return null
  compiled.delete(key)
  compiled.set(key, found)
  return found
}

const draftKey = (ctx: EventContext, revision: number) => `${ctx.event.id}@${revision}`
/** The newest revision that was read of each draft, so that a read brings the document only when it changed. */
const newest = new Map<string, number>()

function knownRevision(ctx: EventContext): number | null {
  const guess = newest.get(ctx.event.id)
  return guess !== undefined && compiled.has(draftKey(ctx, guess)) ? guess : null
}

/** The draft as last committed. Not for use inside a change, which locks what it edits. */
export async function readDraft(ctx: EventContext): Promise<Configuration> {
  const known = knownRevision(ctx)
  const { rows } = await factsOf(ctx, known).execute(ctx.db)
  const { document, ...facts } = rows[0]!
  const key = draftKey(ctx, facts.draftRevision)
  const found = facts.draftRevision === known && document === null ? recall(key) : null
  if (found) return { ...found, version: null, versionId: null, facts }
  // An event that was never edited keeps its facts on the event alone, which may change without a revision.
  if (!document) return { ...compile(blankDocument(facts)), version: null, versionId: null, facts }
  if (newest.size > 1000) newest.clear()
  newest.set(ctx.event.id, facts.draftRevision)
  return { ...keep(key, document), version: null, versionId: null, facts }
}

const compile = (document: ConfigDocument): Compiled => ({ document, config: EventConfig.parse(document) })

/** The draft for an edit: the event's row is locked, so that two edits at once both survive, and publishing waits too. */
export async function lockDraft(ctx: EventContext): Promise<Configuration> {
  // A statement of its own: whoever waits for the lock must read the draft after the wait, not as it was before.
  await sql`select from events where tenant_id = ${ctx.tenantId} and id = ${ctx.event.id} for no key update`.execute(ctx.db)
  const known = knownRevision(ctx)
  const { rows } = await factsOf(ctx, known).execute(ctx.db)
  const { document, ...facts } = rows[0]!
  const found = facts.draftRevision === known && document === null ? recall(draftKey(ctx, known)) : null
  // Read inside a transaction that may still be undone, so it is not kept for others.
  return { ...(found ?? compile(document ?? blankDocument(facts))), version: null, versionId: null, facts }
}

/** A published version, by number. */
export async function readVersion(ctx: EventContext, number: number, facts: EventFacts): Promise<Configuration> {
  const row = await ctx.db
    .selectFrom('config_versions')
    .select(['id', 'number'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('number', '=', number)
    .executeTakeFirst()
  if (!row) throw await unknownVersion(ctx, String(number))
  const found = recall(row.id) ?? keep(row.id, await documentOf(ctx, number))
  return { ...found, version: number, versionId: row.id, facts }
}

async function documentOf(ctx: EventContext, number: number): Promise<ConfigDocument> {
  const { document } = await ctx.db
    .selectFrom('config_versions')
    .select('document')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('number', '=', number)
    .executeTakeFirstOrThrow()
  return document
}

async function unknownVersion(ctx: EventContext, wanted: string) {
  const { newest } = await ctx.db
    .selectFrom('config_versions')
    .select((eb) => eb.fn.max<number | null>('number').as('newest'))
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .executeTakeFirstOrThrow()
  const range = newest === null ? 'it was never published' : `there are versions 1 to ${newest}`
  return notFound(`No version ${wanted} of ${ctx.event.code} — ${range}`, {
    fix: { tool: 'list_versions', arguments: { eventCode: ctx.event.code } },
  })
}

/** `draft`, `live` or a version's number. */
export async function readConfig(ctx: EventContext, selector: string, argument = 'source'): Promise<Configuration> {
  const draft = await readDraft(ctx)
  if (selector === 'draft') return draft
  if (selector === 'live') {
    if (draft.facts.publishedVersion === null) throw await unknownVersion(ctx, 'live')
    return readVersion(ctx, draft.facts.publishedVersion, draft.facts)
  }
  if (!/^[1-9]\d{0,8}$/.test(selector)) {
    throw invalidArguments([
      { path: argument, message: `${JSON.stringify(selector.slice(0, 40))} is neither draft, live nor a version number` },
    ])
  }
  return readVersion(ctx, Number(selector), draft.facts)
}
