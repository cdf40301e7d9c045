import { type InvalidCall, named, valued, without } from './calls.ts'

export const BRIEFS_CALLS: readonly InvalidCall[] = [
  named('start_or_advance_brief', 'responses', 'answers', { attendees: 10 }),
  valued('start_or_advance_brief', 'answers', { atendees: 10 }, { attendees: 10 }, ['attendees']),
  valued('start_or_advance_brief', 'skip', 'alternates', ['alternates'], ['a list of']),
  named('get_brief', 'brief', 'briefId', undefined, { example: 1 }),
  valued('get_brief', 'version', 0, 1, ['at least 1'], { example: 1 }),
  without('update_brief', 'briefId', ['get_brief']),
  valued('update_brief', 'answers', { attendees: 'many' }, undefined, ['attendees', 'number']),
  without('lock_brief', 'briefId', ['get_brief']),
  named('lock_brief', 'note', 'reason', 'Agreed'),
]
