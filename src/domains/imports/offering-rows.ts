import { AppError, invalidArguments } from '../../kernel/errors.ts'
import type { AppointmentHoursRow } from '../exhibitors/import-offerings.ts'
import { type MappableField, buildMappableField } from '../sheets/detect.ts'
import { computeSheetProfile } from '../sheets/profile.ts'
import { openSingleSheet } from './library-sheets.ts'
import { mapColumns } from './mapping.ts'
import { buildSheetReadingPlan, readCellText } from './sheet-plan.ts'

export const MAX_APPOINTMENT_HOUR_ROWS = 20_000

const FIELDS: readonly MappableField[] = [
  buildMappableField('company', 'company,exhibitor,booth,stand'),
  buildMappableField('hostEmail', 'host,host email', 'email'),
  buildMappableField('day', 'day,date'),
  buildMappableField('from', 'from,start,begins'),
  buildMappableField('until', 'until,to,end,ends'),
  buildMappableField('minutes', 'minutes,length,duration,slot'),
  buildMappableField('breakMinutes', 'break,pause,break minutes'),
  buildMappableField('location', 'location,place,room'),
  buildMappableField('capacity', 'capacity,seats,places'),
  buildMappableField('staffEmail', 'staff,staff email', 'email'),
  buildMappableField('approval', 'approval,confirmation'),
]

interface Source {
  rows?: readonly Omit<AppointmentHoursRow, 'row'>[] | undefined
  fileId?: string | undefined
}

/**
 * Reads the appointment hours of the arguments, or of a spreadsheet in the library. Runs before the transaction, because reading a file may
 * be slow.
 */
export async function readAppointmentHourRows(
  ctx: Parameters<typeof openSingleSheet>[0],
  { rows, fileId }: Source,
): Promise<AppointmentHoursRow[]> {
  if ((rows === undefined) === (fileId === undefined)) throw invalidArguments([{ path: 'rows', message: 'pass either rows or fileId' }])
  if (rows !== undefined) return rows.map((row, index) => ({ ...row, row: index + 1 }))
  const sheet = await openSingleSheet(ctx, { fileId })
  const { columns } = await computeSheetProfile(sheet)
  const mapped = mapColumns(columns, FIELDS, []).map(({ column, field: found }) => ({ name: column, field: found ?? 'ignore' }))
  const missing = ['day', 'from', 'until'].filter((name) => !mapped.some(({ field: found }) => found === name))
  if (missing.length > 0) throw invalidArguments([{ path: 'fileId', message: `has no column ${missing.join(', ')}` }])
  const plan = buildSheetReadingPlan({ name: sheet.name, columns: mapped }, {})
  const read: AppointmentHoursRow[] = []
  for await (const row of sheet.rows()) {
    if (read.length === MAX_APPOINTMENT_HOUR_ROWS)
      throw new AppError('limit_exceeded', `A file of hours has at most ${MAX_APPOINTMENT_HOUR_ROWS} rows`)
    const text = (name: string) => readCellText(plan, row, name) || undefined
    const whole = (name: string) => (text(name) === undefined ? undefined : Number(text(name)))
    read.push({
      row: row.number,
      company: text('company'),
      hostEmail: text('hostEmail'),
      day: (text('day') ?? '').slice(0, 10),
      from: (text('from') ?? '').slice(0, 5),
      until: (text('until') ?? '').slice(0, 5),
      minutes: whole('minutes'),
      breakMinutes: whole('breakMinutes'),
      location: text('location'),
      capacity: whole('capacity'),
      staffEmail: text('staffEmail'),
      approval: text('approval')?.toLowerCase(),
    })
  }
  return read
}
