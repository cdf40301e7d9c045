import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { type AppError, conflict, invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import type { Role } from '../../kernel/permissions.ts'
import { lockUser } from './give-role.ts'
import { confirmOwnLastRole } from './own-last-role.ts'
import { createUser, dropUnusedLogin, setMembership } from './users.ts'
import type {} from './tables.ts'

export interface Member {
  userId: string
  email: string
  name: string
  role: Role
  active: boolean
  /** Invited, and has not chosen a password yet. */
  pending: boolean
  since: Date
  /** Apps that can call at this moment. */
  apps: number
}

const members = (ctx: ClientContext) =>
  ctx.db
    .selectFrom('memberships as m')
    .innerJoin('users as u', (join) => join.onRef('u.tenant_id', '=', 'm.tenant_id').onRef('u.id', '=', 'm.user_id'))
    .where('m.tenant_id', '=', ctx.tenantId)
    .where('m.client_id', '=', ctx.client.id)
    .select([
      'u.id as userId',
      'u.email',
      'u.name',
      'u.active',
      'm.created_at as since',
      sql<Role>`m.role`.as('role'),
      sql<boolean>`u.password_hash is null`.as('pending'),
      sql<number>`(select count(distinct g.client_id)::int from oauth_grants g where g.user_id = u.id and g.revoked_at is null
        and g.access_version = u.access_version and g.last_used_at > lanyard_now() - interval '30 days')`.as('apps'),
    ])

/** Everybody with a role in all of the client, by name. */
export const listMembers = (ctx: ClientContext): Promise<Member[]> =>
  members(ctx)
    .orderBy(sql`lower(u.name)`)
    .orderBy('u.id')
    .execute()

export async function getMember(ctx: ClientContext, userId: string): Promise<Member> {
  const member = await members(ctx).where('u.id', '=', userId).executeTakeFirst()
  if (!member) throw notFound(`No such person at ${ctx.client.name}`)
  return member
}

export interface Person {
  userId: string
  email: string
  name: string
  /** Has not chosen a password yet. */
  pending: boolean
  /** The login was made just now. */
  created: boolean
}

/** The person of that address in this tenant, made now if there is none. Nothing is looked up elsewhere: what others have is told by no refusal that comes before a mail. */
export async function findOrCreatePerson(
  ctx: ClientContext,
  { email, name }: { email: string; name?: string | undefined },
  refusal: () => AppError,
): Promise<Person> {
  const known = await ctx.db
    .selectFrom('users')
    .select(['id as userId', 'email', 'name', 'active', 'password_hash'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('email_norm', '=', email.toLowerCase())
    .executeTakeFirst()
  if (known && !known.active) throw refusal()
  if (known) return { userId: known.userId, email: known.email, name: known.name, pending: known.password_hash === null, created: false }
  if (name === undefined)
    throw invalidArguments([{ path: 'name', message: `is required: ${email} has no login yet, and one is made with it` }])
  return { userId: await createUser(ctx.db, { tenantId: ctx.tenantId, email, name }), email, name, pending: true, created: true }
}

/** Gives somebody their first role at the client; a role they have already is changed on purpose, never by inviting again. */
export async function addMember(ctx: ClientContext, { userId, role }: { userId: string; role: Role }): Promise<void> {
  await lockMembers(ctx)
  await lockUser(ctx.db, { tenantId: ctx.tenantId, userId })
  const known = await roleOf(ctx, userId)
  if (known) throw invalidArguments([{ path: 'email', message: `is a member of ${ctx.client.name} already, as ${known}` }])
  await setMembership(ctx.db, { tenantId: ctx.tenantId, userId, clientId: ctx.client.id, role })
  recordChange(ctx, { kind: 'member', id: userId, after: { role } })
}

export async function changeRole(ctx: ClientContext, { userId, role }: { userId: string; role: Role }): Promise<void> {
  await lockMembers(ctx)
  const before = await roleOf(ctx, userId)
  if (!before) throw notFound(`No such person at ${ctx.client.name}`)
  await setMembership(ctx.db, { tenantId: ctx.tenantId, userId, clientId: ctx.client.id, role })
  await keepAnAdmin(ctx)
  recordChange(ctx, { kind: 'member', id: userId, before: { role: before }, after: { role } })
}

export async function removeMember(ctx: ClientContext, { userId }: { userId: string }): Promise<void> {
  await lockMembers(ctx)
  const before = await roleOf(ctx, userId)
  if (!before) throw conflict(`They are not a member of ${ctx.client.name} any more`)
  await lockUser(ctx.db, { tenantId: ctx.tenantId, userId })
  await ctx.db
    .deleteFrom('memberships')
    .where('tenant_id', '=', ctx.tenantId)
    .where('client_id', '=', ctx.client.id)
    .where('user_id', '=', userId)
    .execute()
  await keepAnAdmin(ctx)
  recordChange(ctx, { kind: 'member', id: userId, before: { role: before } })
  await confirmOwnLastRole(ctx, userId)
  await endWithLastRole(ctx, userId)
}

/** After a role was taken away, under the lock on the person. */
export async function endWithLastRole(ctx: ClientContext, userId: string): Promise<void> {
  const gone = await dropUnusedLogin(ctx.db, { tenantId: ctx.tenantId, userId })
  if (gone) recordChange(ctx, { kind: 'user', id: userId, before: gone })
}

/** One change of a client's members at a time: two administrators who remove each other at once must not both succeed. */
async function lockMembers(ctx: ClientContext): Promise<void> {
  await ctx.db
    .selectFrom('clients')
    .select('id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.client.id)
    .forUpdate()
    .execute()
}

/** Read after the change and under the lock. Somebody who cannot sign in, or never has, would leave the client to nobody. */
async function keepAnAdmin(ctx: ClientContext): Promise<void> {
  const admin = await members(ctx)
    .where('m.role', '=', 'admin')
    .where('u.active', '=', true)
    .where('u.password_hash', 'is not', null)
    .executeTakeFirst()
  if (!admin) throw preconditionFailed(`${ctx.client.name} needs an administrator who can sign in: make somebody else one first`)
}

async function roleOf(ctx: ClientContext, userId: string): Promise<Role | null> {
  const row = await ctx.db
    .selectFrom('memberships')
    .select(sql<Role>`role`.as('role'))
    .where('tenant_id', '=', ctx.tenantId)
    .where('client_id', '=', ctx.client.id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role ?? null
}
