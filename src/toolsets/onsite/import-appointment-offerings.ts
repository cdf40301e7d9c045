import { toOneLine, count, day, flag, id, list, object, oneOf, text, timeOfDay, untrustedText } from '../../kernel/args.ts'
import { errorKindListSchema } from '../../kernel/error-kinds.ts'
import { defineImportTool } from '../../domains/imports/import-tool.ts'
import { importAppointmentSlots } from '../../domains/exhibitors/import-offerings.ts'
import { MAX_APPOINTMENT_HOUR_ROWS, readAppointmentHourRows } from '../../domains/imports/offering-rows.ts'

const Row = object({
  company: text(200).optional(),
  hostEmail: text(254).optional(),
  day: day(),
  from: timeOfDay(),
  until: timeOfDay(),
  minutes: count(5, 480).optional(),
  breakMinutes: count(0, 480).optional(),
  location: text(120).optional(),
  capacity: count(1, 1000).optional(),
  staffEmail: text(254).optional(),
  approval: oneOf(['auto', 'manual']).optional(),
})

export default defineImportTool({
  name: 'import_appointment_offerings',
  title: 'Import meeting slots',
  description:
    'Load the times when exhibitors or hosts are free for meetings (appointment slots, matchmaking calendar, hosted buyer slots) from a file or rows: hours are cut into slots with breaks. replace removes their unbooked slots first; booked ones stay. Not for booking a meeting. Returns counts and invalid rows.',
  effect: 'change',
  permission: 'onsite.write',
  keyed: true,
  dryRun: true,
  idempotent: true,
  input: {
    fileId: id('file').optional(),
    rows: toOneLine(
      list(Row, MAX_APPOINTMENT_HOUR_ROWS),
      'company|hostEmail, day, from, until, minutes, breakMinutes, location, staffEmail',
    ).optional(),
    replace: flag().default(false),
  },
  output: {
    rows: count(),
    hosts: count(),
    created: count(),
    existing: count(),
    removed: count(),
    keptBooked: count(),
    invalid: toOneLine(list(object({ row: count(), message: untrustedText() })), 'row, message'),
    errorKinds: errorKindListSchema(),
    invalidCount: count(),
  },
  prefetch: readAppointmentHourRows,
  run: importAppointmentSlots,
})
