import { type InvalidCall, wrongName, wrongValue } from './calls.ts'

export const PRESENCE_CALLS: readonly InvalidCall[] = [
  wrongValue('get_attendance_summary', 'by', 'room', 'session', ['session']),
  wrongName('get_attendance_summary', 'groupBy', 'by', 'day'),
]
