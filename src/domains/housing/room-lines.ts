import { count, list, money, object, text } from '../../kernel/args.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { type Money, toMinorUnits } from '../../kernel/money.ts'
import type { AllocationChange } from './allocation.ts'
import type { HousingContext } from './context.ts'
import { findHotels, getRoomType, hotelReferenceSchema } from './find-hotel.ts'
import { type NightSelectionInput, nightSelectionArguments, parseSelectedNights } from './nights-argument.ts'

const MAX_LINES = 500

/** Arguments that select room nights: a hotel, a room type and nights. */
export const roomNightLineArguments = { hotelId: hotelReferenceSchema(), roomTypeCode: text(63), ...nightSelectionArguments }

export const roomNightLinesSchema = (least: 0 | 1) => list(object({ ...roomNightLineArguments, rooms: count(least, 500) }), MAX_LINES)

/** Schema of lines with a number of rooms for some nights. The rate applies only to nights on which the block had no rooms before. */
export const roomNightLinesWithRateSchema = () =>
  list(object({ ...roomNightLineArguments, rooms: count(0, 500), rate: money().optional() }), MAX_LINES)

export interface RoomNightLine extends NightSelectionInput {
  hotelId: string
  roomTypeCode: string
  rooms: number
  rate?: Money | undefined
}

/** Expands lines with several nights into one change per room night. Throws if two lines contain the same room night. */
export async function expandRoomNightLines(
  ctx: HousingContext,
  lines: readonly RoomNightLine[],
  path: string,
): Promise<AllocationChange[]> {
  const hotels = await findHotels(
    ctx,
    lines.map(({ hotelId }) => hotelId),
  )
  const named = new Set<string>()
  return lines.flatMap(({ hotelId, roomTypeCode, rooms, rate, ...given }, index) => {
    const at = `${path}[${index}]`
    const { hotel } = hotels.get(hotelId)!
    const type = getRoomType(hotels.get(hotelId)!, roomTypeCode)
    const minor = rate === undefined ? undefined : readRate(ctx, rate, `${at}.rate`)
    return parseSelectedNights(given, at).map((night) => {
      const key = `${hotel.id} ${type.code} ${night}`
      if (named.has(key)) throw invalidArguments([{ path: at, message: `${hotel.name}, ${type.code}, ${night} is named twice` }])
      named.add(key)
      return { hotelId: hotel.id, roomTypeCode: type.code, night, rooms, ...(minor === undefined ? {} : { rate: minor }) }
    })
  })
}

function readRate({ event }: HousingContext, { amount, currency }: Money, path: string): number {
  if (currency !== event.currency)
    throw invalidArguments([{ path: `${path}.currency`, message: `rooms are priced in ${event.currency} here` }])
  const minor = toMinorUnits(amount, currency, `${path}.amount`)
  if (minor < 0) throw invalidArguments([{ path: `${path}.amount`, message: 'at least 0' }])
  return minor
}
