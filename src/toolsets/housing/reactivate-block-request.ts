import { count, flag, id } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { reactivateRequest } from '../../domains/block-requests/close.ts'
import { ChangedRequest, roomNightList } from '../../domains/block-requests/shapes.ts'

export default eventTool({
  name: 'reactivate_block_request',
  title: 'Reopen a block request',
  description:
    'Opens a closed room block request again in the state that it had, and takes back the rooms that closing released. Refused if some of them were taken meanwhile, unless partial, and after the cut-off of the hotel. With restore false, the request comes back without those rooms.',
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
