import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import type { PasswordHasher } from '../../kernel/ports.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import { createUser, setUserRoleAtClient } from '../access/users.ts'
import { createClient, createTenant } from '../tenancy/create.ts'
import { setPassword } from './passwords.ts'

/**
 * Creates the setup key, which is printed once in the server's terminal and authorizes the creation of the first tenant. Keys from earlier
 * starts stay valid for a day or until the setup is complete.
 */
export async function createSetupKey(db: Db): Promise<Secret> {
  const key = newToken('lsk_')
  await sql`delete from setup_keys where created_at < lanyard_now() - interval '1 day'`.execute(db)
  await sql`insert into setup_keys (hash) values (${hashToken(key)})`.execute(db)
  return new Secret(key)
}

/** Whether the installation is set up, which is the case when a user exists. */
export async function isInstallationSetUp(db: Db): Promise<boolean> {
  const tenant = await db.selectFrom('tenants').select('id').limit(1).executeTakeFirst()
  return tenant !== undefined
}

export interface FirstTenantInput {
  key: string
  tenant: { code: string; name: string }
  client: { code: string; name: string }
  admin: { email: string; name: string; password: string }
}

export interface FirstTenant {
  tenantId: number
  clientId: string
  userId: string
}

/** Creates the first tenant, client and administrator. Only one of several concurrent requests succeeds. */
export async function setUpFirstTenant(
  db: Db,
  { key, tenant, client, admin }: FirstTenantInput,
  passwords: PasswordHasher,
): Promise<FirstTenant> {
  await sql`lock table tenants in share row exclusive mode`.execute(db)
  if (await isInstallationSetUp(db)) throw notFound('Lanyard is already set up')
  await checkSetupKey(db, key)
  const tenantId = await createTenant(db, tenant)
  const clientId = await createClient(db, { tenant_id: tenantId, ...client })
  const userId = await createUser(db, { tenantId, email: admin.email, name: admin.name })
  await setUserRoleAtClient(db, { tenantId, userId, clientId, role: 'admin' })
  await setPassword(db, { id: userId, email: admin.email }, admin.password, { passwords, path: 'admin/password' })
  await sql`delete from setup_keys where used_at is null`.execute(db)
  return { tenantId, clientId, userId }
}

async function checkSetupKey(db: Db, key: string): Promise<void> {
  const { rows } = await sql`
    update setup_keys set used_at = lanyard_now()
    where hash = ${hashToken(key)} and used_at is null and created_at > lanyard_now() - interval '1 day' returning 1`.execute(db)
  if (rows.length > 0) return
  const message = 'is not correct or is older than a day. The terminal of the last start shows the key; a restart prints a new one.'
  throw invalidArguments([{ path: 'key', message }])
}
