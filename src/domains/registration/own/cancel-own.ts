import { preconditionFailed } from '../../../kernel/errors.ts'
import { sumMinorUnits } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { findOrder } from '../../orders/orders.ts'
import { computeMaxRemovalCredit } from '../../orders/credits.ts'
import { listOrderLinesWithCredits } from '../../orders/lines.ts'
import { scheduleStatusEmail } from '../due-emails.ts'
import { cancelRegistration } from '../edit/cancel.ts'
import { type CancellationEffects, listCancellationEffects } from '../edit/cancellation-effects.ts'
import { formatParticipantName } from '../participant-shape.ts'
import { getOrderOwner } from '../sale/payer.ts'
import { getParticipant, listGuests } from '../participant-rows.ts'
import { type RegistrationContext, loadEventSnapshot } from '../event-snapshot.ts'

/** The effects of a cancellation by the participant. Amounts are in minor units. */
export interface OwnCancellationEffects {
  /** Names of the participant and of the guests cancelled with them. */
  people: string[]
  effects: CancellationEffects
  /** Each cancelled order line with its price and the part of the price that is credited. */
  lines: { description: string; price: number; credit: number; isGroupPaid: boolean }[]
  /** The participant's own order after the cancellation; null if they have none. */
  order: OrderAfterCancellation | null
  /** The amount credited to the group that pays for the participant; null if no group pays. */
  groupCredit: number | null
}

/**
 * The figures of an order after a cancellation. The total equals the paid, the written-off and the owed amounts together, less the refund.
 */
export interface OrderAfterCancellation {
  /** The remaining total of the order: prices that are not credited, and fees. */
  total: number
  paid: number
  writtenOff: number
  /** The paid amount that the participant gets back. It stays as credit on the order until the organizer pays it out. */
  refund: number
  /** The amount of the order that is still owed. */
  balance: number
}

/** Cancels the participant's own registration. The credit always follows the event's cancellation policy. */
export async function cancelOwnRegistration(ctx: RegistrationContext, participantId: string): Promise<OwnCancellationEffects> {
  const row = await getParticipant(ctx, participantId)
  if (row.status === 'cancelled') throw preconditionFailed('This registration is already cancelled.')
  const snapshot = await loadEventSnapshot(ctx, row.is_test_data ? { test: { useDraft: true } } : {})
  const paysGroup = 'groupId' in (await getOrderOwner(ctx, row))
  const guests = await listGuests(ctx, row.id)
  const held = await listHeldLines(ctx, [row.id, ...guests.map(({ id }) => id)])
  const effects = await listCancellationEffects(ctx, snapshot, row, guests)
  const rule = { rule: { by: 'policy' as const }, reason: 'cancelled by the participant' }
  const { participants, creditNotes } = await cancelRegistration(ctx, snapshot, row, rule)
  await scheduleStatusEmail(ctx, { ...row, status: 'cancelled' })
  const order = await findOrder(ctx, { participantId: row.id })
  const credits = await creditsByLine(ctx, creditNotes)
  const groupCredit = sumMinorUnits(creditNotes.filter(({ orderId }) => orderId !== order?.id).map(({ total }) => total))
  return {
    people: participants.map(formatParticipantName),
    effects,
    lines: held.map(({ id, orderId, description, price }) => ({
      description,
      price,
      credit: credits.get(id) ?? 0,
      isGroupPaid: orderId !== order?.id,
    })),
    order: order && {
      total: order.total,
      paid: order.paid,
      writtenOff: order.total - order.paid - order.balance,
      refund: Math.max(0, -order.balance),
      balance: Math.max(0, order.balance),
    },
    groupCredit: paysGroup || groupCredit > 0 ? groupCredit : null,
  }
}

/** Lists the products and room deposits that the participants still hold, with the price of the units that were not credited before. */
async function listHeldLines(ctx: RegistrationContext, participantIds: readonly string[]) {
  const lines = await listOrderLinesWithCredits(ctx, { participantIds })
  return lines
    .filter(({ kind, remaining }) => kind !== 'fee' && remaining > 0)
    .map((line) => ({
      id: line.id,
      orderId: line.order_id,
      description: line.description,
      price: computeMaxRemovalCredit([{ line, units: line.remaining }]),
    }))
}

/** Reads the credit of each order line, in minor units. */
async function creditsByLine(ctx: RegistrationContext, creditNotes: readonly { id: string }[]): Promise<Map<string, number>> {
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
