import { toCanonicalJson } from '../../kernel/canonical.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { type Money, toMoney } from '../../kernel/money.ts'
import { type ChosenRoom, findChosenRoom } from '../housing/chosen-room.ts'
import { cancelAllRooms } from '../housing/release.ts'
import { listHotelWaitlistSpots } from '../housing/waitlist.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import { toRoomAnswers } from '../housing/room-answers.ts'
import { changeParticipantRoom, saveRoomAnswers } from '../registration/sale/rooms.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { saveAlternativeHotels } from './other-hotels.ts'
import type { RegistrationProgress } from './progress.ts'
import { pickVisibleRoomAnswers, toRoomFieldErrors, removeUnfinishedRoomAnswers } from './room.ts'

/** A hotel stay as shown to the participant for confirmation. */
export interface StaySummary {
  hotel: string
  roomType: string
  checkIn: string
  checkOut: string
  occupants: number
  /** The price of the stay, payable at the hotel. */
  total: Money
}

export interface OwnRoomChange {
  before: StaySummary | null
  after: StaySummary | null
  /** The hotel and rank on the waiting list, if the selected room is not available and the participant joined the waiting list. */
  waitsFor: { hotel: string | null; rank: number } | null
  /** Whether the hotel, room type or dates change. If not, only the requests to the hotel change. */
  isOther: boolean
}

const NO_ROOM = { '@housing.hotelId': null, '@housing.shareWith': null }

const listGivenAnswers = (answers: RegistrationProgress['answers']) =>
  Object.fromEntries(Object.entries(removeUnfinishedRoomAnswers(answers)).filter(([, value]) => value !== null && value !== undefined))

/**
 * Changes the participant's room to the selection on the page. If the room is sold out, the participant waits for it and for the other
 * hotels. Returns null if nothing changes.
 */
export async function changeOwnRoom(
  ctx: RegistrationContext,
  before: RegistrationProgress,
  after: RegistrationProgress,
  otherHotels: readonly string[],
): Promise<OwnRoomChange | null> {
  const [had, wants] = [listGivenAnswers(pickVisibleRoomAnswers(before)), listGivenAnswers(pickVisibleRoomAnswers(after))]
  if (toCanonicalJson(had) === toCanonicalJson(wants)) return null
  const { snapshot, flow } = after
  const row = await getParticipant(ctx, after.row.id)
  const rooming = { snapshot, flow, answers: { ...after.answers, ...NO_ROOM, ...wants }, tags: after.walk.tags, source: 'web' as const }
  try {
    if (had['@housing.hotelId'] !== undefined && wants['@housing.hotelId'] === undefined)
      await cancelAllRooms(ctx, snapshot, row.id, 'room given up')
    if (Object.keys(wants).length > 0) await changeParticipantRoom(ctx, row, rooming)
  } catch (error) {
    throw error instanceof AppError && error.code !== 'internal' ? invalidArguments(toRoomFieldErrors(error)) : error
  }
  const now = await findChosenRoom(ctx, snapshot, row.id, wants)
  const [wait] = wants['@housing.waitlist'] === true ? await listHotelWaitlistSpots(ctx, [row.id]) : []
  await saveAlternativeHotels(ctx, { participantId: row.id, snapshot, flow, answers: wants, hotelIds: otherHotels })
  await saveRoomAnswers(ctx, row.id, now?.reservation ? toRoomAnswers(now.reservation) : wants)
  const stays = {
    before: before.room && toStaySummary(before.room, snapshot.currency),
    after: now && toStaySummary(now, snapshot.currency),
  }
  return {
    ...stays,
    waitsFor: wait ? { hotel: wait.hotel, rank: wait.rank } : null,
    isOther: wait !== undefined || toCanonicalJson(stays.before) !== toCanonicalJson(stays.after),
  }
}

const toStaySummary = ({ hotel, type, reservation }: ChosenRoom, currency: string): StaySummary | null =>
  reservation && {
    hotel: hotel.name,
    roomType: type.name,
    checkIn: reservation.check_in,
    checkOut: reservation.check_out,
    occupants: reservation.occupants,
    total: toMoney(reservation.stay_total, currency),
  }
