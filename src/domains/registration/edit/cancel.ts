import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { SerializationConflict } from '../../../kernel/errors.ts'
import { releaseRoomsOfParticipants } from '../../housing/release.ts'
import { cancelParticipantAppointments } from '../../exhibitors/cancel-appointment.ts'
import { returnSoldUnits, releaseHolds } from '../../inventory/units.ts'
import { assertCreditAmountPossible, type RemovalCreditRule, calculateLineCredits, type OrderLineRemoval } from '../../orders/credits.ts'
import { creditOrderLines } from '../../orders/invoices.ts'
import type { OrderLineWithCredits } from '../../orders/lines.ts'
import { findOrder, lockOrders, type OrderRow, updateOrder } from '../../orders/orders.ts'
import { toSessionChoiceAnswers } from '../../sessions/context.ts'
import { cancelAllSessionEnrolments } from '../../sessions/enrol.ts'
import { endCheckoutsOfParticipant } from '../../payments/checkout.ts'
import { listSoldOrderLines, listTakenCapacity, sumQuantitiesByProduct } from '../sale/holdings.ts'
import { removeFromCompanyStaff } from '../company-staff.ts'
import { lockGroupOfParticipant } from '../participant-group.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getParticipant, listGuests, updateParticipant } from '../participant-rows.ts'
import type { RegistrationContext, EventSnapshot } from '../event-snapshot.ts'
import { recalculateTags } from '../tags.ts'
import { leaveWaitlists } from '../waitlist/waitlist.ts'

export interface CancellationOptions {
  rule: RemovalCreditRule
  reason?: string | null
  keepGuests?: boolean
}

export interface CancellationResult {
  /** The cancelled participant, and the guests who were cancelled with them. */
  participants: ParticipantRow[]
  creditNotes: { orderId: string; id: string; number: string; total: number }[]
}

/**
 * Cancels a registration: frees its capacity, credits its order lines, and leaves the refund as credit on the order. No money is paid
 * out. Guests are cancelled with their host unless `keepGuests` is set.
 */
export async function cancelRegistration(
  ctx: RegistrationContext,
  snapshot: EventSnapshot,
  row: ParticipantRow,
  { rule, reason = null, keepGuests = false }: CancellationOptions,
): Promise<CancellationResult> {
  // Checkouts are ended first, so that cancelled products cannot be paid for. Payments, too, lock checkouts before capacity.
  await endCheckoutsOfParticipant(ctx, row.id)
  await lockGroupOfParticipant(ctx, row)
  await lockCancellation(ctx, row)
  const leaving = [row, ...(keepGuests ? [] : await listGuests(ctx, row.id))]
  const ids = leaving.map(({ id }) => id)
  const lines = await listSoldOrderLines(ctx, ids)
  const own = await findOrder(ctx, { participantId: row.id })
  await freeCapacity(ctx, snapshot, leaving, lines)
  const sessions = await cancelAllSessionEnrolments(ctx, leaving)
  const deposits = await releaseRoomsOfParticipants(ctx, snapshot, ids, reason ?? 'registration cancelled')
  const removals = [...lines.filter(({ remaining }) => remaining > 0).map((line) => ({ line, units: line.remaining })), ...deposits]
  const orderIds = [...lines.map(({ order_id }) => order_id), ...deposits.map(({ line }) => line.order_id), ...(own ? [own.id] : [])]
  const orders = await lockOrders(ctx, [...new Set(orderIds)])
  const creditNotes = await creditAll(ctx, snapshot, orders, removals, rule, reason)
  if (own?.discount_code) {
    // Later purchases must not get the discount of the cancelled registration.
    await updateOrder(ctx, own.id, { discount_code: null })
  }
  const participants: ParticipantRow[] = []
  for (const one of leaving) {
    const held = { ...productsHeld(one, lines), ...toSessionChoiceAnswers(sessions.get(one.id)!) }
    participants.push(await markCancelled(ctx, snapshot, one, held, one.id === row.id ? reason : (reason ?? 'host cancelled')))
  }
  await recalculateTags(ctx, snapshot.config, ids)
  return { participants, creditNotes }
}

/**
 * Serializes cancellations of one registration. The second of two concurrent cancellations is retried and finds the registration cancelled;
 * otherwise both would free the same capacity.
 */
async function lockCancellation(ctx: RegistrationContext, { id, revision }: ParticipantRow): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`cancellation of ${id}`}::text, 0))`.execute(ctx.db)
  const current = await getParticipant(ctx, id)
  if (current.revision !== revision) throw new SerializationConflict('the registration was changed by a concurrent transaction')
}

async function freeCapacity(
  ctx: RegistrationContext,
  { config }: EventSnapshot,
  leaving: readonly ParticipantRow[],
  lines: readonly OrderLineWithCredits[],
) {
  const flows = new Map(config.flows.map((flow) => [flow.slug, flow]))
  for (const { id } of leaving) {
    await leaveWaitlists(ctx, id)
    await releaseHolds(ctx, { participantId: id })
  }
  const places = leaving.flatMap((one) => {
    if (one.status !== 'complete') return []
    const ownLines = lines.filter(({ participant_id }) => participant_id === one.id)
    return listTakenCapacity(one, flows.get(one.flow_slug ?? ''), ownLines)
  })
  await returnSoldUnits(ctx, places)
}

/**
 * Credits each order separately, because a group member's products may be on the group's order. A given credit amount is the total over all
 * orders.
 */
async function creditAll(
  ctx: RegistrationContext,
  snapshot: EventSnapshot,
  orders: readonly OrderRow[],
  removals: readonly OrderLineRemoval[],
  rule: RemovalCreditRule,
  reason: string | null,
) {
  assertCreditAmountPossible(ctx, removals, rule)
  const credits = calculateLineCredits(removals, rule, snapshot.config, snapshot.at)
  const notes: CancellationResult['creditNotes'] = []
  for (const order of orders) {
    const note = await creditOrderLines(
      ctx,
      order,
      credits.filter(({ line }) => line.order_id === order.id),
      snapshot,
      reason,
    )
    if (note) notes.push({ orderId: order.id, ...note })
  }
  return notes
}

const productsHeld = ({ id }: ParticipantRow, lines: readonly OrderLineWithCredits[]) =>
  Object.fromEntries(
    [...sumQuantitiesByProduct(lines.filter(({ participant_id }) => participant_id === id))].map(([code, quantity]) => [
      `@product.${code}`,
      quantity,
    ]),
  )

/**
 * Marks the registration as cancelled and stores its products and sessions with the answers, so that reinstating it can restore them as far
 * as capacity allows.
 */
async function markCancelled(
  ctx: RegistrationContext,
  { at }: EventSnapshot,
  row: ParticipantRow,
  held: Record<string, unknown>,
  reason: string | null,
): Promise<ParticipantRow> {
  const updated = await updateParticipant(ctx, row, {
    status: 'cancelled',
    cancelled_at: at,
    cancel_reason: reason,
    group_id: null,
    group_leader: false,
    discount_code: null,
    answers: JSON.stringify({ ...row.answers, ...held }),
  })
  await cancelParticipantAppointments(ctx, row.id, reason)
  await removeFromCompanyStaff(ctx, row.id)
  recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    before: { status: row.status },
    after: { status: updated.status, ...(reason === null ? {} : { reason }) },
  })
  return updated
}
