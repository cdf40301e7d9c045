import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { Role } from '../../kernel/permissions.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import type {} from './tables.ts'

export async function createUser(db: Db, user: { tenantId: number; email: string; name: string }): Promise<string> {
  const id = newId()
  const created = await db
    .insertInto('users')
    .values({ id, tenant_id: user.tenantId, email: user.email, name: user.name, password_hash: null })
    .onConflict((c) => c.column('email_norm').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!created) throw conflict(`A user with the email ${user.email} exists already`)
  return id
}

/** Gives the user that role at the client, in place of any other there. */
export async function setMembership(db: Db, member: { tenantId: number; userId: string; clientId: string; role: Role }): Promise<void> {
  const { tenantId, userId, clientId, role } = member
  await db
    .insertInto('memberships')
    .values({ tenant_id: tenantId, user_id: userId, client_id: clientId, role })
    .onConflict((c) => c.columns(['tenant_id', 'user_id', 'client_id']).doUpdateSet({ role }).where('memberships.role', '<>', role))
    .execute()
}

interface StaffRole {
  tenantId: number
  userId: string
  eventId: string
  role: Role
  assignedBy?: string | null
  note?: string | null
}

/** The same at one event: who gave the role, when and why belong to the role that is there now. */
export async function setStaff(db: Db, { tenantId, userId, eventId, role, assignedBy = null, note = null }: StaffRole): Promise<void> {
  const given = { role, assigned_by: assignedBy, note }
  await db
    .insertInto('event_staff')
    .values({ tenant_id: tenantId, user_id: userId, event_id: eventId, ...given })
    .onConflict((c) =>
      c
        .columns(['tenant_id', 'event_id', 'user_id'])
        .doUpdateSet({ ...given, created_at: sql<Date>`lanyard_now()` })
        .where('event_staff.role', '<>', role),
    )
    .execute()
}

export async function getUserByEmail(db: Db, email: string) {
  const user = await db
    .selectFrom('users')
    .select(['id', 'tenant_id as tenantId', 'email', 'name', 'active', 'access_version as accessVersion'])
    .where('email_norm', '=', email.toLowerCase())
    .executeTakeFirst()
  if (!user) throw notFound(`No user with the email ${email}`)
  return user
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

/** Connects an app for the user without a sign-in page: for the operator's own terminal and for tests. The token is shown once; only its hash is kept. */
export async function connectApp(
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
