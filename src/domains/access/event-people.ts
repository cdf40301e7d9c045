import { sql } from 'kysely'
import type { z } from 'zod'
import { flag, instant, list, object, oneOf, text } from '../../kernel/args.ts'
import type { Actor, EventContext, StaffAccess } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page.ts'
import { type Permission, type Permissions, PERMISSIONS, permissionsOf, type Role } from '../../kernel/permissions.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { formatInstant } from '../../kernel/time.ts'
import { countCappedTotal } from '../../kernel/totals.ts'
import { removeStaffRole } from './event-staff.ts'

export const EventPerson = object({
  userId: text(),
  name: text(),
  email: text(),
  role: text(),
  /** The person's role at the client; only set if it differs from the role at the event, which takes precedence. */
  clientRole: text().optional(),
  via: oneOf(['membership', 'staff', 'both']),
  effectivePermissions: list(text()),
  active: flag(),
  lastSeenAt: instant().nullable(),
  assignedBy: text().nullable(),
  assignedAt: instant().nullable(),
  note: text(500).nullable(),
})

interface StaffEntry {
  role: Role
  note: string | null
  assignedAt: string
  assignedBy: string | null
}

/**
 * Selects members of the client and staff of the event, each person once. Both roles are found by key, so that the list can be paged by
 * name.
 */
function selectPeople(ctx: EventContext) {
  const member = sql<Role | null>`(select m.role from memberships m
    where m.tenant_id = users.tenant_id and m.user_id = users.id and m.client_id = ${ctx.client.id})`
  const staff = sql<StaffEntry | null>`(select json_build_object('role', s.role, 'note', s.note, 'assignedAt', s.created_at,
      'assignedBy', (select a.name from users a where a.tenant_id = s.tenant_id and a.id = s.assigned_by))
    from event_staff s where s.tenant_id = users.tenant_id and s.user_id = users.id and s.event_id = ${ctx.event.id})`
  const sort = sql<string>`(lower(users.name) collate "C")`
  const rows = tenantDb(ctx).selectFrom('users').where(sql<boolean>`users.id in (
      select user_id from memberships where tenant_id = ${ctx.tenantId} and client_id = ${ctx.client.id}
      union all select user_id from event_staff where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id})`)
  const columns = [
    'users.id',
    'users.name',
    'users.email',
    sql<boolean>`users.active and users.password_hash is not null`.as('active'),
    sort.as('sort'),
    member.as('member'),
    staff.as('staff'),
  ] as const
  return { rows, columns, sort, member, staff }
}

interface PersonRow {
  id: string
  name: string
  email: string
  active: boolean
  member: Role | null
  staff: StaffEntry | null
}

export type EventPersonWithoutLastSeen = Omit<z.input<typeof EventPerson>, 'lastSeenAt'>

const toNames = (roles: readonly Role[]) => PERMISSIONS.filter((permission) => permissionsOf(roles).has(permission))

function toEventPerson({ id, name, email, active, member, staff }: PersonRow): EventPersonWithoutLastSeen {
  const roles = [staff?.role, member].filter((role) => role !== null && role !== undefined)
  return {
    userId: id,
    name,
    email,
    role: roles[0]!,
    ...(staff && member ? { clientRole: member } : {}),
    via: staff && member ? 'both' : staff ? 'staff' : 'membership',
    effectivePermissions: toNames(roles),
    active,
    assignedBy: staff?.assignedBy ?? null,
    assignedAt: staff ? formatInstant(new Date(staff.assignedAt)) : null,
    note: staff?.note ?? null,
  }
}

