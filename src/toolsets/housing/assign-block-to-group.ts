import { code, count, flag } from '../../kernel/args.ts'
import { buildCreateArguments } from '../../kernel/record-shapes.ts'
import { eventTool } from '../../kernel/tool.ts'
import { assignBlockToGroup, checkBlockIdOrRooms } from '../../domains/groups/room-blocks.ts'
import { ROOM_BLOCK_RECORD } from '../../domains/housing/block-record.ts'
import { RoomBlockResult, roomBlockReferenceSchema } from '../../domains/housing/block-shape.ts'
import { roomNightLinesSchema } from '../../domains/housing/room-lines.ts'

const { name, paymentBy, releaseOn, nameDeadlineOn } = buildCreateArguments(ROOM_BLOCK_RECORD, [
  'name',
  'paymentBy',
  'releaseOn',
  'nameDeadlineOn',
])

export default eventTool({
  name: 'assign_block_to_group',
  title: 'Give a group a room block',
  description:
    'Set hotel rooms aside for a delegation or company group: a new block out of free rooms (rooms), or a block without an owner (blockId). Its members then book from it first, and rooms they booked already move into it. To change a block use update_group_block; for a request use allocate_block_request_rooms. Returns the block.',
  effect: 'change',
  permission: 'housing.write',
  keyed: true,
  dryRun: true,
  input: {
    groupCode: code(),
    blockId: roomBlockReferenceSchema().optional(),
    rooms: roomNightLinesSchema(1).optional(),
    name: name.optional(),
    paymentBy: paymentBy.optional(),
    releaseOn,
    nameDeadlineOn,
    moveReservations: flag().default(true),
  },
  findArgumentErrors: checkBlockIdOrRooms,
  output: { block: RoomBlockResult, moved: count() },
  run: assignBlockToGroup,
})
