import { toOneLine, count, flag, id, list, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { allocationLineSchema, MAX_ALLOCATION_LINES } from '../../domains/block-requests/allocation-lines.ts'
import { allocateRooms } from '../../domains/block-requests/allocate.ts'
import { AllocationResult } from '../../domains/block-requests/shapes.ts'
import { hotelReferenceSchema } from '../../domains/housing/find-hotel.ts'

export default eventTool({
  name: 'allocate_block_request_rooms',
  title: 'Allocate rooms to requests',
  description:
    'Grant hotel rooms to an exhibitor or group that asked for a block: name hotels, room types and nights (all or nothing), or use auto to hand out whatever is free to everyone waiting, fairest first by priority. Adds to what was granted; notify emails the offer. To shift use update_block_request_allocation. Returns results per request.',
  effect: 'change',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    requestId: id('blockRequest').optional(),
    allocations: list(
      toOneLine(allocationLineSchema(1), 'hotelId, roomTypeCode, from and until or nights[], rooms'),
      MAX_ALLOCATION_LINES,
    ).optional(),
    auto: flag().default(false),
    requestIds: list(id('blockRequest'), 200).optional(),
    hotelIds: list(hotelReferenceSchema(), 100).optional(),
    overridePolicy: flag().default(false),
    overrideReason: text(500).optional(),
    notify: flag().default(false),
  },
  output: { results: list(AllocationResult), roomNights: count() },
  run: allocateRooms,
})
