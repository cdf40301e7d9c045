import { toOneLine, code, count, flag, list, object, text } from '../../kernel/args.ts'
import { buildEditArguments } from '../../kernel/record-shapes.ts'
import { eventTool } from '../../kernel/tool.ts'
import { updateGroupBlock } from '../../domains/groups/room-blocks.ts'
import { ROOM_BLOCK_RECORD } from '../../domains/housing/block-record.ts'
import { RoomBlockResult, roomBlockReferenceSchema } from '../../domains/housing/block-shape.ts'
import { roomNightLinesWithRateSchema } from '../../domains/housing/room-lines.ts'

const Change = object({ hotelId: text(), roomTypeCode: text(), night: text(), before: count(), after: count() })

export default eventTool({
  name: 'update_group_block',
  title: 'Change a room block',
  description:
    'Change any block of hotel rooms: number of rooms or rate per night (set), who pays (each guest or the master account), release date, name deadline, shortest stay, open or closed for booking, or detach it from its group before the group is deleted. To give a group a block use assign_block_to_group. Returns the block and what changed.',
  effect: 'change',
  permission: 'housing.write',
  keyed: true,
  dryRun: true,
  input: {
    blockId: roomBlockReferenceSchema().optional(),
    groupCode: code().optional(),
    ...buildEditArguments(ROOM_BLOCK_RECORD),
    set: roomNightLinesWithRateSchema().optional(),
    detach: flag().default(false),
  },
  output: {
    block: RoomBlockResult,
    changed: list(text()),
    rooms: list(toOneLine(Change, 'hotelId, roomTypeCode, night, before, after'), 10_000),
  },
  run: updateGroupBlock,
})
