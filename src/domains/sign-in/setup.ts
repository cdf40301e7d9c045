import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import type { Passwords } from '../../kernel/ports.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import { createUser, setMembership } from '../access/users.ts'
import { createClient, createTenant } from '../tenancy/found.ts'
import { setPassword } from './passwords.ts'
import type {} from './tables.ts'

/** Printed once where only the operator reads; whoever has it makes the first tenant. Keys of other starts stay good until then or for a day. */
export async function newSetupKey(db: Db): Promise<Secret> {
  const key = newToken('lsk_')
  await sql`delete from setup_keys where created_at < lanyard_now() - interval '1 day'`.execute(db)
  await sql`insert into setup_keys (hash) values (${hashToken(key)})`.execute(db)
  return new Secret(key)
}

/** Set-up is open as long as there is nobody to sign in. */
export async function isSetUp(db: Db): Promise<boolean> {
  const tenant = await db.selectFrom('tenants').select('id').limit(1).executeTakeFirst()
  return tenant !== undefined
}

export interface Foundation {
  key: string
  tenant: { code: string; name: string }
  client: { code: string; name: string }
  admin: { email: string; name: string; password: string }
}

export interface Founded {
  tenantId: number
  clientId: string
  userId: string
}

/** The first tenant, its first client and their administrator. Two that come at once make one: the second finds it there. */
export async function foundFirstTenant(db: Db, { key, tenant, client, admin }: Foundation, passwords: Passwords): Promise<Founded> {
  await sql`lock table tenants in share row exclusive mode`.execute(db)
  if (await isSetUp(db)) throw notFound('Lanyard is set up already')
  await checkKey(db, key)
  const tenantId = await createTenant(db, tenant)
  const clientId = await createClient(db, { tenant_id: tenantId, ...client })
  const userId = await createUser(db, { tenantId, email: admin.email, name: admin.name })
  await setMembership(db, { tenantId, userId, clientId, role: 'admin' })
  await setPassword(db, { id: userId, email: admin.email }, admin.password, { passwords, path: 'admin/password' })
  await sql`delete from setup_keys where used_at is null`.execute(db)
  return { tenantId, clientId, userId }
}

async function checkKey(db: Db, key: string): Promise<void> {
  const { rows } = await sql`
    update setup_keys set used_at = lanyard_now()
    where hash = ${hashToken(key)} and used_at is null and created_at > lanyard_now() - interval '1 day' returning 1`.execute(db)
  if (rows.length > 0) return
  const message = 'is not right, or older than a day. The terminal of the last start shows the key; a restart prints a new one.'
  throw invalidArguments([{ path: 'key', message }])
}
