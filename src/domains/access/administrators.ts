import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'

export interface Administrator {
  userId: string
  email: string
  name: string
  language: string | null
  clientCode: string
}

/** Lists the administrators of all clients that an API account covers, without duplicates. */
export async function listAccountAdministrators(
  { db, tenantId }: Pick<Context, 'db' | 'tenantId'>,
  accountId: string,
): Promise<Administrator[]> {
  const { rows } = await sql<Administrator>`
    select distinct on (u.id) u.id as "userId", u.email, u.name, u.language, c.code as "clientCode"
    from api_accounts a
    join tenants t on t.id = a.tenant_id
    join clients c on c.tenant_id = a.tenant_id
    cross join lateral jsonb_build_array(jsonb_build_object('tenantCode', t.code, 'clientCode', c.code)) here
    join memberships m on m.tenant_id = c.tenant_id and m.client_id = c.id and m.role = 'admin'
    join users u on u.id = m.user_id and u.active
    where a.tenant_id = ${tenantId} and a.id = ${accountId} and (a.allowed_clients @> here or a.allowed_events @> here)
    order by u.id, c.code`.execute(db)
  return rows
}

export async function listClientAdministrators(
  { db, tenantId }: Pick<Context, 'db' | 'tenantId'>,
  clientId: string,
): Promise<Omit<Administrator, 'clientCode'>[]> {
  const { rows } = await sql<Omit<Administrator, 'clientCode'>>`
    select u.id as "userId", u.email, u.name, u.language from memberships m
    join users u on u.id = m.user_id and u.active
    where m.tenant_id = ${tenantId} and m.client_id = ${clientId} and m.role = 'admin'
    order by u.id`.execute(db)
  return rows
}
