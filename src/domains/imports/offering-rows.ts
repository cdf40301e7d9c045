import { AppError, invalidArguments } from '../../kernel/errors.ts'
import type { OfferingRow } from '../exhibitors/import-offerings.ts'
import { type TargetField, buildTargetField } from '../sheets/detect.ts'
import { profileSheet } from '../sheets/profile.ts'
import { openOnlySheet } from './library-sheets.ts'
import { mapColumns } from './mapping.ts'
import { buildSheetPlan, readText } from './sheet-plan.ts'

export const MAX_OFFERING_ROWS = 20_000

const FIELDS: readonly TargetField[] = [
  buildTargetField('company', 'company,exhibitor,booth,stand'),
  buildTargetField('hostEmail', 'host,host email', 'email'),
  buildTargetField('day', 'day,date'),
  buildTargetField('from', 'from,start,begins'),
  buildTargetField('until', 'until,to,end,ends'),
  buildTargetField('minutes', 'minutes,length,duration,slot'),
  buildTargetField('breakMinutes', 'break,pause,break minutes'),
  buildTargetField('location', 'location,place,room'),
  buildTargetField('capacity', 'capacity,seats,places'),
  buildTargetField('staffEmail', 'staff,staff email', 'email'),
  buildTargetField('approval', 'approval,confirmation'),
]

interface Source {
  rows?: readonly Omit<OfferingRow, 'row'>[] | undefined
  fileId?: string | undefined
}

/**
 * Reads the appointment hours of the arguments, or of a spreadsheet in the library. Runs before the transaction, because reading a file may
 * be slow.
 */
export async function readOfferingRows(ctx: Parameters<typeof openOnlySheet>[0], { rows, fileId }: Source): Promise<OfferingRow[]> {
  if ((rows === undefined) === (fileId === undefined)) throw invalidArguments([{ path: 'rows', message: 'pass either rows or fileId' }])
  if (rows !== undefined) return rows.map((row, index) => ({ ...row, row: index + 1 }))
  const sheet = await openOnlySheet(ctx, { fileId })
  const { columns } = await profileSheet(sheet)
  const mapped = mapColumns(columns, FIELDS, []).map(({ column, field: found }) => ({ name: column, field: found ?? 'ignore' }))
  const missing = ['day', 'from', 'until'].filter((name) => !mapped.some(({ field: found }) => found === name))
  if (missing.length > 0) throw invalidArguments([{ path: 'fileId', message: `has no column ${missing.join(', ')}` }])
  const plan = buildSheetPlan({ name: sheet.name, columns: mapped }, {})
  const read: OfferingRow[] = []
  for await (const row of sheet.rows()) {
    if (read.length === MAX_OFFERING_ROWS) throw new AppError('limit_exceeded', `A file of hours has at most ${MAX_OFFERING_ROWS} rows`)
    const text = (name: string) => readText(plan, row, name) || undefined
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
