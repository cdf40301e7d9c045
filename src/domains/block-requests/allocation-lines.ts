import { count, object, text } from '../../kernel/args.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import type { ExhibitorQueryContext } from '../exhibitors/context.ts'
import { findHotels, getRoomType, hotelReferenceSchema } from '../housing/find-hotel.ts'
import { type NightSelectionInput, nightSelectionArguments, parseSelectedNights } from '../housing/nights-argument.ts'
import type { GrantedRooms } from './plan-allocation.ts'

export const MAX_ALLOCATION_LINES = 500
const MAX_ROOMS = 500

/** Schema of one allocation line: a number of rooms of one room type at a hotel, on some nights. */
export const allocationLineSchema = (minRooms: 0 | 1) =>
  object({
    hotelId: hotelReferenceSchema(),
    roomTypeCode: text(63),
    ...nightSelectionArguments,
    rooms: count(minRooms, MAX_ROOMS),
  })

export interface AllocationLineInput extends NightSelectionInput {
  hotelId: string
  roomTypeCode: string
  rooms: number
}

/** Expands allocation lines to one entry per night. Throws if two lines contain the same night of a hotel and room type. */
export async function expandAllocationLines(
  ctx: ExhibitorQueryContext,
  lines: readonly AllocationLineInput[],
  path: string,
): Promise<GrantedRooms[]> {
  if (lines.length === 0) throw invalidArguments([{ path, message: 'at least 1 entry' }])
  const hotels = await findHotels(
    ctx,
    lines.map(({ hotelId }) => hotelId),
  )
  const seen = new Set<string>()
  return lines.flatMap((line, index) => {
    const hotel = hotels.get(line.hotelId)!
    const { code } = getRoomType(hotel, line.roomTypeCode)
    return parseSelectedNights(line, `${path}.${index}`).map((night) => {
      const key = `${hotel.hotel.id}/${code}/${night}`
      if (seen.has(key))
        throw invalidArguments([{ path: `${path}.${index}.nights`, message: `${hotel.hotel.name}, ${code}, ${night} is named twice` }])
      seen.add(key)
      return { hotelId: hotel.hotel.id, roomTypeCode: code, night, rooms: line.rooms }
    })
  })
}
