import { brief, flag, id, ifRevision, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { allocationLine, MAX_LINES } from '../../domains/block-requests/allocation-lines.ts'
import { ChangedNight, ChangedRequest } from '../../domains/block-requests/shapes.ts'
import { updateAllocation } from '../../domains/block-requests/update-allocation.ts'

export default eventTool({
  name: 'update_block_request_allocation',
  title: 'Change allocated rooms',
  description:
    "Shift the rooms of a block request: set how many it has at a hotel, room type and night, for example to move an exhibitor's rooms to another hotel. Numbers are absolute, others stay, never below what is booked. To only take rooms back use release_block_request_allocation. Returns the request and what changed.",
  effect: 'change',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    requestId: id('blockRequest'),
    set: list(brief(allocationLine(0), 'hotelId, roomTypeCode, from and until or nights[], rooms'), MAX_LINES),
    notify: flag().default(false),
    ifRevision: ifRevision(),
  },
  output: { request: ChangedRequest, changed: list(ChangedNight, 100_000) },
  run: updateAllocation,
})
