import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const SESSIONS_CALLS: readonly InvalidCall[] = [
  wrongName('list_speakers', 'query', 'search', 'Ada'),
  wrongValue('list_speakers', 'missing', ['photo'], ['headshot'], ['headshot', 'bio']),
  missingArgument('manage_speaker', 'email', ['create'], { example: 1 }),
  wrongValue('manage_speaker', 'status', 'cancelled', 'withdrawn', ['confirmed', 'withdrawn'], { example: 4 }),
  wrongValue('import_speakers', 'onMatch', 'overwrite', 'update', ['update', 'skip', 'fill'], { example: 1 }),
  wrongValue('list_submissions', 'sort', 'rating', 'score', ['score', 'adjusted']),
  wrongName('list_submissions', 'track', 'trackCode', 'build'),
  wrongValue('get_submission', 'include', ['comments'], ['reviews'], ['reviews', 'similar']),
  missingArgument('manage_submission', 'roomCode', ['schedule'], { example: 10 }),
  wrongValue('manage_submission', 'action', 'accept', 'decide', ['decide', 'inform'], { example: 6 }),
]
