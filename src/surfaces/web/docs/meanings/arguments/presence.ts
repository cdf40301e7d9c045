import type { FieldDocsByTool } from '../meanings.ts'

export const PRESENCE_ARGUMENT_DOCS: FieldDocsByTool = {
  get_attendance_summary: {
    by: 'What the groups are.',
    sessionIds: 'Only scans of these sessions.',
    from: 'Only scans from this day on, in the time zone of the event.',
    until: 'Only scans until this day, in the time zone of the event.',
    scope: 'Only scans of the event as a whole, of gates or of sessions.',
    includeOccupancy: 'Adds the number of people inside every five minutes.',
  },
}
