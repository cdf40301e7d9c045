import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'
import { type ResultPage, readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { endOfDay, startOfDay } from '../../kernel/time.ts'
import { readKnownConfigCodes } from '../registration/find/known-names.ts'
import { findActionsByWords, findRecordKindsByWords } from './filter-words.ts'
import { findAuditTargetIds } from './find-targets.ts'
import { splitIntoWords } from './kinds.ts'
import { type AuditedRecord, buildAuditActorCondition } from './log.ts'

export interface EventAuditFilter {
  /** The first and last day of the listed entries, inclusive, in the event's time zone. */
  from?: string | undefined
  until?: string | undefined
  who?: string | undefined
  app?: string | undefined
  tool?: string | undefined
  targetKind?: string | undefined
  targetId?: string | undefined
  field?: string | undefined
  limit: number
  cursor?: string | undefined
}

export interface EventAuditEntry {
  at: Date
  actor: { name: string; app: string }
  tool: string
  targets: AuditedRecord[]
}

/** Lists audit entries of an event, newest first. If a filter matches none, the first page has a note with values to filter by. */
export async function listEventAuditEntries<Item>(
  ctx: EventContext,
  filter: EventAuditFilter,
  shape: (entry: EventAuditEntry) => Item,
): Promise<ResultPage<Item>> {
  const conditions = await buildConditions(ctx, filter)
  const rows = eventDb(ctx).selectFrom('audit_entries').select(['id', 'at', 'actor_name', 'app_name', 'tool', 'targets'])
  const page = await readPage(ctx, filter, {
    rows: conditions.reduce((all, condition) => all.where(condition), rows),
    order: [{ by: sql`audit_entries.id`, type: 'text', descending: true, of: (row) => row.id }],
    shape: (row) =>
      shape({
        at: row.at,
        actor: { name: row.actor_name, app: row.app_name },
        tool: row.tool,
        targets: row.targets as AuditedRecord[],
      }),
  })
  const isEmpty = page.items.length === 0 && conditions.length > 0 && filter.cursor === undefined
  return isEmpty ? { ...page, note: await describeLoggedNames(ctx) } : page
}

async function buildConditions(ctx: EventContext, filter: EventAuditFilter): Promise<RawBuilder<boolean>[]> {
  const { from, until, who, app, tool, targetKind, targetId, field } = filter
  if (from && until && from > until) throw invalidArguments([{ path: 'from', message: `${from} is after until, ${until}` }])
  const { timezone } = ctx.event
  const kinds = targetKind === undefined ? null : findRecordKindsByWords(targetKind)
  const tools = tool === undefined ? null : findActionsByWords(tool)
  if (kinds?.length === 0 || tools?.length === 0) await addLoggedNames(ctx, { kinds, tools, targetKind, tool })
  return [
    ...(from ? [sql<boolean>`at >= ${startOfDay(timezone, from)}`] : []),
    ...(until ? [sql<boolean>`at < ${endOfDay(timezone, until)}`] : []),
    ...(who ? [await isActor(ctx, who)] : []),
    ...(app ? [await isApp(ctx, app)] : []),
    ...(tools ? [sql<boolean>`tool = any(${tools})`] : []),
    ...(kinds || targetId ? [hasTarget(kinds, targetId ? await findAuditTargetIds(ctx, targetId) : null)] : []),
    ...(field ? [await hasField(ctx, field)] : []),
  ]
}

interface NamedFilters {
  kinds: string[] | null
  tools: string[] | null
  targetKind: string | undefined
  tool: string | undefined
}

/**
 * Adds record kinds and tools of the log that this version no longer knows; they are found only by their exact names. An unknown name is
 * rejected with a list of the known ones.
 */
async function addLoggedNames(ctx: EventContext, { kinds, tools, targetKind, tool }: NamedFilters): Promise<void> {
  const logged = await readLoggedNames(ctx)
  const problems: FieldError[] = []
  const add = (found: string[] | null, path: string, name: string | undefined, known: readonly string[], noun: string) => {
    if (found?.length !== 0 || name === undefined) return
    if (known.includes(name)) found.push(name)
    else problems.push({ ...createUnknownNameFieldError(path, name, known, noun), allowed: known })
  }
  add(kinds, 'targetKind', targetKind, logged.kinds, 'kind of record')
  add(tools, 'tool', tool, logged.tools, 'tool')
  if (problems.length > 0) throw invalidArguments(problems)
}

/** SQL condition: the entry was made by this actor. Entries of a signed-in participant contain the email address, not a user id. */
async function isActor(ctx: EventContext, who: string): Promise<RawBuilder<boolean>> {
  const matches = await buildAuditActorCondition(ctx, who)
  return who.includes('@') ? sql<boolean>`(${matches} or actor_id = ${`${ctx.event.id}:${foldEmailCase(who)}`})` : matches
}

/**
 * SQL condition: the entry was made through this app. The exact name of an app has an index, so words of a name are searched only if no app
 * has exactly this name.
 */
async function isApp(ctx: EventContext, app: string): Promise<RawBuilder<boolean>> {
  const exact = sql<boolean>`lower(app_name) = lower(${app})`
  const known = await eventDb(ctx).selectFrom('audit_entries').select('id').where(exact).limit(1).executeTakeFirst()
  return known ? exact : buildWordMatchCondition(sql`lanyard_searched(app_name)`, app)
}

/** SQL condition: the entry has a record of one of these kinds with one of these ids. Null stands for any kind or id. */
function hasTarget(kinds: readonly string[] | null, ids: readonly string[] | null): RawBuilder<boolean> {
  const isKind = kinds ? sql`t ->> 'kind' = any(${kinds})` : sql`true`
  const isRecord = ids ? sql`t ->> 'id' = any(${ids})` : sql`true`
  const exists = sql<boolean>`exists (select from jsonb_array_elements(targets) t where ${isKind} and ${isRecord})`
  if (!ids) return exists
  // Uses the index on record ids, because few entries contain a given id.
  const contains = ids.map((id) => sql`jsonb_path_query_array(targets, '$[*].id') @> ${JSON.stringify(id)}::jsonb`)
  return sql<boolean>`(${sql.join(contains, sql` or `)}) and ${exists}`
}

/**
 * SQL condition: the entry changed a field whose name has all these words: "price" is in `/products/pass/prices`, "last name" in
 * `@participant.lastName`.
 */
async function hasField(ctx: EventContext, field: string): Promise<RawBuilder<boolean>> {
  const wanted = splitIntoWords(field)
  const { fields } = await readKnownConfigCodes(ctx)
  const labelled = [...fields.values()].flatMap(({ code, name }) =>
    splitIntoWords(name).join(' ') === wanted.join(' ') ? [`@custom.${code}`] : [],
  )
  const isNamed = buildWordMatchCondition(sql`lanyard_searched(k)`, wanted.join(' '))
  return sql<boolean>`exists (select from jsonb_array_elements(targets) t cross join jsonb_object_keys(t -> 'fields') k
    where k = any(${[field, ...labelled]}) or (${wanted.length > 0} and ${isNamed}))`
}

/** Number of newest entries that are read if a filter matches no entry: a note then lists their record kinds and tools. */
const NOTED_ENTRIES = 1000

async function readLoggedNames(ctx: EventContext): Promise<{ kinds: string[]; tools: string[] }> {
  const newest = sql`select tool, targets from audit_entries
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} order by id desc limit ${NOTED_ENTRIES}`
  const { rows } = await sql<{ kinds: string[]; tools: string[] }>`with newest as materialized (${newest})
    select array(select distinct t ->> 'kind' from newest, jsonb_array_elements(targets) t where t ->> 'kind' <> 'more' order by 1) as kinds,
      array(select distinct tool from newest order by 1) as tools`.execute(ctx.db)
  return rows[0]!
}

async function describeLoggedNames(ctx: EventContext): Promise<string> {
  const { kinds, tools } = await readLoggedNames(ctx)
  if (tools.length === 0) return 'No change has been logged at this event yet.'
  return `No change matches these filters. Kinds of records in the log: ${kinds.join(', ')}. Tools: ${tools.join(', ')}.`
}
