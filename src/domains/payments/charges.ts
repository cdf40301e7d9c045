import { type Selectable, sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { Context, EventContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { type Money, toMoney } from '../../kernel/money.ts'
import type {} from './tables.ts'

export type ChargeRow = Selectable<Tables['charges']>
export type At = Pick<EventContext, 'db' | 'tenantId'> & { event: Pick<EventContext['event'], 'id'> }

/** Whoever charges: an organizer, a person at a page, a job. */
export type Charging = Context & { event: EventContext['event'] }

/** A charge that has succeeded: what really came, and under which name the processor keeps it. */
export interface Paid {
  charge: ChargeRow
  amount: number
  providerRef: string
}

/** How a charge stands, for whoever waits for it. */
export interface Standing {
  chargeId: string
  status: ChargeRow['status']
  failureCode: string | null
  amount: Money
  /** Where it is paid, while it is open and the processor has a page for it. */
  url: string | null
  returnUrl: string | null
  participantId: string
  orderId: string | null
  callId: string | null
  ageSeconds: number
}

export const isOpen = ({ status }: Pick<ChargeRow, 'status'>): boolean => status === 'pending' || status === 'unknown'

const named = ({ db, tenantId, event }: At, id: string) =>
  db.selectFrom('charges').where('tenant_id', '=', tenantId).where('event_id', '=', event.id).where('id', '=', id)

export const findCharge = (ctx: At, id: string): Promise<ChargeRow | undefined> => named(ctx, id).selectAll().executeTakeFirst()

/** Behind its lock: of two who would settle or end it at once, the second sees what the first has done. */
export const lockCharge = (ctx: At, id: string): Promise<ChargeRow | undefined> =>
  named(ctx, id).selectAll().forNoKeyUpdate().executeTakeFirst()

export async function standingOf(ctx: At, chargeId: string): Promise<Standing> {
  const row = await named(ctx, chargeId)
    .selectAll()
    .select(sql<number>`extract(epoch from lanyard_now() - created_at)::float8`.as('ageSeconds'))
    .executeTakeFirst()
  if (!row) throw notFound(`No payment ${chargeId} here`)
  return {
    chargeId,
    status: row.status,
    failureCode: row.failure_code,
    amount: toMoney(row.amount, row.currency),
    url: isOpen(row) ? row.checkout_url : null,
    returnUrl: row.return_url,
    participantId: row.participant_id,
    orderId: row.order_id,
    callId: row.call_id,
    ageSeconds: row.ageSeconds,
  }
}

type Changed = Pick<ChargeRow, 'status'> & Partial<Pick<ChargeRow, 'provider_ref' | 'failure_code' | 'order_id' | 'invoice_id' | 'flag'>>

export async function keepCharge(ctx: EventContext, charge: ChargeRow, columns: Changed): Promise<void> {
  await ctx.db
    .updateTable('charges')
    .set({ ...columns, ...(isOpen(columns) ? {} : { settled_at: sql<Date>`lanyard_now()` }) })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', charge.id)
    .execute()
  const { status, flag = null } = columns
  if (status === 'failed' && charge.status !== 'failed')
    announce(ctx, { kind: 'payment.failed', entity: 'charge', id: charge.id, changed: ['status'], isTestData: charge.is_test_data })
  recordChange(ctx, { kind: 'charge', id: charge.id, before: { status: charge.status }, after: { status, ...(flag ? { flag } : {}) } })
}

/** Nobody knows whether the processor has done what it was asked. */
export async function noteUnknown({ db, tenantId, event }: At, chargeId: string): Promise<void> {
  await db
    .updateTable('charges')
    .set({ status: 'unknown' })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', chargeId)
    .where('status', '=', 'pending')
    .execute()
}

export const moneyIn = ({ amount, currency }: { amount: number; currency: string }) => `${toMoney(amount, currency).amount} ${currency}`
