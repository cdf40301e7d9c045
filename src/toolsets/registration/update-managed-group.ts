import { code, count, list, text } from '../../kernel/args.ts'
import { buildEditArguments } from '../../kernel/record-shapes.ts'
import { eventTool } from '../../kernel/tool.ts'
import { verifyGroupTaxId, editGroup } from '../../domains/groups/edit-group.ts'
import { GROUP_RECORD } from '../../domains/groups/group-record.ts'
import { Group } from '../../domains/groups/group-shape.ts'

export default eventTool({
  name: 'update_managed_group',
  title: 'Change a managed group',
  description:
    "Change a delegation's or company group's settings: rename it, bigger cap (maxMembers), take no new people from here on (close) or anyone again, flip from individual pay to master bill, add a tag for all members. Not for its roster (use update_managed_group_members). Returns the group and what changed.",
  effect: 'change',
  permission: 'registration.write',
  openWorld: true,
  idempotent: true,
  input: { groupCode: code(), ...buildEditArguments(GROUP_RECORD), replaceJoinCode: text(40).optional() },
  output: { group: Group, changed: list(text()), membersAffected: count(), joinCode: text() },
  prefetch: async (ctx, { groupCode, billTo }) => (billTo ? verifyGroupTaxId(ctx, groupCode, billTo) : null),
  run: (ctx, input, askedTaxId) => editGroup(ctx, { ...input, askedTaxId }),
})
