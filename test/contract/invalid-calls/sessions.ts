import { type InvalidCall, named, valued, without } from './calls.ts'

export const SESSIONS_CALLS: readonly InvalidCall[] = [
  named('list_speakers', 'query', 'search', 'Ada'),
  valued('list_speakers', 'missing', ['photo'], ['headshot'], ['headshot', 'bio']),
  without('manage_speaker', 'email', ['create'], { example: 1 }),
  valued('manage_speaker', 'status', 'cancelled', 'withdrawn', ['confirmed', 'withdrawn'], { example: 4 }),
  valued('import_speakers', 'onMatch', 'overwrite', 'update', ['update', 'skip', 'fill'], { example: 1 }),
  valued('list_submissions', 'sort', 'rating', 'score', ['score', 'adjusted']),
  named('list_submissions', 'track', 'trackCode', 'build'),
  valued('get_submission', 'include', ['comments'], ['reviews'], ['reviews', 'similar']),
  without('manage_submission', 'roomCode', ['schedule'], { example: 10 }),
  valued('manage_submission', 'action', 'accept', 'decide', ['decide', 'inform'], { example: 6 }),
]
