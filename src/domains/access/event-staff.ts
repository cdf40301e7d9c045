import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext, EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments, notFound } from '../../kernel/errors.ts'
import { PERMISSIONS, permissionsOf, type Role } from '../../kernel/permissions.ts'
import { lockUser } from './give-role.ts'
import { endWithLastRole } from './members.ts'
import { setStaff } from './users.ts'
import { confirmOwnLastRole } from './own-last-role.ts'
import type {} from './tables.ts'

const staff = (ctx: ClientContext) =>
  ctx.db
    .selectFrom('event_staff as s')
    .innerJoin('events as e', (join) => join.onRef('e.tenant_id', '=', 's.tenant_id').onRef('e.id', '=', 's.event_id'))
    .innerJoin('users as u', (join) => join.onRef('u.tenant_id', '=', 's.tenant_id').onRef('u.id', '=', 's.user_id'))
    .where('s.tenant_id', '=', ctx.tenantId)
    .where('e.client_id', '=', ctx.client.id)

/** Who works at single events of the client, the latest event first. */
export const listStaff = (ctx: ClientContext) =>
  staff(ctx)
    .select([
      'u.id as userId',
      'u.name',
      'u.email',
      'e.id as eventId',
      'e.name as event',
      'e.code as eventCode',
      sql<Role>`s.role`.as('role'),
      sql<boolean>`u.password_hash is null`.as('pending'),
    ])
    .orderBy('e.starts_on', 'desc')
    .orderBy('e.code')
    .orderBy(sql`lower(u.name)`)
    .execute()

export async function worksAt(ctx: EventContext, email: string): Promise<boolean> {
  const known = await staff(ctx)
    .where('s.event_id', '=', ctx.event.id)
    .where('u.email_norm', '=', email.toLowerCase())
    .select('s.role')
    .executeTakeFirst()
  return known !== undefined
}

interface Given {
  userId: string
  eventId: string
  role: Role
  note?: string | undefined
}

/** Gives somebody their first role at an event of the client; one they have already is changed on purpose, never by inviting again. */
export async function addStaff(ctx: ClientContext, given: Given): Promise<string> {
  const event = await ctx.db
    .selectFrom('events')
    .select('name')
    .where('tenant_id', '=', ctx.tenantId)
    .where('client_id', '=', ctx.client.id)
    .where('id', '=', given.eventId)
    .executeTakeFirst()
  if (!event) throw invalidArguments([{ path: 'where', message: 'choose one of the events shown' }])
  const { before } = await giveStaffRole(ctx, given)
  if (before) throw invalidArguments([{ path: 'email', message: `works at ${event.name} already, as ${before.role}` }])
  return event.name
}

/** Puts the role in place of any other that the person has at the event; the same again changes nothing. */
export async function giveStaffRole(ctx: ClientContext, { userId, eventId, role, note }: Given) {
  refuseEscalation(ctx, role)
  const { tenantId } = ctx
  await lockUser(ctx.db, { tenantId, userId })
  const at = ctx.db
    .selectFrom('event_staff')
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', eventId)
    .where('user_id', '=', userId)
  const before = await at.select(['role', 'note']).executeTakeFirst()
  const after = { role, note: note ?? before?.note ?? null }
  if (before?.role !== role) await setStaff(ctx.db, { tenantId, userId, eventId, ...after, assignedBy: ctx.actor.id })
  else if (before.note !== after.note) await setNote(ctx, { userId, eventId, note: after.note })
  const changed = recordChange(ctx, {
    kind: 'eventStaff',
    id: userId,
    ...(before ? { before: { eventId, ...before } } : {}),
    after: { eventId, ...after },
  })
  return {
    before: before ?? null,
    changed: changed.filter((field) => field !== 'eventId' && (before || after[field as keyof typeof after])),
  }
}

const setNote = (ctx: ClientContext, { userId, eventId, note }: { userId: string; eventId: string; note: string | null }) =>
  ctx.db
    .updateTable('event_staff')
    .set({ note })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', eventId)
    .where('user_id', '=', userId)
    .execute()

/** Nobody hands out more than they hold at this place, and what administers clients is not given at an event. */
function refuseEscalation({ permissions }: ClientContext, role: Role): void {
  if (role === 'admin')
    throw invalidArguments([{ path: 'role', message: 'admin is a role of the whole client; at an event, choose manager or another role' }])
  const lacking = PERMISSIONS.find((permission) => permissionsOf([role]).has(permission) && !permissions.has(permission))
  if (lacking) throw new AppError('forbidden', `Forbidden — assign_event_staff requires the ${lacking} permission`)
}

export async function removeStaff(ctx: ClientContext, { userId, eventId }: { userId: string; eventId: string }): Promise<void> {
  const known = await staff(ctx).where('s.user_id', '=', userId).where('s.event_id', '=', eventId).select('s.role').executeTakeFirst()
  if (!known) throw notFound('They do not work at this event any more')
  await lockUser(ctx.db, { tenantId: ctx.tenantId, userId })
  await ctx.db
    .deleteFrom('event_staff')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', eventId)
    .where('user_id', '=', userId)
    .execute()
  recordChange(ctx, { kind: 'eventStaff', id: userId, before: { eventId, role: known.role } })
  await confirmOwnLastRole(ctx, userId)
  await endWithLastRole(ctx, userId)
}
