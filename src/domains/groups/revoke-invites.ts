import { eventDb } from '../../kernel/scoped-db.ts'
import type { GROUP_ROLES } from './tables.ts'
import type { GroupScope } from './groups.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { GROUP_INVITE_STATES } from './states.ts'

/** Revokes open invitations, so that their links stop working, and returns their number. */
export async function revokeInvites(
  ctx: GroupScope,
  groupId: string,
  { emails, role }: { emails?: readonly string[]; role?: (typeof GROUP_ROLES)[number] } = {},
): Promise<number> {
  let open = changeStateOfRows(eventDb(ctx), GROUP_INVITE_STATES, 'revoked')
    .where('group_id', '=', groupId)
    .where('status', 'in', ['queued', 'sent'])
  if (emails) open = open.where('email_norm', 'in', emails)
  if (role) open = open.where('role', '=', role)
  return (await open.returning('id').execute()).length
}
