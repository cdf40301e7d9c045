import { count, list, object, text } from '../../kernel/args.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import type { AllocationChange } from './allocation.ts'
import type { EventQueryScope } from './context.ts'
import { findHotels, getRoomType, hotelArgument } from './find-hotel.ts'
import { type GivenNights, nightsArguments, readNights } from './nights-argument.ts'

const MAX_LINES = 500

/** The part of a call that names rooms: of one hotel and type on some nights. */
export const roomLineArguments = { hotelId: hotelArgument(), roomTypeCode: text(63), ...nightsArguments }

export const roomLines = (least: 0 | 1) => list(object({ ...roomLineArguments, rooms: count(least, 500) }), MAX_LINES)

export interface RoomLine extends GivenNights {
  hotelId: string
  roomTypeCode: string
  rooms: number
  rate?: number | undefined
}

/** Resolves room lines to one change per room night. A room night that two lines name is refused. */
export async function readRoomLines(ctx: EventQueryScope, lines: readonly RoomLine[], path: string): Promise<AllocationChange[]> {
  const hotels = await findHotels(
    ctx,
    lines.map(({ hotelId }) => hotelId),
  )
  const named = new Set<string>()
  return lines.flatMap(({ hotelId, roomTypeCode, rooms, rate, ...given }, index) => {
    const at = `${path}[${index}]`
    const { hotel } = hotels.get(hotelId)!
    const type = getRoomType(hotels.get(hotelId)!, roomTypeCode)
    return readNights(given, at).map((night) => {
      const key = `${hotel.id} ${type.code} ${night}`
      if (named.has(key)) throw invalidArguments([{ path: at, message: `${hotel.name}, ${type.code}, ${night} is named twice` }])
      named.add(key)
      return { hotelId: hotel.id, roomTypeCode: type.code, night, rooms, ...(rate === undefined ? {} : { rate }) }
    })
  })
}
