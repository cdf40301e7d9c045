import { type InvalidCall, named, valued, without } from './calls.ts'

export const BLOCK_REQUESTS_CALLS: readonly InvalidCall[] = [
  valued('list_block_requests', 'sort', 'points', 'priority', ['priority']),
  named('list_block_requests', 'flags', 'flag', 'late'),
  without('close_block_request', 'requestId', ['requestId']),
  valued('close_block_request', 'release', 'free', 'freeSell', ['freeSell']),
  without('deny_block_request_amendment', 'reason', ['reason']),
  named('reactivate_block_request', 'restored', 'restore', true),
]
