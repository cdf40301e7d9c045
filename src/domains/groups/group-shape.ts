import { sql } from 'kysely'
import type { z } from 'zod'
import { brief, count, flag, list, money, object, oneOf, text } from '../../kernel/args.ts'
import { toMoney } from '../../kernel/money.ts'
import { BillToInput } from '../orders/bill-to.ts'
import { type AtGroups, type GroupRow, groupsAt } from './groups.ts'
import { invitesIn } from './invite-states.ts'
import { GROUP_KINDS } from './tables.ts'

const Whole = object({
  id: text(),
  code: text(),
  name: text(),
  kind: oneOf(GROUP_KINDS),
  status: oneOf(['open', 'closed']),
  payBy: oneOf(['group', 'members']),
  maxMembers: count().nullable(),
  memberCount: count(),
  invitesOpen: count(),
  admins: count(),
  leaders: count(),
  balance: money(),
  groupBalance: money(),
  membersBalance: money(),
  tags: list(text()),
  flowSlug: text(),
  billTo: brief(BillToInput.partial(), 'as given'),
  isTestData: flag(),
  revision: count(1, 2_147_483_647),
})

/** A group with what it comes to. */
export const Group = brief(Whole, 'code, name, kind, status, payBy, maxMembers, memberCount, balance, tags, revision, ...')

interface Figures {
  admins: number
  leaders: number
  invitesOpen: number
  groupBalance: number
  membersBalance: number
}

const of = sql`tenant_id = managed_groups.tenant_id and x.event_id = managed_groups.event_id and x.group_id = managed_groups.id`

/** Groups with their figures, each looked up by the group's key. */
export const groupsWithFigures = (ctx: AtGroups) =>
  groupsAt(ctx).select([
    sql<number>`(select count(*) from group_admins x where x.${of})`.as('admins'),
    sql<number>`(select count(*) from participants x where x.${of} and x.group_leader)`.as('leaders'),
    sql<number>`(select count(*) from ${invitesIn('open')} x where x.${of})`.as('invitesOpen'),
    sql<number>`coalesce((select x.balance from orders x where x.${of}), 0)`.as('groupBalance'),
    sql<number>`coalesce((select sum(o.balance) from participants x join orders o
      on o.tenant_id = x.tenant_id and o.event_id = x.event_id and o.participant_id = x.id where x.${of}), 0)::bigint`.as('membersBalance'),
  ])

export async function readGroup(ctx: AtGroups, id: string): Promise<z.input<typeof Group>> {
  return toGroup(ctx, await groupsWithFigures(ctx).where('id', '=', id).executeTakeFirstOrThrow())
}

export function toGroup({ event }: AtGroups, row: GroupRow & Figures): z.input<typeof Group> {
  const amount = (minor: number) => toMoney(minor, event.currency)
  const { taxIdStatus: _status, ...billTo } = row.bill_to
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    kind: row.kind,
    status: row.status,
    payBy: row.pay_by,
    maxMembers: row.max_members,
    memberCount: row.member_count,
    invitesOpen: row.invitesOpen,
    admins: row.admins,
    leaders: row.leaders,
    balance: amount(row.groupBalance + row.membersBalance),
    groupBalance: amount(row.groupBalance),
    membersBalance: amount(row.membersBalance),
    tags: row.tags,
    flowSlug: row.flow_slug,
    billTo,
    isTestData: row.is_test_data,
    revision: row.revision,
  }
}
