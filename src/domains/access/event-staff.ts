import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import type { Role } from '../../kernel/permissions.ts'
import { setStaff } from './users.ts'
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

export async function addStaff(
  ctx: ClientContext,
  { userId, eventId, role }: { userId: string; eventId: string; role: Role },
): Promise<string> {
  const event = await ctx.db
    .selectFrom('events')
    .select('name')
    .where('tenant_id', '=', ctx.tenantId)
    .where('client_id', '=', ctx.client.id)
    .where('id', '=', eventId)
    .executeTakeFirst()
  if (!event) throw invalidArguments([{ path: 'where', message: 'choose one of the events shown' }])
  const known = await staff(ctx).where('s.user_id', '=', userId).where('s.event_id', '=', eventId).select('s.role').executeTakeFirst()
  if (known) throw invalidArguments([{ path: 'email', message: `works at ${event.name} already, as ${known.role}` }])
  await setStaff(ctx.db, { tenantId: ctx.tenantId, userId, eventId, role })
  recordChange(ctx, { kind: 'eventStaff', id: userId, after: { eventId, role } })
  return event.name
}

export async function removeStaff(ctx: ClientContext, { userId, eventId }: { userId: string; eventId: string }): Promise<void> {
  const known = await staff(ctx).where('s.user_id', '=', userId).where('s.event_id', '=', eventId).select('s.role').executeTakeFirst()
  if (!known) throw notFound('They do not work at this event any more')
  await ctx.db
    .deleteFrom('event_staff')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', eventId)
    .where('user_id', '=', userId)
    .execute()
  recordChange(ctx, { kind: 'eventStaff', id: userId, before: { eventId, role: known.role } })
}
