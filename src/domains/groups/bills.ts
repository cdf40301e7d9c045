import { sql } from 'kysely'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { type Money, toMoney } from '../../kernel/money.ts'
import { toDayInZone, daysBetween } from '../../kernel/time.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'

/** Billed and open amounts on a group's own order. */
export interface GroupOrderBalance {
  orderNumber: string
  total: Money
  paid: Money
  balance: Money
  /** Days since the oldest open invoice was due; 0 if none is overdue. */
  daysOverdue: number
  overdue: Money
}

interface BillRow {
  groupId: string
  number: string
  total: number
  paid: number
  balance: number
  overdue: number
  overdueSince: string | null
}

/** Reads the bills of these groups, by group id. A group without an order has none. */
export async function readGroupOrderBalances(
  ctx: RegistrationContext,
  groupIds: readonly string[],
): Promise<Map<string, GroupOrderBalance>> {
  const today = toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx))
  const { rows } = await sql<BillRow>`
    select o.group_id as "groupId", o.number, o.total, o.paid, o.balance, coalesce(sum(i.balance), 0)::bigint as overdue,
      min(i.due_on)::text as "overdueSince"
    from orders o left join invoices i on i.tenant_id = o.tenant_id and i.event_id = o.event_id and i.order_id = o.id
      and i.kind = 'invoice' and i.balance > 0 and i.due_on < ${today}::date
    where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.group_id = any(${groupIds})
    group by o.group_id, o.number, o.total, o.paid, o.balance`.execute(ctx.db)
  const amount = (minor: number) => toMoney(minor, ctx.event.currency)
  return new Map(
    rows.map(({ groupId, number, total, paid, balance, overdue, overdueSince }) => [
      groupId,
      {
        orderNumber: number,
        total: amount(total),
        paid: amount(paid),
        balance: amount(balance),
        overdue: amount(overdue),
        daysOverdue: overdueSince === null ? 0 : daysBetween(overdueSince, today),
      },
    ]),
  )
}
