import { z } from 'zod'
import { toOneLine, code, count, flag, list, money, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { UnmovedMemberOrderShape } from '../../domains/groups/kept-orders.ts'
import { queryDirectoryForNewMembers } from '../../domains/groups/look-up-members.ts'
import { updateMembers } from '../../domains/groups/members.ts'
import { GROUP_SEAT_RESULT_FIELDS, toMembersUpdateResult } from '../../domains/groups/members-update-result.ts'
import { participantReferenceSchema } from '../../domains/registration/find/resolve-participant.ts'

export default eventTool({
  name: 'update_managed_group_members',
  title: 'Change who is in a group',
  description:
    "Add people to a group's roster, take them out, or put delegates over from another: registered ones (unpaid orders onto its master bill with moveOrders), new ones by answers, at its price on one invoice. All or nothing unless partial. Not for who runs it (use set_managed_group_admins). Returns counts, errors, order.",
  effect: 'change',
  permission: 'registration.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    groupCode: code(),
    add: toOneLine(
      list(
        object({ participantId: participantReferenceSchema().optional(), data: z.record(z.string().max(200), z.unknown()).optional() }),
        500,
      ),
      'participantId of a registered person, or data: answers by binding of a new person',
    ).default([]),
    remove: toOneLine(
      list(object({ participantId: participantReferenceSchema(), cancel: flag().default(false) }), 500),
      'participantId, cancel (ends the registration too)',
    ).default([]),
    moveOrders: flag().default(false),
    overrideMax: flag().default(false),
    partial: flag().default(false),
  },
  output: {
    added: count(),
    created: count(),
    moved: count(),
    removed: count(),
    cancelled: count(),
    errors: toOneLine(
      list(object({ list: oneOf(['add', 'remove']), index: count(), code: text(), message: text(2000) })),
      'list (add or remove), index, code, message',
    ),
    notMoved: list(UnmovedMemberOrderShape),
    ...GROUP_SEAT_RESULT_FIELDS,
    order: toOneLine(object({ number: text(), total: money(), balance: money() }), 'number, total, balance').optional(),
    invoice: toOneLine(object({ number: text(), total: money() }), 'number, total').optional(),
  },
  prefetch: (ctx, { groupCode, add }) => queryDirectoryForNewMembers(ctx, groupCode, add),
  run: async (ctx, asked, lookups) => toMembersUpdateResult(ctx, await updateMembers(ctx, asked, lookups)),
})
