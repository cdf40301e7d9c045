import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const BRIEFS_CALLS: readonly InvalidCall[] = [
  wrongName('start_or_advance_brief', 'responses', 'answers', { attendees: 10 }),
  wrongValue('start_or_advance_brief', 'answers', { atendees: 10 }, { attendees: 10 }, ['attendees']),
  wrongValue('start_or_advance_brief', 'skip', 'alternates', ['alternates'], ['a list of']),
  wrongName('get_brief', 'brief', 'briefId', undefined, { example: 1 }),
  wrongValue('get_brief', 'version', 0, 1, ['at least 1'], { example: 1 }),
  missingArgument('update_brief', 'briefId', ['get_brief']),
  wrongValue('update_brief', 'answers', { attendees: 'many' }, undefined, ['attendees', 'number']),
  missingArgument('lock_brief', 'briefId', ['get_brief']),
  wrongName('lock_brief', 'note', 'reason', 'Agreed'),
]
