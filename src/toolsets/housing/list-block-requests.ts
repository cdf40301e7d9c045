import { toOneLine, count, flag, list, object, oneOf, pageArguments, pageResult, searchArgument } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { POLICY_VIOLATION_CODES } from '../../domains/block-requests/flags.ts'
import { listBlockRequests, BLOCK_REQUEST_SORTS } from '../../domains/block-requests/list.ts'
import { RequestSummary, blockRequestStatusSchema } from '../../domains/block-requests/shapes.ts'
import { hotelReferenceSchema } from '../../domains/housing/find-hotel.ts'

export default eventTool({
  name: 'list_block_requests',
  title: 'Room block requests',
  description:
    'See what exhibitors and groups ask for in hotel rooms (room block requests, sub-blocks): rooms wanted, granted and booked, priority points, policy flags, pending changes; filter by status, hotel, name or flag. For the nights and amendments of one use get_block_request. Returns requests and totals.',
  effect: 'read',
  toleratesLag: true,
  permission: 'housing.read',
  input: {
    status: list(blockRequestStatusSchema(), 7).optional(),
    hotelId: hotelReferenceSchema().optional(),
    search: searchArgument().optional(),
    flag: oneOf(POLICY_VIOLATION_CODES).optional(),
    pendingAmendment: flag().optional(),
    sort: oneOf(BLOCK_REQUEST_SORTS).default('priority'),
    ...pageArguments,
  },
  output: {
    requests: list(RequestSummary),
    totals: toOneLine(
      object({ requests: count(), roomNights: count(), granted: count(), pickup: count() }),
      'requests, roomNights, granted, pickup',
    ),
    ...pageResult,
  },
  run: listBlockRequests,
})
