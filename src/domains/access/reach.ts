import { type RawBuilder, sql } from 'kysely'
import type { OrganizerAccess, AccountContext } from '../../kernel/context.ts'
import { type Permission, permissionsOf } from '../../kernel/permissions.ts'

export interface PermittedScopes {
  clientIds: string[]
  /** Events where the organizer has a staff role, without the events of the clients in `clientIds`. */
  eventIds: string[]
}

/** Lists the clients and events where the organizer has a permission: clients by membership, events by a staff role. */
export function listPermittedScopes(access: OrganizerAccess, permission: Permission): PermittedScopes {
  const clientIds = access.clients.filter((client) => permissionsOf(client.roles).has(permission)).map((client) => client.id)
  const eventIds = access.staff
    .filter((staff) => permissionsOf([staff.role]).has(permission) && !clientIds.includes(staff.clientId))
    .map((staff) => staff.eventId)
  return { clientIds, eventIds }
}

/**
 * SQL condition: the organizer may see records about this user that belong to no client or event. Users see their own; others only if
 * they administer every client that the user works for.
 */
export function buildCanReadUserRecordsSql({ tenantId, actor, access }: AccountContext, userId: RawBuilder<unknown>): RawBuilder<boolean> {
  const { clientIds } = listPermittedScopes(access, 'clients.admin')
  return sql<boolean>`(${userId} = ${actor.id} or ${userId} in (
    select works.user_id from (
      select user_id, client_id from memberships where tenant_id = ${tenantId}
      union all
      select s.user_id, e.client_id from event_staff s join events e on e.tenant_id = s.tenant_id and e.id = s.event_id
      where s.tenant_id = ${tenantId}) works
    group by works.user_id having bool_and(works.client_id = any(${clientIds}))))`
}
