import { brief, code, count, email, list, name, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { createGroup } from '../../domains/groups/create.ts'
import { Group } from '../../domains/groups/group-shape.ts'
import { GROUP_KINDS } from '../../domains/groups/tables.ts'
import { BillToInput } from '../../domains/orders/bill-to.ts'
import { askTaxOffice } from '../../domains/orders/tax-ids.ts'

export default eventTool({
  name: 'create_managed_group',
  title: 'Create a managed group',
  description:
    'Set up (open) a new group account: a delegation, company or school that books its people together, with seats (places), tags and coordinators, paid by one master bill (payBy group) or by each member. Sends no mail (use send_group_invite). Returns the new group and joinUrl, which needs an invite token.',
  effect: 'change',
  permission: 'registration.write',
  openWorld: true,
  input: {
    name: name(),
    code: code().optional(),
    kind: oneOf(GROUP_KINDS),
    maxMembers: count(1, 10_000).optional(),
    payBy: oneOf(['group', 'members']),
    tags: list(code(), 50).default([]),
    admins: brief(list(object({ email: email(), name: name() }), 20), 'email, name').default([]),
    flowSlug: code(),
    billTo: BillToInput.optional(),
  },
  output: { group: Group, joinUrl: text(2000) },
  reach: (ctx, { billTo = {} }) => askTaxOffice(ctx.taxOffices, billTo),
  run: (ctx, input, askedTaxId) => createGroup(ctx, { ...input, askedTaxId }),
})
