import { AppError } from '../../kernel/errors.ts'

interface RoomShortage {
  hotel: string
  roomType: string
  wanted: number
  short: readonly { night: string; free: number }[]
}

/** Builds the error for nights without enough rooms. The message names the first such night; `fields` has one entry per night. */
export function tooFewRooms({ hotel, roomType, wanted, short }: RoomShortage): AppError {
  const messageFor = ({ night, free }: { night: string; free: number }) =>
    `Only ${free} of ${wanted} rooms free at ${hotel}, ${roomType}, ${night}`
  const others =
    short.length > 1
      ? ` (also short: ${short
          .slice(1)
          .map(({ night }) => night)
          .join(', ')})`
      : ''
  return new AppError('limit_exceeded', `${messageFor(short[0]!)}${others}`, {
    fields: short.map((one) => ({ path: '@housing.checkIn', message: messageFor(one) })),
  })
}
