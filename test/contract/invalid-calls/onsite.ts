import { type InvalidCall, named, valued, without } from './calls.ts'

export const ONSITE_CALLS: readonly InvalidCall[] = [
  valued('get_onsite_summary', 'scope', 'room', 'session', ['session']),
  valued('list_attendance', 'presence', 'outside', 'left', ['left']),
  without('rotate_badge_id', 'reason', ['reason']),
  valued('record_attendance', 'scans', [], undefined, ['at least 1 scan']),
  valued('import_attendance', 'timezone', 'Berlin time', 'Europe/Berlin', ['Europe/Berlin']),
  named('import_appointment_offerings', 'overwrite', 'replace', true),
  named('get_onsite_summary', 'date', 'day', '2027-05-11'),
  named('list_attendance', 'query', 'search', 'visitor'),
]
