import { id, list, reference, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getBlockRequest } from '../../domains/block-requests/get.ts'
import { Allocation, Amendment, Block, RequestDetail, RequestNight, Suggestion } from '../../domains/block-requests/shapes.ts'

export default eventTool({
  name: 'get_block_request',
  title: 'Room block request',
  description:
    'Shows one room block request by id or number: rooms requested, granted, booked and missing by night, where the rooms are, its amendments, policy flags and block, and a suggestion which free rooms to allocate now. Nothing is saved; pass the suggestion to allocate_block_request_rooms.',
  effect: 'read',
  permission: 'housing.read',
  input: { requestId: id('blockRequest').optional(), number: reference(text(20)).optional() },
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
