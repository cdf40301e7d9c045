import { eventDb } from '../../kernel/scoped-db.ts'
import type { GROUP_ROLES } from './tables.ts'
import type { AtGroups } from './groups.ts'

/** Ends invites that are still open: their links open nothing any more. Returns how many. */
export async function revokeInvites(
  ctx: AtGroups,
  groupId: string,
  { emails, role }: { emails?: readonly string[]; role?: (typeof GROUP_ROLES)[number] } = {},
): Promise<number> {
  let open = eventDb(ctx)
    .updateTable('group_invites')
    .set({ status: 'revoked' })
    .where('group_id', '=', groupId)
    .where('status', 'in', ['queued', 'sent'])
  if (emails) open = open.where('email_norm', 'in', emails)
  if (role) open = open.where('role', '=', role)
  return (await open.returning('id').execute()).length
}
