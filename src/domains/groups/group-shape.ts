import { sql } from 'kysely'
import type { z } from 'zod'
import { toOneLine, count, flag, money, object, text } from '../../kernel/args.ts'
import { toMoney } from '../../kernel/money.ts'
import { listFieldsExcept, readRecordFields, buildResultFields } from '../../kernel/record-shapes.ts'
import { BillToInput } from '../orders/bill-to.ts'
import { GROUP_RECORD } from './group-record.ts'
import { type GroupScope, type GroupRow, selectGroups } from './groups.ts'
import { buildGroupInvitesSql } from './invite-states.ts'

const FIELDS = listFieldsExcept(GROUP_RECORD, ['billTo'])

/** A group in a tool result, with its numbers of members and invitations and its balance. */
export const Group = toOneLine(
  object({
    id: text(),
    ...buildResultFields(GROUP_RECORD, FIELDS),
    invitesOpen: count(),
    admins: count(),
    leaders: count(),
    balance: money(),
    groupBalance: money(),
    membersBalance: money(),
    billTo: toOneLine(BillToInput.partial(), 'as given'),
    isTestData: flag(),
    revision: count(1, 2_147_483_647),
  }),
  'code, name, kind, status, payBy, memberCount, balance, tags, revision, ...',
)

interface GroupFigures {
  admins: number
  leaders: number
  invitesOpen: number
  groupBalance: number
  membersBalance: number
}

const matchesGroup = sql`tenant_id = managed_groups.tenant_id and x.event_id = managed_groups.event_id and x.group_id = managed_groups.id`

/** Selects groups with their member and invitation counts and their balance. Each figure comes from a subquery by the group's key. */
export const selectGroupsWithTotals = (ctx: GroupScope) =>
  selectGroups(ctx).select([
    sql<number>`(select count(*) from group_admins x where x.${matchesGroup})`.as('admins'),
    sql<number>`(select count(*) from participants x where x.${matchesGroup} and x.group_leader)`.as('leaders'),
    sql<number>`(select count(*) from ${buildGroupInvitesSql('open')} x where x.${matchesGroup})`.as('invitesOpen'),
    sql<number>`coalesce((select x.balance from orders x where x.${matchesGroup}), 0)`.as('groupBalance'),
    sql<number>`coalesce((select sum(o.balance) from participants x join orders o
      on o.tenant_id = x.tenant_id and o.event_id = x.event_id and o.participant_id = x.id where x.${matchesGroup}), 0)::bigint`.as(
      'membersBalance',
    ),
  ])

export async function readGroup(ctx: GroupScope, id: string): Promise<z.input<typeof Group>> {
  return toGroup(ctx, await selectGroupsWithTotals(ctx).where('id', '=', id).executeTakeFirstOrThrow())
}

export function toGroup({ event }: GroupScope, row: GroupRow & GroupFigures): z.input<typeof Group> {
  const amount = (minor: number) => toMoney(minor, event.currency)
  const { taxIdStatus: _status, ...billTo } = row.bill_to
  return {
    id: row.id,
    ...readRecordFields(GROUP_RECORD, row, FIELDS),
    invitesOpen: row.invitesOpen,
    admins: row.admins,
    leaders: row.leaders,
    balance: amount(row.groupBalance + row.membersBalance),
    groupBalance: amount(row.groupBalance),
    membersBalance: amount(row.membersBalance),
    billTo,
    isTestData: row.is_test_data,
    revision: row.revision,
  }
}
