import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { splitIntoInsertBatches } from '../../kernel/insert-batches.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { ImportRunState } from './run-state.ts'

export interface PreviouslyImportedRow {
  source_key: string
  content_hash: Buffer
  written: Record<string, unknown>
  entity_id: string
}

type EventScope = Pick<EventContext, 'db' | 'tenantId' | 'event'>
type EntityKind = 'participant' | 'payment'

/** Reads the records that were created from rows in this or earlier import runs, by the key of the row. */
export async function readPreviouslyImportedRows(
  ctx: EventScope,
  { setup, isTest }: ImportRunState,
  kind: EntityKind,
  keys: readonly string[],
): Promise<Map<string, PreviouslyImportedRow>> {
  if (keys.length === 0) return new Map()
  const rows = await eventDb(ctx)
    .selectFrom('import_rows')
    .select(['source_key', 'content_hash', 'written', 'entity_id'])
    .where('is_test_data', '=', isTest)
    .where('source_system', '=', setup.source_system)
    .where('entity_kind', '=', kind)
    .where('source_key', '=', sql<string>`any(${keys})`)
    .execute()
  return new Map(rows.map((row) => [row.source_key, row]))
}

/** Reads the records of this or earlier import runs whose row keys begin with one of these texts. */
export async function readPreviouslyImportedRowsByPrefix(
  { db, tenantId, event }: EventScope,
  { setup, isTest }: ImportRunState,
  kind: EntityKind,
  prefixes: readonly string[],
): Promise<PreviouslyImportedRow[]> {
  if (prefixes.length === 0) return []
  const { rows } = await sql<PreviouslyImportedRow>`
    select r.source_key, r.content_hash, r.written, r.entity_id
    from unnest(${prefixes}::text[]) as k(prefix) join import_rows r on r.tenant_id = ${tenantId} and r.event_id = ${event.id}
      and r.is_test_data = ${isTest} and r.source_system = ${setup.source_system} and r.entity_kind = ${kind}
      and r.source_key between k.prefix and k.prefix || chr(1114111)
    order by r.source_key`.execute(db)
  return rows
}

export interface ImportedSourceRow {
  key: string
  hash: Buffer
  written: object
  entityId: string
}

export async function saveImportedRows(
  ctx: EventScope,
  { setup, isTest, run }: ImportRunState,
  kind: EntityKind,
  rows: readonly ImportedSourceRow[],
): Promise<void> {
  const inserted = rows.map(({ key, hash, written, entityId }) => ({
    tenant_id: ctx.tenantId,
    event_id: ctx.event.id,
    is_test_data: isTest,
    source_system: setup.source_system,
    entity_kind: kind,
    source_key: key,
    content_hash: hash,
    written: JSON.stringify(written),
    entity_id: entityId,
    run_id: run.id,
    seen_run_id: run.id,
  }))
  for (const part of splitIntoInsertBatches(inserted))
    await ctx.db
      .insertInto('import_rows')
      .values(part)
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'event_id', 'is_test_data', 'source_system', 'entity_kind', 'source_key']).doUpdateSet((eb) => ({
          content_hash: eb.ref('excluded.content_hash'),
          written: eb.ref('excluded.written'),
          seen_run_id: eb.ref('excluded.seen_run_id'),
        })),
      )
      .execute()
}

/** Marks rows that have not changed since the last import as present in this run. */
export async function markRowsPresentInRun(
  ctx: EventScope,
  { setup, isTest, run }: ImportRunState,
  kind: EntityKind,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  await eventDb(ctx)
    .updateTable('import_rows')
    .set({ seen_run_id: run.id })
    .where('is_test_data', '=', isTest)
    .where('source_system', '=', setup.source_system)
    .where('entity_kind', '=', kind)
    .where('source_key', '=', sql<string>`any(${keys})`)
    .execute()
}

/**
 * Counts the participants of earlier import runs that are missing in the current file. A dry run does not mark rows in the database, so it
 * counts those that it has found in memory.
 */
export async function countParticipantsNotInFile(ctx: EventScope, { setup, isTest, run, seen }: ImportRunState): Promise<number> {
  const { count } = await eventDb(ctx)
    .selectFrom('import_rows')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('is_test_data', '=', isTest)
    .where('source_system', '=', setup.source_system)
    .where('entity_kind', '=', 'participant')
    .where('seen_run_id', '<>', run.id)
    .executeTakeFirstOrThrow()
  return Number(count) - seen.size
}

export interface RegisteredPerson {
  /** The normalized name and email, for comparing rows of the file. Empty for a person without an email address. */
  known: string
  /** Ids of the participants who are registered with this name and email. */
  holders: string[]
}

/** Returns for each person the participants who are registered with the same name and email. */
export async function findDuplicatePeople(
  { db, tenantId, event }: EventScope,
  isTest: boolean,
  people: readonly { firstName: string; lastName: string; email: string | null }[],
): Promise<RegisteredPerson[]> {
  if (people.length === 0) return []
  const asked = JSON.stringify(people.map((one, at) => ({ ...one, at })))
  const { rows } = await sql<RegisteredPerson>`
    select coalesce(k.norm || '|' || lanyard_fold_email(k.email), '') as known, array(
      select p.id from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.name_norm = k.norm
        and p.email_norm = lanyard_fold_email(k.email) and p.status <> 'cancelled' and p.is_test_data = ${isTest}
        and p.first_name is not null and p.last_name is not null and not (p.email_unverified and p.status = 'incomplete')) as holders
    from (
      select t.at, t.email, btrim(lanyard_searched(t."firstName", t."lastName")) as norm
      from jsonb_to_recordset(${asked}::jsonb) as t(at int, "firstName" text, "lastName" text, email text)) k
    order by k.at`.execute(db)
  return rows
}
