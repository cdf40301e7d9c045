import { id, list, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getBlockRequest } from '../../domains/block-requests/get.ts'
import { Allocation, Amendment, Block, RequestDetail, RequestNight, Suggestion } from '../../domains/block-requests/shapes.ts'

export default eventTool({
  name: 'get_block_request',
  title: 'Room block request',
  description:
    'Everything on one room block request such as BR-000012: night by night what an exhibitor or group asked for, wanted, got and filled, shortfall, amendments, flags, and a suggested allotment from free rooms. Saves nothing; pass the suggestion to allocate_block_request_rooms. Returns the request with nights and suggestion.',
  effect: 'read',
  permission: 'housing.read',
  input: { requestId: id('blockRequest').optional(), number: text(20).optional() },
  output: {
    request: RequestDetail,
    nights: list(RequestNight),
    allocations: list(Allocation, 100_000),
    amendments: list(Amendment),
    block: Block.optional(),
    suggestion: Suggestion.optional(),
  },
  run: getBlockRequest,
})
