import { AppError, invalidArguments } from '../../kernel/errors.ts'
import type { TargetField } from '../sheets/detect.ts'
import { profileSheet } from '../sheets/profile.ts'
import { openOnlySheet } from './library-sheets.ts'
import { mapColumns } from './mapping.ts'
import { buildSheetPlan, readText } from './sheet-plan.ts'

/** Hours of a host as they are written in a spreadsheet. */
export interface HostHours {
  row: number
  company?: string | undefined
  hostEmail?: string | undefined
  day: string
  from: string
  until: string
  minutes?: number | undefined
  breakMinutes?: number | undefined
  location?: string | undefined
  capacity?: number | undefined
  staffEmail?: string | undefined
  approval?: string | undefined
}

export const MAX_HOST_HOURS = 20_000

const field = (name: string, headings: string, type: TargetField['type'] = 'text'): TargetField => ({
  name,
  called: [name, ...headings.split(',')],
  type,
})

const FIELDS: readonly TargetField[] = [
  field('company', 'company,exhibitor,booth,stand'),
  field('hostEmail', 'host,host email', 'email'),
  field('day', 'day,date'),
  field('from', 'from,start,begins'),
  field('until', 'until,to,end,ends'),
  field('minutes', 'minutes,length,duration,slot'),
  field('breakMinutes', 'break,pause,break minutes'),
  field('location', 'location,place,room'),
  field('capacity', 'capacity,seats,places'),
  field('staffEmail', 'staff,staff email', 'email'),
  field('approval', 'approval,confirmation'),
]

interface Source {
  rows?: readonly Omit<HostHours, 'row'>[] | undefined
  fileId?: string | undefined
}

/** The hours of the arguments, or of a spreadsheet in the library. Runs before the transaction, because reading a file may be slow. */
export async function readHostHours(ctx: Parameters<typeof openOnlySheet>[0], { rows, fileId }: Source): Promise<HostHours[]> {
  if ((rows === undefined) === (fileId === undefined)) throw invalidArguments([{ path: 'rows', message: 'pass either rows or fileId' }])
  if (rows !== undefined) return rows.map((row, index) => ({ ...row, row: index + 1 }))
  const sheet = await openOnlySheet(ctx, { fileId })
  const { columns } = await profileSheet(sheet)
  const mapped = mapColumns(columns, FIELDS, []).map(({ column, field: found }) => ({ name: column, field: found ?? 'ignore' }))
  const missing = ['day', 'from', 'until'].filter((name) => !mapped.some(({ field: found }) => found === name))
  if (missing.length > 0) throw invalidArguments([{ path: 'fileId', message: `has no column ${missing.join(', ')}` }])
  const plan = buildSheetPlan({ name: sheet.name, columns: mapped }, {})
  const read: HostHours[] = []
  for await (const row of sheet.rows()) {
    if (read.length === MAX_HOST_HOURS) throw new AppError('limit_exceeded', `A file of hours has at most ${MAX_HOST_HOURS} rows`)
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
