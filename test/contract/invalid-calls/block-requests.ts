import { type InvalidCall, named, valued, without } from './calls.ts'

export const BLOCK_REQUESTS_CALLS: readonly InvalidCall[] = [
  valued('list_block_requests', 'sort', 'points', 'priority', ['priority']),
  named('list_block_requests', 'flags', 'flag', 'late'),
  without('close_block_request', 'requestId', ['requestId']),
  valued('close_block_request', 'release', 'free', 'freeSell', ['freeSell']),
  without('deny_block_request_amendment', 'reason', ['reason']),
  valued('get_block_request', 'requestId', 'request 12', undefined, ['24 characters']),
  valued('allocate_block_request_rooms', 'allocations', [{ hotelId: 'x', rooms: 1 }], undefined, ['roomTypeCode']),
  without('update_block_request_allocation', 'set', ['set']),
  valued('release_block_request_allocation', 'to', 'free', 'freeSell', ['freeSell']),
  named('approve_block_request_amendment', 'allowPartial', 'partial', true),
  named('reactivate_block_request', 'restored', 'restore', true),
]
