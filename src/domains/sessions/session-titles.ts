import { sql } from 'kysely'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { SessionQueryContext } from './context.ts'

/** Reads the titles of these conference sessions, by id or code. */
export async function readSessionTitles(ctx: SessionQueryContext, named: readonly string[]): Promise<Map<string, string>> {
  if (named.length === 0) return new Map()
  const rows = await eventDb(ctx)
    .selectFrom('sessions')
    .select(['id', 'code', 'title'])
    .where(sql<boolean>`(id = any(${named}) or code = any(${named}))`)
    .execute()
  return new Map(rows.flatMap(({ id, code, title }) => [[id, title] as const, [code, title] as const]))
}
