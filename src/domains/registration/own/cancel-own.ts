import { preconditionFailed } from '../../../kernel/errors.ts'
import { type Money, sumMinorUnits, toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { findOrder } from '../../orders/orders.ts'
import { listOrderLines } from '../../orders/order-record.ts'
import { sql } from 'kysely'
import { cancelRegistration } from '../edit/cancel.ts'
import { sendCancellation } from '../confirmation.ts'
import { type CancellationEffects, listCancellationEffects } from '../edit/cancellation-effects.ts'
import { listHoldings } from '../sale/holdings.ts'
import { nameOf } from '../participant-shape.ts'
import { getPayer } from '../sale/payer.ts'
import { getParticipant, listGuests } from '../participant-rows.ts'
import { type EventScope, loadEventSnapshot } from '../event-snapshot.ts'

export interface OwnCancellation {
  /** Names of the participant and of the guests cancelled with them. */
  people: string[]
  effects: CancellationEffects
  /** Each order line with its price and refund. */
  lines: { description: string; price: Money; refund: Money }[]
  refund: Money
  /** After the cancellation: the amount still owed, or the credit on the order. */
  balance: Money
  creditHeld: Money
}

/** Cancels the participant's own registration. The refund always follows the event's cancellation policy. */
export async function cancelOwnRegistration(ctx: EventScope, participantId: string): Promise<OwnCancellation> {
  const row = await getParticipant(ctx, participantId)
  if (row.status === 'cancelled') throw preconditionFailed('This registration is already cancelled.')
  const snapshot = await loadEventSnapshot(ctx, row.is_test_data ? { test: { useDraft: true } } : {})
  const owner = await getPayer(ctx, row)
  const guests = await listGuests(ctx, row.id)
  const held = await heldLines(ctx, [row.id, ...guests.map(({ id }) => id)])
  const effects = await listCancellationEffects(ctx, snapshot, row, guests)
  const rule = { rule: { by: 'policy' as const }, reason: 'cancelled by the participant' }
  const { participants, creditNotes } = await cancelRegistration(ctx, snapshot, row, rule)
  await sendCancellation(ctx, row.id)
  const order = await findOrder(ctx, owner)
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  const refunds = await refundsByLine(ctx, creditNotes)
  return {
    people: participants.map(nameOf),
    effects,
    lines: held.map(({ id, description, total }) => ({ description, price: total, refund: money(refunds.get(id) ?? 0) })),
    refund: money(sumMinorUnits([...refunds.values()])),
    balance: money(Math.max(0, order?.balance ?? 0)),
    creditHeld: money(-(order?.unapplied ?? 0)),
  }
}

async function heldLines(ctx: EventScope, participantIds: readonly string[]) {
  const held = (await listHoldings(ctx, participantIds)).filter(({ remaining }) => remaining > 0).map(({ id }) => id)
  return held.length === 0 ? [] : listOrderLines(ctx, sql<boolean>`l.id = any(${held})`)
}

/** The refund for each order line, in minor units. */
async function refundsByLine(ctx: EventScope, creditNotes: readonly { id: string }[]): Promise<Map<string, number>> {
  if (creditNotes.length === 0) return new Map()
  const rows = await eventDb(ctx)
    .selectFrom('order_lines')
    .select(['reverses_line_id as line', (eb) => eb.fn.sum<number>('total').as('total')])
    .where(
      'invoice_id',
      'in',
      creditNotes.map(({ id }) => id),
    )
    .groupBy('reverses_line_id')
    .execute()
  return new Map(rows.map(({ line, total }) => [line ?? '', -Number(total)]))
}
