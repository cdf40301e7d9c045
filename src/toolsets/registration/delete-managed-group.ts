import { code, count, flag } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { deleteGroup } from '../../domains/groups/delete.ts'

export default eventTool({
  name: 'delete_managed_group',
  title: 'Delete a managed group',
  description:
    'Dissolve (delete) a group account or delegation that fell through, which cannot be undone, so make a dryRun: outstanding invites are revoked, members stay unless cancelMembers, the order stays. Refused until all is settled. Not for closing it (use update_managed_group). Returns counts.',
  effect: 'destructive',
  permission: 'registration.write',
  keyed: true,
  input: { groupCode: code(), cancelMembers: flag().default(false) },
  output: { deleted: flag(), membersDetached: count(), membersCancelled: count(), invitesRevoked: count() },
  toPreview: () => ({ deleted: false }),
  run: deleteGroup,
})
