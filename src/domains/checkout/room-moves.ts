import { invalidArguments } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { coverPendingGuarantees } from '../housing/block-guests.ts'
import { getBlock } from '../housing/block-shape.ts'
import { sendRoomStatusEmail } from '../housing/emails.ts'
import { type MovedStay, moveReservations, type StayMoves } from '../housing/moves/reservations.ts'
import { toRoomAnswers } from '../housing/room-answers.ts'
import type { ReservationRow } from '../housing/tables.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import { saveRoomAnswers } from '../registration/sale/rooms.ts'
import { type EventScope, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { emailAboutRoom } from './room-waitlist.ts'

/** Moves reservations, brings the answers of their participants in line, and emails the participants about their new room. */
export async function moveHotelReservations(ctx: EventScope, { notify, ...asked }: StayMoves & { notify: boolean }) {
  if ((asked.from === undefined) === (asked.reservationIds === undefined))
    throw invalidArguments([{ path: 'from', message: 'give either from or reservationIds' }])
  const { moved, notMoved } = await moveReservations(ctx, asked)
  for (const { after } of moved) {
    await saveRoomAnswers(ctx, after.participant_id, toRoomAnswers(after))
    if (notify)
      await emailAboutRoom(ctx, await getParticipant(ctx, after.participant_id), after.id, (about) => sendRoomStatusEmail(ctx, about))
  }
  await coverGuarantees(ctx, asked, moved)
  return {
    moved: moved.map((one) => toResult(ctx, one)),
    notMoved,
    cardsWithheld: moved.filter(({ cardWithheld }) => cardWithheld).length,
  }
}

/** Guests who came into a block that its owner pays for need no guarantee of their own. */
async function coverGuarantees(ctx: EventScope, { to }: StayMoves, moved: readonly MovedStay[]): Promise<void> {
  if (to.blockId === undefined || moved.length === 0) return
  const block = await getBlock(ctx, to.blockId)
  if (block.payment_by === 'master') await coverPendingGuarantees(ctx, block.id, () => loadEventSnapshot(ctx))
}

const toResult = ({ event }: EventScope, { before, after, cardWithheld }: MovedStay) => ({
  reservationId: after.id,
  ackNumber: after.ack_number,
  before: toPlace(before, event.currency),
  after: toPlace(after, event.currency),
  stayDifference: toMoney(after.stay_total - before.stay_total, event.currency),
  cardWithheld,
})

const toPlace = ({ hotel_id, room_type_code, stay_total }: ReservationRow, currency: string) => ({
  hotelId: hotel_id,
  roomTypeCode: room_type_code,
  total: toMoney(stay_total, currency),
})
