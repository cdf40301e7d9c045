import {
  describeSchemaInOneLine,
  boundedInteger,
  day,
  flag,
  id,
  list,
  object,
  oneOf,
  text,
  timeOfDay,
  untrustedText,
} from '../../kernel/args.ts'
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
  minutes: boundedInteger(5, 480).optional(),
  breakMinutes: boundedInteger(0, 480).optional(),
  location: text(120).optional(),
  capacity: boundedInteger(1, 1000).optional(),
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
    rows: describeSchemaInOneLine(
      list(Row, MAX_APPOINTMENT_HOUR_ROWS),
      'company|hostEmail, day, from, until, minutes, breakMinutes, location, staffEmail',
    ).optional(),
    replace: flag().default(false),
  },
  output: {
    rows: boundedInteger(),
    hosts: boundedInteger(),
    created: boundedInteger(),
    existing: boundedInteger(),
    removed: boundedInteger(),
    keptBooked: boundedInteger(),
    invalid: describeSchemaInOneLine(list(object({ row: boundedInteger(), message: untrustedText() })), 'row, message'),
    errorKinds: errorKindListSchema(),
    invalidCount: boundedInteger(),
  },
  prefetch: readAppointmentHourRows,
  run: importAppointmentSlots,
})
