import {
  toOneLine,
  code,
  list,
  money,
  object,
  oneOf,
  pageArguments,
  pageResult,
  searchArgument,
  text,
  totalResult,
} from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { Group } from '../../domains/groups/group-shape.ts'
import { ListedAdminShape, describeGroup, ListedInviteShape, listGroups, Member, ListedMemberShape } from '../../domains/groups/list.ts'
import { GROUP_KINDS } from '../../domains/groups/tables.ts'

export default eventTool({
  name: 'list_managed_groups',
  title: 'List managed groups',
  description:
    'List delegations and company groups with head counts, seats, open invites and balances; with groupCode one in full: who runs it (admins, coordinators), leaders, how many and which names are filled in on its roster, invites, order. Not for single people (use find_participants). Returns groups and totals.',
  effect: 'read',
  toleratesLag: true,
  permission: 'registration.read',
  input: {
    search: searchArgument().optional(),
    status: oneOf(['open', 'closed']).optional(),
    kind: oneOf(GROUP_KINDS).optional(),
    groupCode: code().optional(),
    ...pageArguments,
  },
  output: {
    groups: list(Group),
    admins: list(ListedAdminShape).optional(),
    leaders: list(Member).optional(),
    members: list(ListedMemberShape).optional(),
    invites: list(ListedInviteShape).optional(),
    order: toOneLine(object({ number: text(), total: money(), paid: money(), balance: money() }), 'number, total, paid, balance')
      .nullable()
      .optional(),
    roomBlockId: text().nullable().optional(),
    joinCode: text().optional(),
    ...totalResult,
    ...pageResult,
  },
  run: (ctx, { groupCode, ...request }) => (groupCode === undefined ? listGroups(ctx, request) : describeGroup(ctx, groupCode, request)),
})
