import { count, flag, id } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { reactivateRequest } from '../../domains/block-requests/close.ts'
import { ChangedRequest, roomNightList } from '../../domains/block-requests/shapes.ts'

export default eventTool({
  name: 'reactivate_block_request',
  title: 'Reopen a block request',
  description:
    'Open a closed room block request again in its earlier state and take back the rooms that closing released; partial takes what is still free, restore false takes none. Refused after the cut-off of the hotel. Not for new rooms: use allocate_block_request_rooms. Returns the request, what came back and what is missing.',
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
  output: { request: ChangedRequest, restored: count(), missing: roomNightList() },
  run: reactivateRequest,
})
