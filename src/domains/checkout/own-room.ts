import { canonicalJson } from '../../kernel/canonical.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { type Money, toMoney } from '../../kernel/money.ts'
import { type ChosenRoom, chosenRoom } from '../housing/chosen-room.ts'
import { cancelRooms } from '../housing/release.ts'
import { hotelWaitsOf } from '../housing/waitlist.ts'
import { getParticipant } from '../registration/people.ts'
import { answersOfStay, changeRoom, keepRoomAnswers } from '../registration/rooms.ts'
import type { AtEvent } from '../registration/scene.ts'
import type { Progress } from './progress.ts'
import { roomAnswers, roomFaults, withoutOpenRoom } from './room.ts'

/** A stay as somebody is told of it before they agree. */
export interface StayTold {
  hotel: string
  roomType: string
  checkIn: string
  checkOut: string
  occupants: number
  /** Paid at the hotel. */
  total: Money
}

export interface RoomChange {
  before: StayTold | null
  after: StayTold | null
  /** Where what they want is full and they wait for it. */
  waitsFor: { hotel: string | null; rank: number } | null
  /** Whether it is another stay, and not only other wishes for it. */
  isOther: boolean
}

const NOTHING = { '@housing.hotelId': null, '@housing.shareWith': null }

const said = (answers: Progress['answers']) =>
  Object.fromEntries(Object.entries(withoutOpenRoom(answers)).filter(([, value]) => value !== null && value !== undefined))

/** Makes somebody's room what they chose on the page. Null where that is what they have. */
export async function changeOwnRoom(ctx: AtEvent, before: Progress, after: Progress): Promise<RoomChange | null> {
  const [had, wants] = [said(roomAnswers(before)), said(roomAnswers(after))]
  if (canonicalJson(had) === canonicalJson(wants)) return null
  const { scene, flow } = after
  const row = await getParticipant(ctx, after.row.id)
  const rooming = { scene, flow, answers: { ...after.answers, ...NOTHING, ...wants }, tags: after.walk.tags, source: 'web' as const }
  try {
    if (had['@housing.hotelId'] !== undefined && wants['@housing.hotelId'] === undefined)
      await cancelRooms(ctx, scene, row.id, 'room given up')
    if (Object.keys(wants).length > 0) await changeRoom(ctx, row, rooming)
  } catch (error) {
    throw error instanceof AppError && error.code !== 'internal' ? invalidArguments(roomFaults(error)) : error
  }
  const now = await chosenRoom(ctx, scene, row.id, wants)
  const [wait] = wants['@housing.waitlist'] === true ? await hotelWaitsOf(ctx, [row.id]) : []
  await keepRoomAnswers(ctx, row.id, now?.reservation ? answersOfStay(now.reservation) : wants)
  const told = { before: before.room && toldOf(before.room, scene.currency), after: now && toldOf(now, scene.currency) }
  return {
    ...told,
    waitsFor: wait ? { hotel: wait.hotel, rank: wait.rank } : null,
    isOther: wait !== undefined || canonicalJson(told.before) !== canonicalJson(told.after),
  }
}

const toldOf = ({ hotel, type, reservation }: ChosenRoom, currency: string): StayTold | null =>
  reservation && {
    hotel: hotel.name,
    roomType: type.name,
    checkIn: reservation.check_in,
    checkOut: reservation.check_out,
    occupants: reservation.occupants,
    total: toMoney(reservation.stay_total, currency),
  }
