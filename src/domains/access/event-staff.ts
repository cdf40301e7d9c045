import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext, EventContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { AppError, invalidArguments, notFound } from '../../kernel/errors.ts'
import { PERMISSIONS, permissionsOf, type Role } from '../../kernel/permissions.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { lockUserRoles } from './assign-role.ts'
import { removeLoginWithoutRoles } from './members.ts'
import { setStaffRole } from './users.ts'
import { confirmOwnLastRoleRemoval } from './own-last-role.ts'

const selectStaff = (ctx: ClientContext) =>
  tenantDb(ctx)
    .selectFrom('event_staff as s')
    .innerJoin('events as e', (join) => join.onRef('e.tenant_id', '=', 's.tenant_id').onRef('e.id', '=', 's.event_id'))
    .innerJoin('users as u', (join) => join.onRef('u.tenant_id', '=', 's.tenant_id').onRef('u.id', '=', 's.user_id'))
    .where('e.client_id', '=', ctx.client.id)

/** Lists the staff of the client's events, those of the latest event first. */
export const listStaffOfEvents = (ctx: ClientContext) =>
  selectStaff(ctx)
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

export async function isEventStaff(ctx: EventContext, email: string): Promise<boolean> {
  const known = await selectStaff(ctx)
    .where('s.event_id', '=', ctx.event.id)
    .where('u.email_norm', '=', foldEmailCase(email))
    .select('s.role')
    .executeTakeFirst()
  return known !== undefined
}

interface StaffAssignment {
  userId: string
  eventId: string
  role: Role
  note?: string | undefined
}

/** Adds the first role of a person at an event. An existing role must be changed explicitly. */
export async function addStaffRole(ctx: ClientContext, given: StaffAssignment): Promise<string> {
  const event = await tenantDb(ctx)
    .selectFrom('events')
    .select('name')
    .where('client_id', '=', ctx.client.id)
    .where('id', '=', given.eventId)
    .executeTakeFirst()
  if (!event) throw invalidArguments([{ path: 'where', message: 'choose one of the events shown' }])
  const { before } = await assignStaffRole(ctx, given)
  if (before) throw invalidArguments([{ path: 'email', message: `works at ${event.name} already, as ${before.role}` }])
  return event.name
}

/** Replaces the person's role at the event. Idempotent. */
export async function assignStaffRole(ctx: ClientContext, { userId, eventId, role, note }: StaffAssignment) {
  refuseEscalation(ctx, role)
  const { tenantId } = ctx
  await lockUserRoles(ctx.db, { tenantId, userId })
  const at = ctx.db
    .selectFrom('event_staff')
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', eventId)
    .where('user_id', '=', userId)
  const before = await at.select(['role', 'note']).executeTakeFirst()
  const after = { role, note: note ?? before?.note ?? null }
  if (before?.role !== role) await setStaffRole(ctx.db, { tenantId, userId, eventId, ...after, assignedBy: ctx.actor.id })
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
  tenantDb(ctx).updateTable('event_staff').set({ note }).where('event_id', '=', eventId).where('user_id', '=', userId).execute()

/** Refuses a role that exceeds the organizer's own permissions. Client administration cannot be granted at an event. */
function refuseEscalation({ permissions }: ClientContext, role: Role): void {
  if (role === 'admin')
    throw invalidArguments([
      { path: 'role', message: 'admin is a role for the whole client. For an event, choose manager or another role' },
    ])
  const lacking = PERMISSIONS.find((permission) => permissionsOf([role]).has(permission) && !permissions.has(permission))
  if (lacking) throw new AppError('forbidden', `Forbidden — assign_event_staff requires the ${lacking} permission`)
}

export async function removeStaffRole(ctx: ClientContext, { userId, eventId }: { userId: string; eventId: string }): Promise<void> {
  const known = await selectStaff(ctx).where('s.user_id', '=', userId).where('s.event_id', '=', eventId).select('s.role').executeTakeFirst()
  if (!known) throw notFound('They no longer work at this event')
  await lockUserRoles(ctx.db, { tenantId: ctx.tenantId, userId })
  await tenantDb(ctx).deleteFrom('event_staff').where('event_id', '=', eventId).where('user_id', '=', userId).execute()
  recordChange(ctx, { kind: 'eventStaff', id: userId, before: { eventId, role: known.role } })
  await confirmOwnLastRoleRemoval(ctx, userId)
  await removeLoginWithoutRoles(ctx, userId)
}
