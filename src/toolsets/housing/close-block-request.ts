import { count, flag, id, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { closeRequest } from '../../domains/block-requests/close.ts'
import { ChangedBlockRequest } from '../../domains/block-requests/shapes.ts'

export default eventTool({
  name: 'close_block_request',
  title: 'Close a block request',
  description:
    'Wrap up or finish off a room block request (BR-000019): what is left of the sub-block is washed to free sale or to the hotel, or kept; reservations stay, new bookings end, a pending change is withdrawn. To bring it back use reactivate_block_request. Returns the request and the room nights released.',
  effect: 'change',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    requestId: id('blockRequest'),
    release: oneOf(['freeSell', 'hotel', 'keep']).default('freeSell'),
    reason: text(500).optional(),
    notify: flag().default(false),
  },
  output: { request: ChangedBlockRequest, released: count(), keptReservations: count() },
  run: closeRequest,
})
