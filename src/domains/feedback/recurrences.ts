import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import type { FeedbackRow } from './feedback.ts'
import type { FingerprintedFailure } from './fingerprint.ts'
import { FEEDBACK_STATES } from './feedback-states.ts'
import { insertFeedbackNote } from './notes.ts'
import { isLaterVersion } from './versions.ts'

export const MAX_STORED_ERROR_REFERENCES = 20

/** A kind of failure, with the number of times it occurred since it was last written to the database. */
export interface FailureRecurrence extends FingerprintedFailure {
  count: number
  /** References to the affected requests, newest first. */
  references: readonly string[]
}

/**
 * Counts a failure by its fingerprint: creates a new item, increments a known one, and reopens a fixed one that recurs in a later
 * version.
 */
export async function recordFailureOccurrence(db: Db, seen: FailureRecurrence, appVersion: string): Promise<void> {
  const counted = (await lockCountingRow(db, seen.fingerprint)) ?? (await insertNewFailure(db, seen, appVersion))
  if (!counted) return
  const reopens = counted.status === 'fixed' && isLaterVersion(appVersion, counted.fixed_in ?? counted.app_version)
  await db
    .updateTable('feedback')
    .set({
      count: sql`count + ${seen.count}`,
      last_at: sql`lanyard_now()`,
      app_version: isLaterVersion(counted.app_version, appVersion) ? counted.app_version : appVersion,
      error_ref: seen.references[0] ?? counted.error_ref,
      error_references: sql`(select jsonb_agg(one order by at) from (
        select one, at from jsonb_array_elements(${referencesNow(seen)} || error_references) with ordinality as all_of_them(one, at)
        order by at limit ${MAX_STORED_ERROR_REFERENCES}) kept)`,
      ...(reopens ? { status: FEEDBACK_STATES.move(counted.status, 'new'), fixed_in: null } : {}),
    })
    .where('id', '=', counted.id)
    .execute()
  if (reopens) {
    await insertFeedbackNote(db, counted.id, {
      kind: 'change',
      author: 'lanyard',
      text: `status: fixed -> new, because it happened again in version ${appVersion}`,
    })
  }
}

const referencesNow = ({ references }: FailureRecurrence) =>
  sql`(select coalesce(jsonb_agg(jsonb_build_object('reference', reference, 'at', to_char(lanyard_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))), '[]')
    from unnest(${references.slice(0, MAX_STORED_ERROR_REFERENCES)}::text[]) as given(reference))`

/**
 * Finds the feedback item that counts a failure: the item of its fingerprint, or the one it was merged into. The item is read again under
 * the lock, because a concurrent request may have merged it.
 */
async function lockCountingRow(db: Db, fingerprint: string): Promise<FeedbackRow | undefined> {
  const own = db
    .selectFrom('feedback')
    .select(sql<string>`coalesce(duplicate_of, id)`.as('id'))
    .where('fingerprint', '=', fingerprint)
  for (;;) {
    const row = await db.selectFrom('feedback').selectAll().where('id', '=', own).forUpdate().executeTakeFirst()
    if (!row?.duplicate_of) return row
  }
}

/** Inserts a new feedback item. If another process has just inserted one for the same failure, returns that row instead of undefined. */
async function insertNewFailure(db: Db, seen: FailureRecurrence, appVersion: string): Promise<FeedbackRow | undefined> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('feedback')
    .values({
      id: newId(),
      source: 'error',
      kind: 'error',
      body: seen.text,
      page: seen.page,
      tool: seen.tool,
      fingerprint: seen.fingerprint,
      app_version: appVersion,
      count: seen.count,
      error_ref: seen.references[0] ?? null,
      error_references: sql`${referencesNow(seen)}`,
    })
    .onConflict((conflict) => conflict.column('fingerprint').where('fingerprint', 'is not', null).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows ? undefined : lockCountingRow(db, seen.fingerprint)
}
