import type { Access } from '../../kernel/context.ts'
import { type Permission, permissionsOf } from '../../kernel/permissions.ts'

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

/** Whoever administers a client of the tenant also sees what belongs to the tenant and to none of its clients. */
export const isTenantAdmin = (access: Access): boolean => access.clients.some((client) => client.roles.includes('admin'))
