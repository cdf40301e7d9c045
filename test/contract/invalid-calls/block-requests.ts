import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const BLOCK_REQUESTS_CALLS: readonly InvalidCall[] = [
  wrongValue('list_block_requests', 'sort', 'points', 'priority', ['priority']),
  wrongName('list_block_requests', 'flags', 'flag', 'late'),
  missingArgument('close_block_request', 'requestId', ['requestId']),
  wrongValue('close_block_request', 'release', 'free', 'freeSell', ['freeSell']),
  missingArgument('deny_block_request_amendment', 'reason', ['reason']),
  wrongValue('get_block_request', 'requestId', 'request 12', undefined, ['24 characters']),
  wrongValue('allocate_block_request_rooms', 'allocations', [{ hotelId: 'x', rooms: 1 }], undefined, ['roomTypeCode']),
  missingArgument('update_block_request_allocation', 'set', ['set']),
  wrongValue('release_block_request_allocation', 'to', 'free', 'freeSell', ['freeSell']),
  wrongName('approve_block_request_amendment', 'allowPartial', 'partial', true),
  wrongName('reactivate_block_request', 'restored', 'restore', true),
]
