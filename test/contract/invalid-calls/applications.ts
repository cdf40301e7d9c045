import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const APPLICATIONS_CALLS: readonly InvalidCall[] = [
  wrongName('list_booth_applications', 'query', 'search', 'x'),
  wrongValue('list_booth_applications', 'sort', 'score', 'points', ['points', 'submittedAt', 'company']),
  missingArgument('manage_booth_application', 'reason', ['cancel'], { example: 13 }),
  wrongValue('manage_booth_application', 'action', 'hold', 'offer', ['offer', 'approve'], { example: 7 }),
  wrongName('manage_booth_application', 'comment', 'note', 'Not in this field', { example: 6 }),
]
