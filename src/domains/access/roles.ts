import type { OrganizerAccess, ClientAccess, StaffAccess } from '../../kernel/context.ts'
import type { Role } from '../../kernel/permissions.ts'

type ClientColumns = [id: string, code: string, name: string, active: boolean, aiAssistantsAllowed: boolean]

export interface RolesRow {
  memberships: [...ClientColumns, role: Role][] | null
  staff: [...ClientColumns, role: Role, eventId: string][] | null
}

/** SQL that selects all memberships and staff roles of the people in `v (tenant_id, user_id)`. */
export const MEMBERSHIPS_AND_STAFF_SQL = `
  (select json_agg(json_build_array(k.id, k.code, k.name, k.active, k.ai_assistants_allowed, m.role) order by k.code)
   from memberships m join clients k on k.tenant_id = m.tenant_id and k.id = m.client_id
   where m.tenant_id = v.tenant_id and m.user_id = v.user_id) as memberships,
  (select json_agg(json_build_array(k.id, k.code, k.name, k.active, k.ai_assistants_allowed, s.role, s.event_id) order by k.code)
   from event_staff s
   join events e on e.tenant_id = s.tenant_id and e.id = s.event_id
   join clients k on k.tenant_id = e.tenant_id and k.id = e.client_id
   where s.tenant_id = v.tenant_id and s.user_id = v.user_id) as staff`

export function toOrganizerAccess(row: RolesRow): OrganizerAccess {
  const clients = new Map<string, ClientAccess>()
  for (const [id, code, name, active, aiAssistantsAllowed, role] of row.memberships ?? []) {
    clients.set(id, { id, code, name, active, aiAssistantsAllowed, roles: [role] })
  }
  const staff: StaffAccess[] = []
  for (const [id, code, name, active, aiAssistantsAllowed, role, eventId] of row.staff ?? []) {
    if (!clients.has(id)) clients.set(id, { id, code, name, active, aiAssistantsAllowed, roles: [] })
    staff.push({ eventId, clientId: id, role })
  }
  return { clients: [...clients.values()], staff }
}
