import { type InvalidCall, named, valued } from './calls.ts'

export const PRESENCE_CALLS: readonly InvalidCall[] = [
  valued('get_attendance_summary', 'by', 'room', 'session', ['session']),
  named('get_attendance_summary', 'groupBy', 'by', 'day'),
]
