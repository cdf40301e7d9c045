import { toOneLine, count, day, id, list, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { moveRoomInventory } from '../../domains/housing/moves/inventory.ts'
import { roomTypeLocationSchema } from '../../domains/housing/moves/room-location.ts'
import { MAX_SELECTED_NIGHTS } from '../../domains/housing/nights-argument.ts'
import { roomNightSumSchema } from '../../domains/housing/summary/figures.ts'

const Night = object({
  night: day(),
  fromBefore: count(),
  fromAfter: count(),
  toBefore: count(),
  toAfter: count(),
})

export default eventTool({
  name: 'move_hotel_inventory',
  title: 'Move empty rooms between hotels',
  description:
    'Move unbooked (empty) rooms, per night, from one hotel, room type or block to another, or between free sale and a block: the total contracted stays the same, and the contracts get an addendum if the hotel or type changes. For booked guests use move_hotel_reservations; for more or fewer rooms use amend_contract. Returns free rooms before and after.',
  effect: 'change',
  permission: 'housing.write',
  keyed: true,
  dryRun: true,
  input: {
    fromHotel: roomTypeLocationSchema(),
    toHotel: toOneLine(roomTypeLocationSchema(), 'hotelId, roomTypeCode, blockId?'),
    nights: list(day(), MAX_SELECTED_NIGHTS),
    rooms: count(1, 10_000),
    reason: text(500),
    fileId: id('file').optional(),
  },
  output: {
    nights: list(toOneLine(Night, 'night, fromBefore, fromAfter, toBefore, toAfter')),
    addenda: list(toOneLine(object({ hotelId: text(), number: count(), roomNights: count(-1_000_000) }), 'hotelId, number, roomNights')),
    totalContracted: object({ before: roomNightSumSchema(), after: roomNightSumSchema() }),
  },
  run: moveRoomInventory,
})
