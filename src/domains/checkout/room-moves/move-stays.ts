import { toMoney } from '../../../kernel/money.ts'
import { transferGuaranteesToOwner } from '../../housing/block-guests.ts'
import { getBlockByIdOrCode } from '../../housing/block-shape.ts'
import { sendRoomStatusEmails } from '../../housing/emails.ts'
import { moveReservations } from '../../housing/moves/reservations.ts'
import type { MovedStay, StayMoves, UnmovedStay } from '../../housing/moves/stays.ts'
import { toRoomAnswers } from '../../housing/room-answers.ts'
import type { ReservationRow } from '../../housing/tables.ts'
import { getParticipants } from '../../registration/participant-rows.ts'
import { saveRoomAnswersOf } from '../../registration/sale/rooms.ts'
import { type EventScope, loadEventSnapshot } from '../../registration/event-snapshot.ts'
import { listRoomEmails } from '../room-waitlist.ts'

export type MoveResults = ReturnType<typeof toMoveResults>
export type MovedStayResult = MoveResults['moved'][number]

/** Moves reservations, updates the room answers of their participants, and emails the participants about their new room. */
export async function moveStays(ctx: EventScope, asked: StayMoves, notify: boolean): Promise<MoveResults> {
  const { moved, notMoved } = await moveReservations(ctx, asked)
  await saveRoomAnswersOf(ctx, new Map(moved.map(({ after }) => [after.participant_id, toRoomAnswers(after)])))
  if (notify) await emailGuests(ctx, moved)
  await coverGuarantees(ctx, asked, moved)
  return toMoveResults(ctx, { moved, notMoved })
}

async function emailGuests(ctx: EventScope, moved: readonly MovedStay[]): Promise<void> {
  const people = await getParticipants(ctx, [...new Set(moved.map(({ after }) => after.participant_id))])
  const rows = new Map(people.map((row) => [row.id, row]))
  const rooms = moved.map(({ after }) => ({ row: rows.get(after.participant_id)!, reservationId: after.id }))
  await sendRoomStatusEmails(ctx, await listRoomEmails(ctx, rooms))
}

/** Marks the rooms as paid by the block's owner, if the owner pays for the block's rooms. Their guests need no card or deposit. */
async function coverGuarantees(ctx: EventScope, { to }: StayMoves, moved: readonly MovedStay[]): Promise<void> {
  if (to.blockId === undefined || moved.length === 0) return
  const block = await getBlockByIdOrCode(ctx, to.blockId)
  if (block.payment_by === 'master') await transferGuaranteesToOwner(ctx, block.id, () => loadEventSnapshot(ctx))
}

export const toMoveResults = (
  { event }: EventScope,
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
