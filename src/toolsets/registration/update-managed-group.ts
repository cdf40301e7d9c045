import { clear, code, count, ifRevision, list, name, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { askAboutGroup, editGroup } from '../../domains/groups/edit-group.ts'
import { Group } from '../../domains/groups/group-shape.ts'
import { GROUP_KINDS } from '../../domains/groups/tables.ts'
import { BillToInput } from '../../domains/orders/bill-to.ts'

export default eventTool({
  name: 'update_managed_group',
  title: 'Change a managed group',
  description:
    "Change a delegation's or company group's settings: rename it, bigger cap (maxMembers), take nobody new from here on (close) or anyone again, flip from individual pay to master bill, add a tag for all members. Not for its roster (use update_managed_group_members). Returns the group and what changed.",
  effect: 'change',
  permission: 'registration.write',
  openWorld: true,
  idempotent: true,
  input: {
    groupCode: code(),
    name: name().optional(),
    kind: oneOf(GROUP_KINDS).optional(),
    status: oneOf(['open', 'closed']).optional(),
    maxMembers: count(1, 10_000).optional(),
    payBy: oneOf(['group', 'members']).optional(),
    tags: list(code(), 50).optional(),
    flowSlug: code().optional(),
    billTo: BillToInput.optional(),
    clear: clear(['maxMembers', 'tags', 'billTo']),
    ifRevision: ifRevision(),
  },
  output: { group: Group, changed: list(text()), membersAffected: count() },
  reach: async (ctx, { groupCode, billTo }) => (billTo ? askAboutGroup(ctx, groupCode, billTo) : null),
  run: (ctx, input, askedTaxId) => editGroup(ctx, { ...input, askedTaxId }),
})