interface EventPeopleRequest {
  role?: Role | undefined
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** Lists everyone who can work at the event by name, with their effective permissions. */
export async function listEventPeople(ctx: EventContext, { role, search, ...paging }: EventPeopleRequest) {
  const { rows, columns, sort, member, staff } = selectPeople(ctx)
  let found = rows
  if (role) found = found.where(sql<boolean>`(${member} = ${role} or ${staff} ->> 'role' = ${role})`)
  if (search) found = found.where(buildWordMatchCondition(sql`users.searched`, search))
  const page = await readPage(ctx, paging, {
    rows: found.select(columns),
    order: [
      { by: sort, type: 'text', of: (row) => row.sort },
      { by: sql`users.id`, type: 'text', of: (row) => row.id },
    ],
    shape: toEventPerson,
  })
  return { ...page, ...(await countCappedTotal(ctx, found)) }
}

async function findPerson(
  ctx: EventContext,
  who: { userId?: string | undefined; email?: string | undefined },
): Promise<EventPersonWithoutLastSeen | null> {
  const { rows, columns } = selectPeople(ctx)
  const named =
    who.userId === undefined ? sql<boolean>`users.email_norm = ${foldEmailCase(who.email ?? '')}` : sql<boolean>`users.id = ${who.userId}`
  const row = await rows.select(columns).where(named).executeTakeFirst()
  return row ? toEventPerson(row) : null
}

/** Whether the user works at the event, through the client or as staff of the event. */
export const hasRoleAtEvent = async (ctx: EventContext, userId: string): Promise<boolean> => (await findPerson(ctx, { userId })) !== null

export async function getEventPerson(ctx: EventContext, userId: string): Promise<EventPersonWithoutLastSeen> {
  const person = await findPerson(ctx, { userId })
  if (!person) throw new Error(`${userId} has no role at event ${ctx.event.id}`)
  return person
}

/** Removes a person's role at the event and keeps the role at the client. Unknown users and users without a role get the same result. */
export async function removeEventRole(ctx: EventContext, who: { userId?: string | undefined; email?: string | undefined }) {
  if ((who.userId === undefined) === (who.email === undefined))
    throw invalidArguments(['userId', 'email'].map((path) => ({ path, message: 'pass either userId or email' })))
  const person = await findPerson(ctx, who)
  if (!person) return { removed: false, remaining: { via: 'none' as const, permissions: [] } }
  if (person.via === 'membership') throw preconditionFailed('role comes from the client; change it there')
  await removeStaffRole(ctx, { userId: person.userId, eventId: ctx.event.id })
  if (person.via === 'staff') return { removed: true, remaining: { via: 'none' as const, permissions: [] } }
  return { removed: true, remaining: { via: 'membership' as const, permissions: toNames([person.clientRole as Role]) } }
}

/** An active user with the permissions at the event and with the roles that these come from. */
export interface UserPermissions {
  userId: string
  name: string
  email: string
  /** The role at the client; empty for users who are only staff of events. */
  clientRoles: readonly Role[]
  /** The staff roles at the events of the client. */
  staff: readonly StaffAccess[]
  permissions: Permissions
}

/** Reads the current permissions of an active user at the event, found by id or email. Returns null if the user has no role there. */
export async function findUserPermissions(ctx: EventContext, who: { userId: string } | { email: string }): Promise<UserPermissions | null> {
  const { rows, columns } = selectPeople(ctx)
  const named = 'userId' in who ? sql<boolean>`users.id = ${who.userId}` : sql<boolean>`users.email_norm = ${foldEmailCase(who.email)}`
  const row = await rows
    .select(columns)
    .select(selectClientStaffRoles(ctx))
    .where(named)
    .where('users.active', '=', true)
    .executeTakeFirst()
  if (!row) return null
  const clientRoles = row.member ? [row.member] : []
  const permissions = permissionsOf([...(row.staff ? [row.staff.role] : []), ...clientRoles])
  return { userId: row.id, name: row.name, email: row.email, clientRoles, staff: row.staffOfClient, permissions }
}

const selectClientStaffRoles = ({ client }: EventContext) =>
  sql<
    StaffAccess[]
  >`coalesce((select json_agg(json_build_object('eventId', s.event_id, 'clientId', e.client_id, 'role', s.role) order by s.event_id)
    from event_staff s join events e on e.tenant_id = s.tenant_id and e.id = s.event_id
    where s.tenant_id = users.tenant_id and s.user_id = users.id and e.client_id = ${client.id}), '[]')`.as('staffOfClient')

/** Returns the context of a call that the user would make at the event now, for jobs that run with the permissions of a user. */
export function toUserContext(
  ctx: EventContext,
  { userId, name, clientRoles, staff, permissions }: UserPermissions,
  app: Actor['app'] = ctx.actor.app,
): EventContext {
  const client = { ...ctx.client, roles: clientRoles }
  return { ...ctx, client, permissions, access: { clients: [client], staff }, actor: { kind: 'organizer', id: userId, name, app } }
}

/** A user who has the requested permission at the event. */
export interface UserWithPermission {
  userId: string
  name: string
  email: string
}

/** Lists the users who have a permission at the event, through the client or as staff of the event. Invited users are included. */
export async function listPeopleWithPermission(ctx: EventContext, permission: Permission): Promise<UserWithPermission[]> {
  const { rows, columns } = selectPeople(ctx)
  const people = await rows.select(columns).select('users.active as enabled').orderBy('users.id').execute()
  return people
    .filter(({ enabled, member, staff }) => {
      const roles = [staff?.role, member].filter((role) => role !== null && role !== undefined)
      return enabled && permissionsOf(roles).has(permission)
    })
    .map(({ id, name, email }) => ({ userId: id, name, email }))
}
