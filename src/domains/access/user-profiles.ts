import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { Context } from '../../kernel/context.ts'
import { defineRecord, editRecord, lockRecord } from '../../kernel/records.ts'

const USER_RECORD = defineRecord({
  table: 'users',
  kind: 'user',
  noun: 'User',
  name: ({ email }) => email,
  primaryKey: ['id'],
  fields: { name: 'name' },
})

export async function renameUser(ctx: Context, userId: string, name: string): Promise<void> {
  const before = await lockRecord(ctx, USER_RECORD, { id: userId })
  if (before) await editRecord(ctx, USER_RECORD, before, { name })
}

export async function hideSetupChecklistForUser(db: Db, userId: string): Promise<void> {
  await sql`update users set checklist_hidden_at = lanyard_now() where id = ${userId}`.execute(db)
}

/** Sets the language in which the user gets emails. */
export async function setUserLanguage(db: Db, userId: string, language: string): Promise<void> {
  await sql`update users set language = ${language} where id = ${userId} and language is distinct from ${language}`.execute(db)
}

/** Saves when users were last active. `visits` is a subquery with `user_id` and `at`, one row per user. */
export async function saveLastActiveTimes(db: Db, visits: RawBuilder<unknown>): Promise<void> {
  await sql`
    update users u set last_seen_at = greatest(u.last_seen_at, ended.at)
    from (${visits}) ended
    where u.id = ended.user_id`.execute(db)
}
