import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { Role } from '../../kernel/permissions.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import { assignRole } from './assign-role.ts'

export async function createUser(db: Db, user: { tenantId: number; email: string; name: string }): Promise<string> {
  const id = newId()
  const created = await db
    .insertInto('users')
    .values({ id, tenant_id: user.tenantId, email: user.email, name: user.name, password_hash: null })
    .onConflict((c) => c.columns(['tenant_id', 'email_norm']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!created) throw conflict(`A user with the email ${user.email} exists already`)
  return id
}

/** Whether the address is used to sign in at another tenant. A login that was never used does not count. */
export async function isEmailUsedAtOtherTenant(db: Db, { tenantId, email }: { tenantId: number; email: string }): Promise<boolean> {
  const holder = await db
    .selectFrom('users')
    .select('id')
    .where('email_norm', '=', foldEmailCase(email))
    .where('tenant_id', '<>', tenantId)
    .where('password_hash', 'is not', null)
    .executeTakeFirst()
  return holder !== undefined
}

/** Deletes the login of a user who never signed in and has no role left. Returns the deleted login. */
export async function deleteUnusedLogin(db: Db, { tenantId, userId }: { tenantId: number; userId: string }) {
  const { rows } = await sql<{ email: string; name: string }>`
    delete from users u where u.tenant_id = ${tenantId} and u.id = ${userId} and u.password_hash is null
      and not exists (select from memberships m where m.tenant_id = u.tenant_id and m.user_id = u.id)
      and not exists (select from event_staff s where s.tenant_id = u.tenant_id and s.user_id = u.id)
      and not exists (select from oauth_grants g where g.tenant_id = u.tenant_id and g.user_id = u.id)
    returning u.email, u.name`.execute(db)
  return rows[0] ?? null
}

/** Reads the language for emails to the user; null until the user's browser has reported a language. */
export async function readUserLanguage(db: Db, userId: string): Promise<string | null> {
  const user = await db.selectFrom('users').select('language').where('id', '=', userId).executeTakeFirst()
  return user?.language ?? null
}

/** Replaces the user's role at the client. */
export async function setUserRoleAtClient(
  db: Db,
  member: { tenantId: number; userId: string; clientId: string; role: Role },
): Promise<void> {
  const { tenantId, userId, clientId, role } = member
  const key = { tenant_id: tenantId, user_id: userId, client_id: clientId }
  await assignRole(db, member, role, {
    async read() {
      const known = await db
        .selectFrom('memberships')
        .select('role')
        .where((eb) => eb.and(key))
        .executeTakeFirst()
      return (known?.role as Role | undefined) ?? null
    },
    write: () =>
      db
        .insertInto('memberships')
        .values({ ...key, role })
        .onConflict((c) => c.columns(['tenant_id', 'user_id', 'client_id']).doUpdateSet({ role }))
        .execute(),
  })
}

interface StaffRole {
  tenantId: number
  userId: string
  eventId: string
  role: Role
  assignedBy?: string | null
  note?: string | null
}

/** Replaces the user's role at the event. Also stores who assigned the role, when, and the note about it. */
export async function setStaffRole(db: Db, staff: StaffRole): Promise<void> {
  const { tenantId, userId, eventId, role, assignedBy = null, note = null } = staff
  const key = { tenant_id: tenantId, event_id: eventId, user_id: userId }
  const given = { role, assigned_by: assignedBy, note }
  await assignRole(db, staff, role, {
    async read() {
      const known = await db
        .selectFrom('event_staff')
        .select('role')
        .where((eb) => eb.and(key))
        .executeTakeFirst()
      return (known?.role as Role | undefined) ?? null
    },
    write: () =>
      db
        .insertInto('event_staff')
        .values({ ...key, ...given })
        .onConflict((c) => c.columns(['tenant_id', 'event_id', 'user_id']).doUpdateSet({ ...given, created_at: sql<Date>`lanyard_now()` }))
        .execute(),
  })
}

/**
 * Finds the login for an email address: the one with a password, or the only one without; null if several tenants invited the address and
 * none has a password yet.
 */
export async function findLogin(db: Db, email: string) {
  const found = await db
    .selectFrom('users')
    .select(['id', 'tenant_id as tenantId', 'email', 'name', 'active', 'access_version as accessVersion'])
    .select(['password_hash as passwordHash', 'totp_confirmed_at as totpConfirmedAt'])
    .where('email_norm', '=', foldEmailCase(email))
    .orderBy(sql`password_hash is null`)
    .limit(2)
    .execute()
  const [first] = found
  return first && (first.passwordHash !== null || found.length === 1) ? first : null
}

export async function getUserByEmail(db: Db, email: string) {
  const user = await findLogin(db, email)
  if (!user) throw notFound(`No user with the email ${email}, or several without a password`)
  const { passwordHash: _hash, totpConfirmedAt: _at, ...named } = user
  return named
}

export async function disableUser(db: Db, userId: string): Promise<void> {
  await db.updateTable('users').set({ active: false }).where('id', '=', userId).where('active', '=', true).execute()
}

export async function listUsers(db: Db) {
  return db
    .selectFrom('users')
    .leftJoin('memberships', (join) =>
      join.onRef('memberships.tenant_id', '=', 'users.tenant_id').onRef('memberships.user_id', '=', 'users.id'),
    )
    .leftJoin('clients', (join) =>
      join.onRef('clients.tenant_id', '=', 'memberships.tenant_id').onRef('clients.id', '=', 'memberships.client_id'),
    )
    .select(['users.email', 'users.name', 'users.active', 'clients.code as client', 'memberships.role'])
    .orderBy('users.email_norm')
    .orderBy('clients.code')
    .execute()
}

/** Connects an app without a sign-in page, for the operator's terminal and tests. The token is shown once; only its hash is stored. */
export async function connectAppWithoutSignInPage(
  db: Db,
  app: { userId: string; tenantId: number; accessVersion: number; clientId: string; appName: string; resource: string; lifetime: string },
): Promise<{ token: Secret; grantId: string }> {
  await db
    .insertInto('oauth_clients')
    .values({ id: app.clientId, name: app.appName })
    .onConflict((c) => c.column('id').doNothing())
    .execute()
  const grantId = newId()
  await db
    .insertInto('oauth_grants')
    .values({
      id: grantId,
      tenant_id: app.tenantId,
      user_id: app.userId,
      client_id: app.clientId,
      resource: app.resource,
      access_version: app.accessVersion,
      revoked_because: null,
    })
    .execute()
  const token = newToken('lat_')
  await sql`insert into oauth_tokens (hash, kind, grant_id, expires_at)
    values (${hashToken(token)}, 'access', ${grantId}, lanyard_now() + ${app.lifetime}::interval)`.execute(db)
  return { token: new Secret(token), grantId }
}
