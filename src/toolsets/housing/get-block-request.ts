import { id, list, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getBlockRequestDetails } from '../../domains/block-requests/get.ts'
import {
  AllocatedRoomsShape,
  AmendmentShape,
  RequestBlockShape,
  RequestDetail,
  BlockRequestNight,
  SuggestedRoomsShape,
} from '../../domains/block-requests/shapes.ts'

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
    nights: list(BlockRequestNight),
    allocations: list(AllocatedRoomsShape, 100_000),
    amendments: list(AmendmentShape),
    block: RequestBlockShape.optional(),
    suggestion: SuggestedRoomsShape.optional(),
  },
  run: getBlockRequestDetails,
})
