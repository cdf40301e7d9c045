import { count, flag, id } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { reactivateRequest } from '../../domains/block-requests/close.ts'
import { ChangedBlockRequest, roomNightListSchema } from '../../domains/block-requests/shapes.ts'

export default eventTool({
  name: 'reactivate_block_request',
  title: 'Reopen a block request',
  description:
    'Bring back a closed room block request (BR-000019), when an exhibitor that was written off is coming after all and wants its group rooms again as before; partial takes what is still free, restore false none. Refused after the cut-off. Not for new rooms: use allocate_block_request_rooms. Returns the request and what came back.',
  effect: 'change',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    requestId: id('blockRequest'),
    restore: flag().default(true),
    partial: flag().default(false),
    notify: flag().default(false),
  },
  output: { request: ChangedBlockRequest, restored: count(), missing: roomNightListSchema() },
  run: reactivateRequest,
})
