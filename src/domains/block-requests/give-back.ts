import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { changeAllocation } from '../housing/allocation.ts'
import { computeAmendedRooms } from './amendments.ts'
import { lockBlockNights } from './place.ts'
import type { GrantedRooms } from './plan-allocation.ts'
import {
  type BlockRoomNight,
  listBlockNights,
  lockBlockRequest,
  getRequestLabel,
  readBlockRequestSettings,
  sumRoomsByNight,
  sumRooms,
  updateRequest,
} from './requests.ts'

export interface UnbookedRoomNight extends GrantedRooms {
  /** Identifier of the hotel, room type and night, used as the name of the form field and in the paths of errors. */
  key: string
}

export interface ReturnedRoomNight {
  key: string
  rooms: number
  /**
   * The number of unbooked rooms that the page showed. If it has changed since, no rooms are returned, so that a repeated form has no
   * effect.
   */
  shown: number
}

/** Lists the rooms without a guest, by hotel, room type and night. Nights before today are left out, because no guest can book them. */
export const listUnbookedRoomNights = (nights: readonly BlockRoomNight[], today: string): UnbookedRoomNight[] =>
  nights
    .map(({ hotelId, roomTypeCode, night, rooms, booked, held }) => ({
      key: `${hotelId}.${roomTypeCode}.${night}`,
      hotelId,
      roomTypeCode,
      night,
      rooms: rooms - booked - held,
    }))
    .filter(({ night, rooms }) => rooms > 0 && night >= today)

/**
 * Gives rooms without a guest back for the requester of an accepted request: all of the given rooms or none. The request stays accepted with
 * the rooms that are left, and no longer asks for the others. Returns the number of room nights.
 */
export async function returnUnbookedRooms(ctx: ExhibitorContext, requestId: string, given: readonly ReturnedRoomNight[]): Promise<number> {
  const row = await lockBlockRequest(ctx, requestId)
  if (row.status !== 'accepted' || row.block_id === null)
    throw preconditionFailed(`Rooms can be given back after the rooms of ${getRequestLabel(row)} were accepted`)
  const wanted = given.filter(({ rooms }) => rooms > 0)
  if (wanted.length === 0) throw invalidArguments([{ path: 'rooms', message: 'at least 1 room' }])
  await lockBlockNights(ctx, row.block_id)
  const { today } = await readBlockRequestSettings(ctx)
  const unbooked = new Map(listUnbookedRoomNights(await listBlockNights(ctx, row), today).map((one) => [one.key, one]))
  const changed = wanted.filter(({ key, rooms, shown }) => shown !== unbooked.get(key)?.rooms || rooms > shown)
  if (changed.length > 0)
    throw preconditionFailed(`Only rooms without a guest can be given back. ${getRequestLabel(row)} has changed meanwhile`, {
      fields: changed.map(({ key }) => ({ path: key, message: `${unbooked.get(key)?.rooms ?? 0} rooms without a guest` })),
    })
  const changes = wanted.map(({ key, rooms }) => {
    const { hotelId, roomTypeCode, night } = unbooked.get(key)!
    return { hotelId, roomTypeCode, night, delta: -rooms }
  })
  await changeAllocation(ctx, row.block_id, changes)
  const roomNights = sumRooms(wanted)
  const left = [...sumRoomsByNight(await listBlockNights(ctx, row))].map(([night, rooms]) => ({ night, rooms }))
  const profile = computeAmendedRooms(row, changes)
  await updateRequest(ctx, row, {
    accepted: JSON.stringify(left),
    // A request keeps at least one night, so that its requester can ask for rooms again.
    ...(profile.length === 0 ? {} : { profile: JSON.stringify(profile) }),
  })
  recordChange(ctx, { kind: 'blockRequest', id: row.id, after: { roomNightsGivenBack: roomNights } })
  return roomNights
}
