import { recordChange } from '../../kernel/audit.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { NewOrderLine } from '../orders/lines.ts'
import type { HousingContext, HousingSnapshot } from './context.ts'
import { buildReservationDeposit, determineRoomGuarantee, listReservationBlocks } from './guarantee.ts'
import { type DepositCreditNote, refundDeposits } from './release.ts'
import { updateReservation } from './reservations.ts'
import type { ReservationRow } from './tables.ts'

const COVERED_BY_OWNER = {
  guarantee_kind: 'master',
  guarantee_status: 'notNeeded',
  guarantee_due_at: null,
  guarantee_reminded_at: null,
} as const

/** Charges a room with a pending guarantee to the master account of its block's owner, and credits its deposit in full. */
export async function transferGuaranteeToBlockOwner(
  ctx: HousingContext,
  snapshot: HousingSnapshot,
  room: ReservationRow,
): Promise<{ reservation: ReservationRow; creditNote: DepositCreditNote | null }> {
  const reservation = await updateReservation(ctx, room, COVERED_BY_OWNER)
  const creditNote = await refundDeposits(ctx, snapshot, room)
  recordGuaranteeChange(ctx, room, reservation)
  return { reservation, creditNote }
}

export interface ChangedGuarantee {
  reservation: ReservationRow
  /** The deposit that the guest owes because the block's owner no longer pays. */
  deposit: NewOrderLine | null
  creditNote: DepositCreditNote | null
}

/**
 * Determines the guarantee of a room again after its nights come from other blocks. A room in a block whose owner pays needs no guarantee by
 * the guest, and a room that left such a block needs one. Secured guarantees do not change.
 */
export async function updateGuaranteeOfOtherBlocks(
  ctx: HousingContext,
  snapshot: HousingSnapshot,
  room: ReservationRow,
): Promise<ChangedGuarantee> {
  const unchanged = { reservation: room, deposit: null, creditNote: null }
  if (room.guarantee_kind !== 'master' && room.guarantee_status !== 'pending') return unchanged
  const blocks = await listReservationBlocks(ctx, room.id)
  const ownerPays = blocks.some(({ payment_by }) => payment_by === 'master')
  if (ownerPays === (room.guarantee_kind === 'master')) return unchanged
  if (ownerPays) return { ...unchanged, ...(await transferGuaranteeToBlockOwner(ctx, snapshot, room)) }
  const guarantee = await determineRoomGuarantee(ctx, { snapshot, participantId: room.participant_id, checkIn: room.check_in, blocks })
  const reservation = await updateReservation(ctx, room, guarantee)
  recordGuaranteeChange(ctx, room, reservation)
  if (guarantee.guarantee_kind !== 'deposit') return { ...unchanged, reservation }
  const hotel = await eventDb(ctx).selectFrom('event_hotels').selectAll().where('id', '=', room.hotel_id).executeTakeFirstOrThrow()
  return { ...unchanged, reservation, deposit: await buildReservationDeposit(ctx, snapshot, reservation, hotel) }
}

const recordGuaranteeChange = (ctx: HousingContext, before: ReservationRow, after: ReservationRow) =>
  recordChange(ctx, {
    kind: 'reservation',
    id: before.id,
    before: { guarantee: before.guarantee_kind, guaranteeStatus: before.guarantee_status },
    after: { guarantee: after.guarantee_kind, guaranteeStatus: after.guarantee_status },
  })
