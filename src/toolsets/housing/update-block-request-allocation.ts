import { toOneLine, flag, id, ifRevision, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { allocationLineSchema, MAX_ALLOCATION_LINES } from '../../domains/block-requests/allocation-lines.ts'
import { ChangedRoomNight, ChangedBlockRequest } from '../../domains/block-requests/shapes.ts'
import { updateRoomAllocation } from '../../domains/block-requests/update-allocation.ts'

export default eventTool({
  name: 'update_block_request_allocation',
  title: 'Change allocated rooms',
  description:
    'Revise or cut what was granted to a block request (allotment, sub-block, BR-000044): set its rooms at a hotel, room type and night, or put part of the grant in another hotel. Numbers are absolute, others stay, never below what is booked. To only take rooms back use release_block_request_allocation. Returns the request and changes.',
  effect: 'change',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    requestId: id('blockRequest'),
    set: list(toOneLine(allocationLineSchema(0), 'hotelId, roomTypeCode, from and until or nights[], rooms'), MAX_ALLOCATION_LINES),
    notify: flag().default(false),
    ifRevision: ifRevision(),
  },
  output: { request: ChangedBlockRequest, changed: list(ChangedRoomNight, 100_000) },
  run: updateRoomAllocation,
})
