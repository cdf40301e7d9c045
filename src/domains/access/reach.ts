import { type RawBuilder, sql } from 'kysely'
import type { Access, AccountContext } from '../../kernel/context.ts'
import { type Permission, permissionsOf } from '../../kernel/permissions.ts'
import type {} from './tables.ts'

export interface Reach {
  clientIds: string[]
  /** Events that the person is staff of, where their client is not reached as a whole. */
  eventIds: string[]
}

/** Where the organizer holds the permission: whole clients by membership, single events as staff. */
export function reachWith(access: Access, permission: Permission): Reach {
  const clientIds = access.clients.filter((client) => permissionsOf(client.roles).has(permission)).map((client) => client.id)
  const eventIds = access.staff
    .filter((staff) => permissionsOf([staff.role]).has(permission) && !clientIds.includes(staff.clientId))
    .map((staff) => staff.eventId)
  return { clientIds, eventIds }
}

/**
 * Whether the organizer may see what is about this user and belongs to no client and no event. It is the person's own; of others, only
 * who administers every client that the person works for: of somebody who works for two, neither administrator alone may see all.
 */
export function isAboutOwnPeople({ tenantId, actor, access }: AccountContext, userId: RawBuilder<unknown>): RawBuilder<boolean> {
  const { clientIds } = reachWith(access, 'clients.admin')
  return sql<boolean>`(${userId} = ${actor.id} or ${userId} in (
    select works.user_id from (
      select user_id, client_id from memberships where tenant_id = ${tenantId}
      union all
      select s.user_id, e.client_id from event_staff s join events e on e.tenant_id = s.tenant_id and e.id = s.event_id
      where s.tenant_id = ${tenantId}) works
    group by works.user_id having bool_and(works.client_id = any(${clientIds}))))`
}
