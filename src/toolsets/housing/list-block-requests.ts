import { toOneLine, count, flag, list, object, oneOf, page, pageResult, search } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { POLICY_FLAGS } from '../../domains/block-requests/flags.ts'
import { listBlockRequests, REQUEST_SORTS } from '../../domains/block-requests/list.ts'
import { RequestSummary, blockRequestStatus } from '../../domains/block-requests/shapes.ts'
import { hotelArgument } from '../../domains/housing/find-hotel.ts'

export default eventTool({
  name: 'list_block_requests',
  title: 'Room block requests',
  description:
    'See what exhibitors and groups ask for in hotel rooms (room block requests, sub-blocks): rooms wanted, granted and booked, priority points, policy flags, pending changes; filter by status, hotel, name or flag. For the nights and amendments of one use get_block_request. Returns requests and totals.',
  effect: 'read',
  toleratesLag: true,
  permission: 'housing.read',
  input: {
    status: list(blockRequestStatus(), 7).optional(),
    hotelId: hotelArgument().optional(),
    search: search().optional(),
    flag: oneOf(POLICY_FLAGS).optional(),
    pendingAmendment: flag().optional(),
    sort: oneOf(REQUEST_SORTS).default('priority'),
    ...page,
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
