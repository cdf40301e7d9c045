import { type InvalidCall, named, valued, without } from './calls.ts'

export const ONSITE_CALLS: readonly InvalidCall[] = [
  valued('get_onsite_summary', 'scope', 'room', 'session', ['session']),
  valued('list_attendance', 'presence', 'outside', 'left', ['left']),
  without('rotate_badge_id', 'reason', ['reason']),
  named('get_onsite_summary', 'date', 'day', '2027-05-11'),
  named('list_attendance', 'query', 'search', 'visitor'),
]
