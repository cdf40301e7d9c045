import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { type Money, sumMinorUnits, toMoney } from '../../../kernel/money.ts'
import { buildEventCondition } from '../event-scope.ts'
import { PAYMENT_METHODS, type PaymentMethod } from '../tables.ts'

export interface EventMoneyTotals {
  invoiced: Money
  refunded: Money
  /** The sum of payments less refunds and reversals. */
  received: Money
  /** The received money by payment method; methods without payments are left out. */
  byMethod: { method: PaymentMethod; amount: Money }[]
  hasTestData: boolean
}

/** Reads the money that was invoiced, received and refunded at the event. The sums equal those of `get_registration_summary`. */
export async function readEventMoneyTotals(ctx: EventContext, { isTestData }: { isTestData: boolean }): Promise<EventMoneyTotals> {
  const { event, db } = ctx
  const { rows: sums } = await sql<{ kind: string; amount: number }>`
    select f.kind, sum(f.total)::bigint as amount from money_figures f where ${buildEventCondition(ctx, 'f')} and f.is_test_data = ${isTestData} and f.origin = 'entry' group by f.kind`.execute(
    db,
  )
  const { rows: test } = await sql`
    select 1 from money_figures f where ${buildEventCondition(ctx, 'f')} and f.is_test_data limit 1`.execute(db)
  const { rows } = await sql<{ method: PaymentMethod; amount: number }>`
    select u.method, sum(u.amount)::bigint as amount from (
      select p.method, p.amount from payments p where ${buildEventCondition(ctx, 'p')} and p.is_test_data = ${isTestData}
      union all select r.method, -r.amount from refunds r where ${buildEventCondition(ctx, 'r')} and r.is_test_data = ${isTestData}
      union all select p.method, -v.amount from payment_reversals v
        join payments p on p.tenant_id = v.tenant_id and p.event_id = v.event_id and p.id = v.payment_id where ${buildEventCondition(ctx, 'v')} and v.is_test_data = ${isTestData}) u
    group by u.method`.execute(db)
  const ofKind = (kind: string) => sums.find((sum) => sum.kind === kind)?.amount ?? 0
  const inCurrency = (minor: number) => toMoney(minor, event.currency)
  return {
    invoiced: inCurrency(ofKind('invoice')),
    refunded: inCurrency(ofKind('refund')),
    received: inCurrency(sumMinorUnits(rows.map(({ amount }) => amount))),
    byMethod: PAYMENT_METHODS.flatMap((method) => {
      const found = rows.find((row) => row.method === method)
      return found ? [{ method, amount: inCurrency(found.amount) }] : []
    }).toSorted((a, b) => Number(b.amount.amount) - Number(a.amount.amount)),
    hasTestData: test.length > 0,
  }
}
