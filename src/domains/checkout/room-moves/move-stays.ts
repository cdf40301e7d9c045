import { toMoney } from '../../../kernel/money.ts'
import { transferGuaranteesToBlockOwner } from '../../housing/block-guests.ts'
import { getBlockByIdOrCode } from '../../housing/block-shape.ts'
import { sendRoomStatusEmails } from '../../housing/emails.ts'
import { updateGuaranteeOfOtherBlocks } from '../../housing/guarantee-change.ts'
import { moveReservations } from '../../housing/moves/reservations.ts'
import type { MovedStay, ReservationMoveRequest, UnmovedStay } from '../../housing/moves/stays.ts'
import { toRoomAnswers } from '../../housing/room-answers.ts'
import type { ReservationRow } from '../../housing/tables.ts'
import { getParticipants } from '../../registration/participant-rows.ts'
import { saveRoomAnswersOfParticipants } from '../../registration/sale/rooms.ts'
import { type RegistrationContext, loadEventSnapshot } from '../../registration/event-snapshot.ts'
import { type RoomWithGuest, readReservationEmailData, recordRoomSales } from '../room-waitlist.ts'

export type ReservationMoveResults = ReturnType<typeof toReservationMoveResults>
export type MovedStayResult = ReservationMoveResults['moved'][number]

/** Moves reservations, updates the room answers of their participants, and emails the participants about their new room. */
export async function moveReservationsAndNotify(
  ctx: RegistrationContext,
  asked: ReservationMoveRequest,
  notify: boolean,
): Promise<ReservationMoveResults> {
  const { moved, notMoved } = await moveReservations(ctx, asked)
  await saveRoomAnswersOfParticipants(ctx, new Map(moved.map(({ after }) => [after.participant_id, toRoomAnswers(after)])))
  if (notify) await emailGuests(ctx, moved)
  await updateGuarantees(ctx, asked, moved)
  return toReservationMoveResults(ctx, { moved, notMoved })
}

async function emailGuests(ctx: RegistrationContext, moved: readonly MovedStay[]): Promise<void> {
  const people = await getParticipants(ctx, [...new Set(moved.map(({ after }) => after.participant_id))])
  const rows = new Map(people.map((row) => [row.id, row]))
  const rooms = moved.map(({ after }) => ({ row: rows.get(after.participant_id)!, reservationId: after.id }))
  await sendRoomStatusEmails(ctx, await readReservationEmailData(ctx, rooms))
}

/**
 * Marks the rooms as paid by the block's owner, if the owner pays for the block's rooms. Their guests need no card or deposit. Guests whose
 * rooms leave such a block have to guarantee them.
 */
async function updateGuarantees(ctx: RegistrationContext, { to }: ReservationMoveRequest, moved: readonly MovedStay[]): Promise<void> {
  if (moved.length === 0) return
  const block = to.blockId === undefined ? null : await getBlockByIdOrCode(ctx, to.blockId)
  if (block?.payment_by === 'master') await transferGuaranteesToBlockOwner(ctx, block.id, () => loadEventSnapshot(ctx))
  else await requireGuarantees(ctx, moved)
}

async function requireGuarantees(ctx: RegistrationContext, moved: readonly MovedStay[]): Promise<void> {
  const uncovered = moved.flatMap(({ after }) => (after.guarantee_kind === 'master' ? after : []))
  if (uncovered.length === 0) return
  const snapshot = await loadEventSnapshot(ctx)
  const people = await getParticipants(ctx, [...new Set(uncovered.map(({ participant_id }) => participant_id))])
  const rows = new Map(people.map((row) => [row.id, row]))
  const rooms: RoomWithGuest[] = []
  for (const room of uncovered)
    rooms.push({ row: rows.get(room.participant_id)!, ...(await updateGuaranteeOfOtherBlocks(ctx, snapshot, room)) })
  await recordRoomSales(
    ctx,
    snapshot,
    rooms.filter(({ deposit }) => deposit !== null),
  )
}

export const toReservationMoveResults = (
  { event }: RegistrationContext,
  { moved, notMoved }: { moved: readonly MovedStay[]; notMoved: readonly UnmovedStay[] },
) => ({
  moved: moved.map(({ before, after, cardWithheld }) => ({
    reservationId: after.id,
    ackNumber: after.ack_number,
    before: toPlace(before, event.currency),
    after: toPlace(after, event.currency),
    stayDifference: toMoney(after.stay_total - before.stay_total, event.currency),
    cardWithheld,
  })),
  notMoved: [...notMoved],
  cardsWithheld: moved.filter(({ cardWithheld }) => cardWithheld).length,
})

const toPlace = ({ hotel_id, room_type_code, stay_total }: ReservationRow, currency: string) => ({
  hotelId: hotel_id,
  roomTypeCode: room_type_code,
  total: toMoney(stay_total, currency),
})
