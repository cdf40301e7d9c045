import { z } from 'zod'
import { toOneLine, count, flag, id, list, money, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { findMoveArgumentErrors, moveHotelReservations, toMovePreview } from '../../domains/checkout/room-moves/move.ts'
import { roomLocationSchema } from '../../domains/housing/moves/room-location.ts'
import { MAX_MOVED_RESERVATIONS, NOT_MOVED_REASONS } from '../../domains/housing/moves/stays.ts'

const RoomLocation = object({ hotelId: text(), roomTypeCode: text(), total: money() })
const Moved = object({
  reservationId: text(),
  ackNumber: text().nullable(),
  before: RoomLocation,
  after: RoomLocation,
  stayDifference: money(),
  cardWithheld: flag(),
})
const NotMoved = object({ reservationId: text(), ackNumber: text().nullable(), reason: oneOf(NOT_MOVED_REASONS), detail: untrustedText() })

export default eventTool({
  name: 'move_hotel_reservations',
  title: 'Move guests to another hotel',
  description:
    'Move booked guests (room reservations) to another hotel, room type or block, such as when a hotel closes or is overbooked: all of a hotel, or some by id, with the same dates, at the old rate if lower, and email them. Guests who do not fit stay. Over 30 run as a job, read by jobId alone. For empty rooms use move_hotel_inventory. Returns moved and notMoved.',
  effect: 'change',
  permission: ['housing.write', 'personal.read'],
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    from: toOneLine(roomLocationSchema(), 'hotelId, roomTypeCode?, blockId?').optional(),
    reservationIds: list(id('reservation'), MAX_MOVED_RESERVATIONS).optional(),
    to: roomLocationSchema().optional(),
    typeMap: toOneLine(z.record(text(63), text(63)), 'old room type: new room type').optional(),
    count: count(1, MAX_MOVED_RESERVATIONS).optional(),
    order: oneOf(['newest', 'oldest']).default('newest'),
    rate: oneOf(['new', 'keep']).default('keep'),
    reason: text(500).optional(),
    notify: flag().default(true),
    jobId: id('hotelMove').optional(),
  },
  output: {
    moved: list(toOneLine(Moved, 'reservationId, ackNumber, before {}, after {}, stayDifference, cardWithheld')),
    notMoved: list(toOneLine(NotMoved, 'reservationId, ackNumber, reason, detail')),
    cardsWithheld: count(),
    jobId: text().optional(),
    status: oneOf(['queued', 'running', 'done', 'failed']).optional(),
    progress: toOneLine(object({ done: count(), total: count() }), 'done, total').optional(),
  },
  readsOnly: ({ jobId }) => jobId !== undefined,
  findArgumentErrors: findMoveArgumentErrors,
  toPreview: toMovePreview,
  run: moveHotelReservations,
})
