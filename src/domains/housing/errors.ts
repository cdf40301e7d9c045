import { AppError } from '../../kernel/errors.ts'

interface ShortNight {
  night: string
  free: number
  /**
   * Number of rooms requested for this night. Set, like hotel and room type, if the error covers several hotels, room types or numbers of
   * rooms.
   */
  wanted?: number
  hotel?: string
  roomType?: string
}

interface RoomShortage {
  hotel: string
  roomType: string
  wanted: number
  short: readonly ShortNight[]
  /** Path of the argument to correct. */
  path?: string
}

/** Builds the error for nights without enough rooms. The message names the first such night; `fields` has one entry per night. */
export function createTooFewRoomsError({ hotel, roomType, wanted, short, path = '@housing.checkIn' }: RoomShortage): AppError {
  const messageFor = (one: ShortNight) =>
    `Only ${one.free} of ${one.wanted ?? wanted} rooms free at ${one.hotel ?? hotel}, ${one.roomType ?? roomType}, ${one.night}`
  const others =
    short.length > 1
      ? ` (also short: ${short
          .slice(1)
          .map(({ night }) => night)
          .join(', ')})`
      : ''
  return new AppError('limit_exceeded', `${messageFor(short[0]!)}${others}`, {
    fields: short.map((one) => ({ path, message: messageFor(one), reason: { key: 'error.nightFull', values: { limit: one.night } } })),
  })
}
