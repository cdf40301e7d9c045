import { sql } from 'kysely'
import type { AccountContext } from '../../kernel/context.ts'
import { type Money, toMoney } from '../../kernel/money.ts'
import { listPermittedScopes } from '../access/reach.ts'

const MAX_FLAGGED = 50

export interface FlaggedCharge {
  eventName: string
  orderNumber: string | null
  purpose: string
  amount: Money
  status: string
  flag: string
  createdAt: Date
}

/**
 * Lists charges that an organizer must check, newest first: charges that differ from the payment processor's records, and charges whose
 * money the processor took back.
 */
export async function listFlaggedCharges(ctx: AccountContext): Promise<FlaggedCharge[]> {
  const { clientIds, eventIds } = listPermittedScopes(ctx.access, 'clients.read')
  const { rows } = await sql<Omit<FlaggedCharge, 'amount'> & { minor: number; currency: string }>`
    select e.name as "eventName", o.number as "orderNumber", c.purpose, c.amount as minor, c.currency, c.status, c.flag, c.created_at as "createdAt"
    from charges c
    join events e on e.tenant_id = c.tenant_id and e.id = c.event_id
    left join orders o on o.tenant_id = c.tenant_id and o.event_id = c.event_id and o.id = c.order_id
    where c.tenant_id = ${ctx.tenantId} and c.flag is not null and not c.is_test_data
      and (e.client_id = any(${clientIds}) or e.id = any(${eventIds}))
    order by c.created_at desc, c.id desc limit ${MAX_FLAGGED}`.execute(ctx.db)
  return rows.map(({ minor, currency, ...row }) => ({ ...row, amount: toMoney(minor, currency) }))
}
