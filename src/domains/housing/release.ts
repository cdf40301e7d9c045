import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { creditsOf, type Removal } from '../orders/credits.ts'
import { credit } from '../orders/invoices.ts'
import { linesOf } from '../orders/lines.ts'
import { lockOrder } from '../orders/orders.ts'
import { getReservation, reservationsOf, updateReservation } from './reservations.ts'
import { type AtEvent, type HousingScene, todayOf } from './scene.ts'
import { reopenShares, withdrawShares } from './shares.ts'
import { depositRefundPercent, nightsOf } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { freeNights } from './take.ts'
import { leaveHotelWaitlist } from './waitlist.ts'

/**
 * Gives back what people who go have taken: rooms, holds, places in line, beds in others' rooms. Returns what their deposits give back by the
 * rules of today; the caller credits it with the rest of what they bought.
 */
export async function releaseStays(
  ctx: AtEvent,
  scene: HousingScene,
  participantIds: readonly string[],
  reason: string,
): Promise<Removal[]> {
  const rooms = await reservationsOf(ctx, participantIds, ['held', 'confirmed'])
  for (const room of rooms) await giveUp(ctx, scene, room, reason)
  await leaveHotelWaitlist(ctx, participantIds, 'cancelled')
  await withdrawShares(ctx, participantIds)
  return depositsOf(ctx, scene, rooms)
}

async function giveUp(ctx: AtEvent, { at }: HousingScene, room: ReservationRow, reason: string): Promise<void> {
  await freeNights(ctx, room.id, nightsOf(room.check_in, room.check_out))
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
    ...SETTLED,
  })
  await reopenShares(ctx, room.id)
  recordChange(ctx, { kind: 'reservation', id: room.id, before: { status: room.status }, after: { status: 'cancelled', reason } })
}

/** Nobody has to secure what is given up. */
const SETTLED = { guarantee_status: 'notNeeded', guarantee_due_at: null } as const

async function depositsOf(ctx: AtEvent, scene: HousingScene, rooms: readonly ReservationRow[]): Promise<Removal[]> {
  if (rooms.length === 0) return []
  const lines = await linesOf(ctx, { participantIds: [...new Set(rooms.map(({ participant_id }) => participant_id))] })
  return lines.flatMap((line) => {
    const room = rooms.find(({ id }) => id === line.reservation_id)
    if (line.kind !== 'deposit' || !room || line.remaining === 0) return []
    return [{ line, units: line.remaining, percent: depositRefundPercent(scene.config.housing, room.check_in, todayOf(scene)) }]
  })
}

/** Somebody gives up a room and comes all the same. */
export async function cancelStay(ctx: AtEvent, scene: HousingScene, reservationId: string, reason: string): Promise<DepositCredit | null> {
  const room = await getReservation(ctx, reservationId)
  if (room.status !== 'confirmed')
    throw preconditionFailed(`The reservation ${room.ack_number ?? room.id} is ${room.status}: only a confirmed one can be cancelled`)
  await giveUp(ctx, scene, room, reason)
  return creditDeposits(ctx, scene, await depositsOf(ctx, scene, [room]))
}

/** Another room takes the place of this one: it is given up, and its deposit comes back whole. */
export async function replaceStay(ctx: AtEvent, scene: HousingScene, reservationId: string): Promise<void> {
  const room = await getReservation(ctx, reservationId)
  if (room.status !== 'confirmed') return
  await giveUp(ctx, scene, room, 'replaced from the waitlist')
  const deposits = await depositsOf(ctx, scene, [room])
  await creditDeposits(
    ctx,
    scene,
    deposits.map((deposit) => ({ ...deposit, percent: 100 })),
  )
}

/** Somebody who has registered wants no room any more: all that they have, hold, wait for or share. */
export const cancelRooms = async (
  ctx: AtEvent,
  scene: HousingScene,
  participantId: string,
  reason: string,
): Promise<DepositCredit | null> => creditDeposits(ctx, scene, await releaseStays(ctx, scene, [participantId], reason))

export interface DepositCredit {
  number: string
  total: number
}

async function creditDeposits(ctx: AtEvent, scene: HousingScene, deposits: readonly Removal[]): Promise<DepositCredit | null> {
  const [first] = deposits
  if (!first) return null
  const order = await lockOrder(ctx, first.line.order_id)
  return credit(ctx, order, creditsOf(deposits, { by: 'policy' }, { products: [] }, scene.at), scene)
}

/** Somebody leaves whose rooms another takes over: what they hold, wait for or share is not passed on. */
export async function keepOnlyRooms(ctx: AtEvent, scene: HousingScene, participantId: string): Promise<void> {
  for (const room of await reservationsOf(ctx, [participantId], ['held'])) await giveUp(ctx, scene, room, 'substituted')
  await leaveHotelWaitlist(ctx, [participantId], 'substituted')
  await withdrawShares(ctx, [participantId])
}

/** Another person comes instead, and sleeps in the same room: nothing is given back in between. Returns how many rooms there were. */
export async function moveStays(ctx: AtEvent, fromId: string, to: { id: string; name: string }): Promise<number> {
  const { db, tenantId, event } = ctx
  const guest = JSON.stringify([{ participantId: to.id, name: to.name }])
  const { rows } = await sql<{ id: string; isTestData: boolean }>`
    update reservations s set participant_id = ${to.id}, guests = ${guest}::jsonb || coalesce((
      select jsonb_agg(g) from jsonb_array_elements(s.guests) g where g ->> 'participantId' <> ${fromId}), '[]')
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.participant_id = ${fromId} and s.status in ('confirmed', 'noShow')
    returning s.id, s.is_test_data as "isTestData"`.execute(db)
  for (const row of rows) announce(ctx, { kind: 'reservation.changed', entity: 'reservation', ...row, changed: ['participantId'] })
  await sql`
    update reservation_nights set participant_id = ${to.id}
    where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${fromId}
      and reservation_id = any(${rows.map(({ id }) => id)})`.execute(db)
  return rows.length
}
