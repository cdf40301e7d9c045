import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { calculateLineCredits, type OrderLineRemoval } from '../orders/credits.ts'
import { creditOrderLines } from '../orders/invoices.ts'
import { listOrderLinesWithCredits } from '../orders/lines.ts'
import { lockOrder } from '../orders/orders.ts'
import { getReservation, listReservations, updateReservation } from './reservations.ts'
import { type HousingContext, type HousingSnapshot, getTodayAtEvent } from './context.ts'
import { reopenRoomShareRequests, withdrawRoomShareRequests } from './shares.ts'
import { getDepositRefundPercent, listStayNights } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { releaseRoomNights } from './take-nights.ts'
import { leaveHotelWaitlist } from './waitlist.ts'

/**
 * Releases all rooms, holds, waiting list entries and shared beds of cancelled participants. Returns the deposit refunds under the current
 * rules; the caller credits them together with the other products.
 */
export async function releaseRoomsOfParticipants(
  ctx: HousingContext,
  snapshot: HousingSnapshot,
  participantIds: readonly string[],
  reason: string,
): Promise<OrderLineRemoval[]> {
  const rooms = await listReservations(ctx, participantIds, ['held', 'confirmed'])
  for (const room of rooms) await cancelReservation(ctx, snapshot, room, reason)
  await leaveHotelWaitlist(ctx, participantIds, 'cancelled')
  await withdrawRoomShareRequests(ctx, participantIds)
  return listDepositRefunds(ctx, snapshot, rooms)
}

async function cancelReservation(ctx: HousingContext, { at }: HousingSnapshot, room: ReservationRow, reason: string): Promise<void> {
  await releaseRoomNights(ctx, room.id, listStayNights(room.check_in, room.check_out))
  if (room.status === 'held') {
    await updateReservation(ctx, room, { status: 'expired', held_until: null })
    return
  }
  const guests = room.guests.filter(({ participantId }) => participantId === room.participant_id)
  await updateReservation(ctx, room, {
    status: 'cancelled',
    cancelled_at: at,
    cancel_reason: reason,
    guests: JSON.stringify(guests),
    ...NO_GUARANTEE_NEEDED,
  })
  await reopenRoomShareRequests(ctx, room.id)
  recordChange(ctx, {
    kind: 'reservation',
    id: room.id,
    before: { status: room.status },
    after: { status: 'cancelled', reason },
  })
}

/** Column values of a cancelled room, which needs no guarantee. */
const NO_GUARANTEE_NEEDED = { guarantee_status: 'notNeeded', guarantee_due_at: null } as const

async function listDepositRefunds(
  ctx: HousingContext,
  snapshot: HousingSnapshot,
  rooms: readonly ReservationRow[],
): Promise<OrderLineRemoval[]> {
  if (rooms.length === 0) return []
  const lines = await listOrderLinesWithCredits(ctx, { participantIds: [...new Set(rooms.map(({ participant_id }) => participant_id))] })
  return lines.flatMap((line) => {
    const room = rooms.find(({ id }) => id === line.reservation_id)
    if (line.kind !== 'deposit' || !room || line.remaining === 0) return []
    return [
      { line, units: line.remaining, percent: getDepositRefundPercent(snapshot.config.housing, room.check_in, getTodayAtEvent(snapshot)) },
    ]
  })
}

/** Cancels one room of a participant whose registration stays valid. */
export async function cancelStay(
  ctx: HousingContext,
  snapshot: HousingSnapshot,
  reservationId: string,
  reason: string,
): Promise<DepositCreditNote | null> {
  const room = await getReservation(ctx, reservationId)
  if (room.status !== 'confirmed')
    throw preconditionFailed(
      `The reservation ${room.ack_number ?? room.id} is ${room.status}; only a confirmed reservation can be cancelled`,
    )
  await cancelReservation(ctx, snapshot, room, reason)
  return creditDeposits(ctx, snapshot, await listDepositRefunds(ctx, snapshot, [room]))
}

/** Cancels a room that another one replaces, and refunds its deposit in full. */
export async function cancelReplacedStay(ctx: HousingContext, snapshot: HousingSnapshot, reservationId: string): Promise<void> {
  const room = await getReservation(ctx, reservationId)
  if (room.status !== 'confirmed') return
  await cancelReservation(ctx, snapshot, room, 'replaced from the waitlist')
  await refundDeposits(ctx, snapshot, room)
}

/** Refunds the deposit of a room in full. */
export async function refundDeposits(
  ctx: HousingContext,
  snapshot: HousingSnapshot,
  room: ReservationRow,
): Promise<DepositCreditNote | null> {
  const deposits = await listDepositRefunds(ctx, snapshot, [room])
  return creditDeposits(
    ctx,
    snapshot,
    deposits.map((deposit) => ({ ...deposit, percent: 100 })),
  )
}

/** Cancels all rooms, holds, waiting list entries and shared beds of a registered participant. */
export const cancelAllRooms = async (
  ctx: HousingContext,
  snapshot: HousingSnapshot,
  participantId: string,
  reason: string,
): Promise<DepositCreditNote | null> =>
  creditDeposits(ctx, snapshot, await releaseRoomsOfParticipants(ctx, snapshot, [participantId], reason))

export interface DepositCreditNote {
  number: string
  total: number
}

async function creditDeposits(
  ctx: HousingContext,
  snapshot: HousingSnapshot,
  deposits: readonly OrderLineRemoval[],
): Promise<DepositCreditNote | null> {
  const [first] = deposits
  if (!first) return null
  const order = await lockOrder(ctx, first.line.order_id)
  return creditOrderLines(ctx, order, calculateLineCredits(deposits, { by: 'policy' }, { products: [] }, snapshot.at), snapshot)
}

/** Releases the held rooms, waiting list entries and shared beds of a replaced participant. Confirmed rooms go to the substitute. */
export async function releaseUnconfirmedRooms(ctx: HousingContext, snapshot: HousingSnapshot, participantId: string): Promise<void> {
  for (const room of await listReservations(ctx, [participantId], ['held'])) await cancelReservation(ctx, snapshot, room, 'substituted')
  await leaveHotelWaitlist(ctx, [participantId], 'substituted')
  await withdrawRoomShareRequests(ctx, [participantId])
}

/** Transfers confirmed rooms to a substitute participant and returns their number. The nights stay booked all the time. */
export async function transferRoomsToSubstitute(ctx: HousingContext, fromId: string, to: { id: string; name: string }): Promise<number> {
  const { db, tenantId, event } = ctx
  const guest = JSON.stringify([{ participantId: to.id, name: to.name }])
  const { rows } = await sql<{ id: string; isTestData: boolean }>`
    update reservations s set participant_id = ${to.id}, guests = ${guest}::jsonb || coalesce((
      select jsonb_agg(g) from jsonb_array_elements(s.guests) g where g ->> 'participantId' <> ${fromId}), '[]')
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.participant_id = ${fromId} and s.status in ('confirmed', 'noShow')
    returning s.id, s.is_test_data as "isTestData"`.execute(db)
  for (const row of rows)
    announceToWebhooks(ctx, { kind: 'reservation.changed', entity: 'reservation', ...row, changed: ['participantId'] })
  await sql`
    update reservation_nights set participant_id = ${to.id}
    where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${fromId}
      and reservation_id = any(${rows.map(({ id }) => id)})`.execute(db)
  return rows.length
}
