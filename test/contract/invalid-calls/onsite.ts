import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const ONSITE_CALLS: readonly InvalidCall[] = [
  wrongValue('get_onsite_summary', 'scope', 'room', 'session', ['session']),
  wrongValue('list_attendance', 'presence', 'outside', 'left', ['left']),
  missingArgument('rotate_badge_id', 'reason', ['reason']),
  wrongValue('record_attendance', 'scans', [], undefined, ['at least 1 scan']),
  wrongValue('import_attendance', 'timezone', 'Berlin time', 'Europe/Berlin', ['Europe/Berlin']),
  wrongName('import_appointment_offerings', 'overwrite', 'replace', true),
  wrongName('get_onsite_summary', 'date', 'day', '2027-05-11'),
  wrongName('list_attendance', 'query', 'search', 'visitor'),
]
