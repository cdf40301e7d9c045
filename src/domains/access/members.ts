import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { type AppError, conflict, invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import type { Role } from '../../kernel/permissions.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { lockUserRoles } from './assign-role.ts'
import { confirmOwnLastRoleRemoval } from './own-last-role.ts'
import { createUser, deleteUnusedLogin, setUserRoleAtClient } from './users.ts'

export interface ClientMember {
  userId: string
  email: string
  name: string
  role: Role
  active: boolean
  /** Whether the member was invited but has not chosen a password yet. */
  pending: boolean
  since: Date
  /** Number of apps that the member has connected. */
  apps: number
}

const selectMembers = (ctx: ClientContext) =>
  tenantDb(ctx)
    .selectFrom('memberships as m')
    .innerJoin('users as u', (join) => join.onRef('u.tenant_id', '=', 'm.tenant_id').onRef('u.id', '=', 'm.user_id'))
    .where('m.client_id', '=', ctx.client.id)
    .select([
      'u.id as userId',
      'u.email',
      'u.name',
      'u.active',
      'm.created_at as since',
      sql<Role>`m.role`.as('role'),
      sql<boolean>`u.password_hash is null`.as('pending'),
      sql<number>`(select count(distinct g.client_id)::int from oauth_grants g where g.tenant_id = u.tenant_id and g.user_id = u.id
        and g.revoked_at is null and g.access_version = u.access_version and g.last_used_at > lanyard_now() - interval '30 days')`.as(
        'apps',
      ),
    ])

/** Lists the people who have a role for the whole client, sorted by name. */
export const listClientMembers = (ctx: ClientContext): Promise<ClientMember[]> =>
  selectMembers(ctx)
    .orderBy(sql`lower(u.name)`)
    .orderBy('u.id')
    .execute()

export async function getClientMember(ctx: ClientContext, userId: string): Promise<ClientMember> {
  const member = await selectMembers(ctx).where('u.id', '=', userId).executeTakeFirst()
  if (!member) throw notFound(`No such person at ${ctx.client.name}`)
  return member
}

export interface InvitedPerson {
  userId: string
  email: string
  name: string
  /** Whether the person has not chosen a password yet. */
  pending: boolean
  /** Whether this call created the person's login. */
  created: boolean
}

/**
 * Finds the person with this address in this tenant, or creates one. Other tenants are not searched, so that an error never reveals their
 * users.
 */
export async function findOrCreateTenantUser(
  ctx: ClientContext,
  { email, name }: { email: string; name?: string | undefined },
  refusal: () => AppError,
): Promise<InvitedPerson> {
  const known = await tenantDb(ctx)
    .selectFrom('users')
    .select(['id as userId', 'email', 'name', 'active', 'password_hash'])
    .where('email_norm', '=', foldEmailCase(email))
    .executeTakeFirst()
  if (known && !known.active) throw refusal()
  if (known) return { userId: known.userId, email: known.email, name: known.name, pending: known.password_hash === null, created: false }
  if (name === undefined)
    throw invalidArguments([{ path: 'name', message: `is required: ${email} has no login yet, so a new one is created` }])
  return { userId: await createUser(ctx.db, { tenantId: ctx.tenantId, email, name }), email, name, pending: true, created: true }
}

/** Adds the first role of a person at the client. An existing role must be changed explicitly. */
export async function addClientMember(ctx: ClientContext, { userId, role }: { userId: string; role: Role }): Promise<void> {
  await lockMembers(ctx)
  await lockUserRoles(ctx.db, { tenantId: ctx.tenantId, userId })
  const known = await findRole(ctx, userId)
  if (known) throw invalidArguments([{ path: 'email', message: `is a member of ${ctx.client.name} already, as ${known}` }])
  await setUserRoleAtClient(ctx.db, { tenantId: ctx.tenantId, userId, clientId: ctx.client.id, role })
  recordChange(ctx, { kind: 'member', id: userId, after: { role } })
}

export async function changeClientRole(ctx: ClientContext, { userId, role }: { userId: string; role: Role }): Promise<void> {
  await lockMembers(ctx)
  const before = await findRole(ctx, userId)
  if (!before) throw notFound(`No such person at ${ctx.client.name}`)
  await setUserRoleAtClient(ctx.db, { tenantId: ctx.tenantId, userId, clientId: ctx.client.id, role })
  await requireAdministrator(ctx)
  recordChange(ctx, { kind: 'member', id: userId, before: { role: before }, after: { role } })
}

export async function removeClientMember(ctx: ClientContext, { userId }: { userId: string }): Promise<void> {
  await lockMembers(ctx)
  const before = await findRole(ctx, userId)
  if (!before) throw conflict(`They are no longer a member of ${ctx.client.name}`)
  await lockUserRoles(ctx.db, { tenantId: ctx.tenantId, userId })
  await tenantDb(ctx).deleteFrom('memberships').where('client_id', '=', ctx.client.id).where('user_id', '=', userId).execute()
  await requireAdministrator(ctx)
  recordChange(ctx, { kind: 'member', id: userId, before: { role: before } })
  await confirmOwnLastRoleRemoval(ctx, userId)
  await removeLoginWithoutRoles(ctx, userId)
}

/** Deletes a login that was never used, once its last role is removed. The caller must have locked the user. */
export async function removeLoginWithoutRoles(ctx: ClientContext, userId: string): Promise<void> {
  const gone = await deleteUnusedLogin(ctx.db, { tenantId: ctx.tenantId, userId })
  if (gone) recordChange(ctx, { kind: 'user', id: userId, before: gone })
}

/** Lets one change of a client's members run at a time, so that two administrators cannot remove each other. */
async function lockMembers(ctx: ClientContext): Promise<void> {
  await tenantDb(ctx).selectFrom('clients').select('id').where('id', '=', ctx.client.id).forUpdate().execute()
}

/** Throws unless an administrator who can sign in remains. Called after the change, while the members are locked. */
async function requireAdministrator(ctx: ClientContext): Promise<void> {
  const admin = await selectMembers(ctx)
    .where('m.role', '=', 'admin')
    .where('u.active', '=', true)
    .where('u.password_hash', 'is not', null)
    .executeTakeFirst()
  if (!admin) throw preconditionFailed(`${ctx.client.name} needs an administrator who can sign in. Make another person administrator first`)
}

async function findRole(ctx: ClientContext, userId: string): Promise<Role | null> {
  const row = await tenantDb(ctx)
    .selectFrom('memberships')
    .select(sql<Role>`role`.as('role'))
    .where('client_id', '=', ctx.client.id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role ?? null
}
