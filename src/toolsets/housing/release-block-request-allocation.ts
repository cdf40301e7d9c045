import { count, flag, id, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { releaseAllocatedRooms } from '../../domains/block-requests/release.ts'
import { ChangedBlockRequest, roomNightListSchema } from '../../domains/block-requests/shapes.ts'
import { hotelReferenceSchema } from '../../domains/housing/find-hotel.ts'
import { nightSelectionArguments } from '../../domains/housing/nights-argument.ts'

export default eventTool({
  name: 'release_block_request_allocation',
  title: 'Release allocated rooms',
  description:
    'Take back unused rooms of a block request (no guest named yet): all, or some nights, one hotel or room type, or a number per night, for free sale or back to the hotel. Booked rooms stay. The waiting list is not filled by it: use fill_hotel_waitlist. Returns what was released.',
  effect: 'change',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    requestId: id('blockRequest'),
    ...nightSelectionArguments,
    hotelId: hotelReferenceSchema().optional(),
    roomTypeCode: text(63).optional(),
    rooms: count(1, 500).optional(),
    to: oneOf(['freeSell', 'hotel']).default('freeSell'),
    reason: text(500).optional(),
    notify: flag().default(false),
  },
  output: { released: roomNightListSchema(), roomNights: count(), waitingThatFit: count(), request: ChangedBlockRequest },
  run: releaseAllocatedRooms,
})
