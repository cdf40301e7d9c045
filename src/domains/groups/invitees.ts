import { sql } from 'kysely'
import type { GroupScope } from './groups.ts'
import { buildGroupInvitesSql } from './invite-states.ts'
import type { GROUP_ROLES } from './tables.ts'

export type GroupRole = (typeof GROUP_ROLES)[number]

export interface GroupInvitee {
  email: string
  role: GroupRole
  name: string | null
}

/** Lists the people with one of these roles in a group, and the recipients of its open or expired invitations for these roles. */
export async function listInviteesByRole(
  { db, tenantId, event }: GroupScope,
  groupId: string,
  roles: readonly GroupRole[],
): Promise<GroupInvitee[]> {
  const at = sql`x.tenant_id = ${tenantId} and x.event_id = ${event.id} and x.group_id = ${groupId}`
  const { rows } = await sql<GroupInvitee>`
    select x.email, 'admin' as role, x.name from group_admins x where ${at} and 'admin' = any(${roles})
    union all select x.email, case when x.group_leader then 'leader' else 'member' end, nullif(btrim(concat_ws(' ', x.first_name, x.last_name)), '')
      from participants x where ${at} and x.email is not null and (x.group_leader and 'leader' = any(${roles}) or 'member' = any(${roles}))
    union all select x.email, x.role, x.name from ${buildGroupInvitesSql('any')} x where ${at} and x.role = any(${roles}) and x.state in ('queued', 'sent', 'expired')
    order by role, email`.execute(db)
  return rows
}
