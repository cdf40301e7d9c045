import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'

/** Reads the names of users of the tenant by id. Ids that belong to no user, such as those of apps, are left out. */
export async function readUserNames(
  { tenantId, db }: Pick<Context, 'tenantId' | 'db'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select u.id, u.name from users u where u.tenant_id = ${tenantId} and u.id = any(${[...new Set(ids)]})`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
