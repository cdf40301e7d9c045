import { type InvalidCall, named, valued, without } from './calls.ts'

export const APPLICATIONS_CALLS: readonly InvalidCall[] = [
  named('list_booth_applications', 'query', 'search', 'x'),
  valued('list_booth_applications', 'sort', 'score', 'points', ['points', 'submittedAt', 'company']),
  without('manage_booth_application', 'reason', ['cancel'], { example: 13 }),
  valued('manage_booth_application', 'action', 'hold', 'offer', ['offer', 'approve'], { example: 7 }),
  named('manage_booth_application', 'comment', 'note', 'Not in this field', { example: 6 }),
]
