import { toOneLine, code, email, list, name, object, text } from '../../kernel/args.ts'
import { listFieldsExcept, buildCreateArguments } from '../../kernel/record-shapes.ts'
import { eventTool } from '../../kernel/tool.ts'
import { createGroup } from '../../domains/groups/create.ts'
import { GROUP_RECORD } from '../../domains/groups/group-record.ts'
import { Group } from '../../domains/groups/group-shape.ts'
import { queryTaxOffice } from '../../domains/orders/tax-ids.ts'

export default eventTool({
  name: 'create_managed_group',
  title: 'Create a managed group',
  description:
    'Set up (open) a new group account: a delegation, company or school that books its people together, with seats (places), tags and coordinators, paid by one master bill (payBy group) or by each member. Sends no mail (use send_group_invite). Returns the new group and joinUrl, which needs an invite token.',
  effect: 'change',
  permission: 'registration.write',
  openWorld: true,
  input: {
    ...buildCreateArguments(GROUP_RECORD, listFieldsExcept(GROUP_RECORD, ['status', 'code', 'memberCount'])),
    code: code().optional(),
    admins: toOneLine(list(object({ email: email(), name: name() }), 20), 'email, name').default([]),
  },
  output: { group: Group, joinUrl: text(2000), joinCode: text() },
  prefetch: (ctx, { billTo = {} }) => queryTaxOffice(ctx.taxNumberVerifier, billTo),
  run: (ctx, input, askedTaxId) => createGroup(ctx, { ...input, askedTaxId }),
})
