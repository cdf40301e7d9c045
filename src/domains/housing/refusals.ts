import { AppError } from '../../kernel/errors.ts'

interface TooFew {
  hotel: string
  roomType: string
  wanted: number
  short: readonly { night: string; free: number }[]
}

/** Too few rooms: said of the first night that is short, with every one of them by itself beside it. */
export function limitExceeded({ hotel, roomType, wanted, short }: TooFew): AppError {
  const said = ({ night, free }: { night: string; free: number }) =>
    `Only ${free} of ${wanted} rooms free at ${hotel}, ${roomType}, ${night}`
  const others =
    short.length > 1
      ? ` (also short: ${short
          .slice(1)
          .map(({ night }) => night)
          .join(', ')})`
      : ''
  return new AppError('limit_exceeded', `${said(short[0]!)}${others}`, {
    fields: short.map((one) => ({ path: '@housing.checkIn', message: said(one) })),
  })
}
