import { type Selectable, sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { Context, EventContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { type Money, toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeStateOfRows, checkStateChange } from '../../kernel/states.ts'
import { CHARGE_STATES } from './states.ts'

export type ChargeRow = Selectable<Tables['charges']>
export type ChargeScope = Pick<EventContext, 'db' | 'tenantId'> & { event: Pick<EventContext['event'], 'id'> }

/** The context in which a charge is created or changed. Its actor may be an organizer, a participant or a background job. */
export type ChargeContext = Context & { event: EventContext['event'] }

/** A successful charge with the received amount and the processor's reference. */
export interface PaidCharge {
  charge: ChargeRow
  amount: number
  providerRef: string
}

/** The status of a charge, for pages that wait for its outcome. */
export interface ChargeStatus {
  chargeId: string
  status: ChargeRow['status']
  failureCode: string | null
  amount: Money
  /** The URL of the processor's payment page, while the charge is open. */
  url: string | null
  returnUrl: string | null
  participantId: string
  orderId: string | null
  callId: string | null
  ageSeconds: number
}

export const isOpenCharge = ({ status }: Pick<ChargeRow, 'status'>): boolean => status === 'pending' || status === 'unknown'

const selectCharge = (ctx: ChargeScope, id: string) => eventDb(ctx).selectFrom('charges').where('id', '=', id)

export const findCharge = (ctx: ChargeScope, id: string): Promise<ChargeRow | undefined> =>
  selectCharge(ctx, id).selectAll().executeTakeFirst()

/** Counts the card payments that can still succeed, including test payments. */
export async function countOpenCharges(ctx: ChargeScope): Promise<number> {
  const { charges } = await eventDb(ctx)
    .selectFrom('charges')
    .select((eb) => eb.fn.countAll<number>().as('charges'))
    .where('status', 'in', ['pending', 'unknown'])
    .executeTakeFirstOrThrow()
  return charges
}

/** Locks the charge, so that concurrent attempts to settle or end it are serialized. */
export const lockCharge = (ctx: ChargeScope, id: string): Promise<ChargeRow | undefined> =>
  selectCharge(ctx, id).selectAll().forNoKeyUpdate().executeTakeFirst()

export async function readChargeStatus(ctx: ChargeScope, chargeId: string): Promise<ChargeStatus> {
  const row = await selectCharge(ctx, chargeId)
    .selectAll()
    .select(sql<number>`extract(epoch from lanyard_now() - created_at)::float8`.as('ageSeconds'))
    .executeTakeFirst()
  if (!row) throw notFound(`No payment ${chargeId} here`)
  return {
    chargeId,
    status: row.status,
    failureCode: row.failure_code,
    amount: toMoney(row.amount, row.currency),
    url: isOpenCharge(row) ? row.checkout_url : null,
    returnUrl: row.return_url,
    participantId: row.participant_id,
    orderId: row.order_id,
    callId: row.call_id,
    ageSeconds: row.ageSeconds,
  }
}

type ChargeChange = Pick<ChargeRow, 'status'> &
  Partial<Pick<ChargeRow, 'provider_ref' | 'failure_code' | 'order_id' | 'invoice_id' | 'flag'>>

export async function updateCharge(ctx: EventContext, charge: ChargeRow, columns: ChargeChange): Promise<void> {
  checkStateChange(CHARGE_STATES, charge, columns)
  await eventDb(ctx)
    .updateTable('charges')
    .set({ ...columns, ...(isOpenCharge(columns) ? {} : { settled_at: sql<Date>`lanyard_now()` }) })
    .where('id', '=', charge.id)
    .execute()
  const { status, flag = null } = columns
  if (status === 'failed' && charge.status !== 'failed')
    announceToWebhooks(ctx, {
      kind: 'payment.failed',
      entity: 'charge',
      id: charge.id,
      changed: ['status'],
      isTestData: charge.is_test_data,
    })
  recordChange(ctx, {
    kind: 'charge',
    id: charge.id,
    before: { status: charge.status },
    after: { status, ...(flag ? { flag } : {}) },
  })
}

/**
 * Separates the problems in the flag of a charge (a text with the problems that an organizer must check). The text of a problem must not
 * contain this separator.
 */
export const CHARGE_PROBLEM_SEPARATOR = '; '

/** Joins problems into the flag of a charge, a text that an organizer must check; null if there are no problems. */
export const formatChargeProblems = (problems: readonly string[]): string | null =>
  problems.length === 0 ? null : problems.join(CHARGE_PROBLEM_SEPARATOR)

/** Replaces one problem in the flag of a charge, or removes it if no new problem is given. Other problems of the charge remain. */
export async function replaceChargeProblem(
  ctx: EventContext,
  chargeId: string,
  before: string,
  after: string | null = null,
): Promise<void> {
  const charge = await lockCharge(ctx, chargeId)
  const problems = charge?.flag?.split(CHARGE_PROBLEM_SEPARATOR) ?? []
  if (!charge || !problems.includes(before)) return
  const left = problems.flatMap((problem) => (problem === before ? (after === null ? [] : [after]) : [problem]))
  const flag = formatChargeProblems(left)
  await eventDb(ctx).updateTable('charges').set({ flag }).where('id', '=', chargeId).execute()
  recordChange(ctx, { kind: 'charge', id: chargeId, before: { flag: charge.flag }, after: { flag } })
}

/** Marks a pending charge whose outcome is unclear. */
export async function markChargeOutcomeUnknown(ctx: ChargeScope, chargeId: string): Promise<void> {
  await changeStateOfRows(eventDb(ctx), CHARGE_STATES, 'unknown').where('id', '=', chargeId).execute()
}

export const formatChargeAmount = ({ amount, currency }: { amount: number; currency: string }) =>
  `${toMoney(amount, currency).amount} ${currency}`
