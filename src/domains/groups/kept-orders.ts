import { sql } from 'kysely'
import { toOneLine, keepNullInResult, money, object, oneOf, text } from '../../kernel/args.ts'
import { toMoney } from '../../kernel/money.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { GroupRow } from './groups.ts'

const REASONS = ['paid', 'fee_or_deposit', 'not_requested', 'other_group', 'left_group'] as const

export const UnmovedMemberOrderShape = toOneLine(
  object({
    participantId: text(),
    orderNumber: text(),
    groupCode: keepNullInResult(text().nullable()),
    reason: oneOf(REASONS),
    amount: money(),
    orderBalance: money(),
  }),
  'participantId, orderNumber, groupCode (null: own order), reason, amount, orderBalance',
)

interface ChangedMembers {
  added: readonly string[]
  removed: readonly string[]
  moveOrders: boolean
}

interface KeptRow {
  participantId: string
  number: string
  groupId: string | null
  groupCode: string | null
  currency: string
  amount: number
  total: number
  balance: number
}

/**
 * Lists the orders that keep amounts of the changed members, so that the caller knows who still pays for whom: a removed member's purchases
 * stay on this group's order, and an added member's on their own order or that of an earlier group. Includes the guests of each member.
 */
export async function listUnmovedMemberOrders(ctx: RegistrationContext, group: GroupRow, { added, removed, moveOrders }: ChangedMembers) {
  const rows = await readMemberOrders(ctx, [...new Set([...added, ...removed])])
  const [isAdded, isRemoved] = [new Set(added), new Set(removed)]
  const reasonOf = ({ participantId, groupId, total, balance }: KeptRow): (typeof REASONS)[number] | null => {
    if (groupId === group.id) return isRemoved.has(participantId) && !isAdded.has(participantId) ? 'left_group' : null
    if (groupId !== null) return 'other_group'
    if (!isAdded.has(participantId) || group.pay_by === 'members') return null
    if (!moveOrders) return 'not_requested'
    // Only products move to the group's order. If nothing was paid, the amount left on the old order is from fees and deposits.
    return balance === total ? 'fee_or_deposit' : 'paid'
  }
  return rows.flatMap((row) => {
    const reason = reasonOf(row)
    if (reason === null) return []
    const { participantId, number, groupCode, currency, amount, balance } = row
    return [
      {
        participantId,
        orderNumber: number,
        groupCode,
        reason,
        amount: toMoney(amount, currency),
        orderBalance: toMoney(balance, currency),
      },
    ]
  })
}

/** Reads the orders on which these participants and their guests still have amounts, that is, lines that were not credited in full. */
async function readMemberOrders({ db, tenantId, event }: RegistrationContext, ids: readonly string[]): Promise<KeptRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<KeptRow>`
    select coalesce(p.host_id, p.id) as "participantId", o.number, o.group_id as "groupId", g.code as "groupCode", o.currency, o.total, o.balance,
      sum(l.total)::bigint as amount
    from participants p
    join order_lines l on l.tenant_id = p.tenant_id and l.event_id = p.event_id and l.participant_id = p.id
    join orders o on o.tenant_id = l.tenant_id and o.event_id = l.event_id and o.id = l.order_id
    left join managed_groups g on g.tenant_id = o.tenant_id and g.event_id = o.event_id and g.id = o.group_id
    where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and (p.id = any(${ids}) or p.host_id = any(${ids}))
    group by 1, o.number, o.group_id, g.code, o.currency, o.total, o.balance having sum(l.total) <> 0 order by 1, o.number`.execute(db)
  return rows
}
