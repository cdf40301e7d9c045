import type { PrefetchContext } from '../../kernel/tool.ts'
import { cleanName } from '../../kernel/clean-text.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { openSingleSheet } from '../imports/library-sheets.ts'
import { mapColumns } from '../imports/mapping.ts'
import { buildSheetReadingPlan, readCellText } from '../imports/sheet-plan.ts'
import { type MappableField, buildMappableField } from '../sheets/detect.ts'
import { computeSheetProfile } from '../sheets/profile.ts'

/** A row of the file of an offline scanner, unparsed. */
export interface OfflineScanRow {
  row: number
  badge?: string | undefined
  email?: string | undefined
  confirmationNumber?: string | undefined
  at: string
  direction: string
  gateCode?: string | undefined
  sessionId?: string | undefined
  deviceName: string
  nonce?: string | undefined
  decidedOffline?: string | undefined
}

export const MAX_IMPORT_ROWS = 50_000

const FIELDS: readonly MappableField[] = [
  buildMappableField('badge', 'badge,badge id,barcode,qr,code,scanned,scan'),
  buildMappableField('email', 'email,e-mail,mail', 'email'),
  buildMappableField('confirmationNumber', 'confirmation,confirmation number,booking,registration number'),
  buildMappableField('at', 'at,time,timestamp,scanned at,date,datetime,when'),
  buildMappableField('direction', 'direction,in or out,in/out,type'),
  buildMappableField('gateCode', 'gate,gate code,entrance,door'),
  buildMappableField('sessionId', 'session,session id'),
  buildMappableField('deviceName', 'device,device name,scanner,terminal'),
  buildMappableField('nonce', 'nonce,scan id,uuid,id'),
  buildMappableField('decidedOffline', 'decided offline,result,decision,status'),
]

type Source = { rows?: readonly Omit<OfflineScanRow, 'row'>[] | undefined; fileId?: string | undefined; jobId?: string | undefined }

/**
 * Reads the rows to import from the arguments, or from a spreadsheet in the file library. Runs before the transaction, because reading a
 * file may be slow.
 */
export async function readImportRows(ctx: PrefetchContext<EventContext>, { rows, fileId, jobId }: Source): Promise<OfflineScanRow[]> {
  if (jobId !== undefined) return []
  if ((rows === undefined) === (fileId === undefined)) throw invalidArguments([{ path: 'rows', message: 'pass either rows or fileId' }])
  if (rows !== undefined) return rows.map((row, index) => ({ ...row, row: index + 1 }))
  const sheet = await openSingleSheet(ctx, { fileId })
  const { columns } = await computeSheetProfile(sheet)
  const mapped = mapColumns(columns, FIELDS, []).map(({ column, field: found }) => ({ name: column, field: found ?? 'ignore' }))
  if (!mapped.some(({ field: found }) => found === 'at'))
    throw invalidArguments([{ path: 'fileId', message: 'no column contains the time of the scans; name it "at"' }])
  const plan = buildSheetReadingPlan({ name: sheet.name, columns: mapped }, {})
  const read: OfflineScanRow[] = []
  for await (const row of sheet.rows()) {
    if (read.length === MAX_IMPORT_ROWS) throw new AppError('limit_exceeded', `A file of scans has at most ${MAX_IMPORT_ROWS} rows`)
    const value = (name: string) => readCellText(plan, row, name) || undefined
    read.push({
      row: row.number,
      badge: value('badge'),
      email: value('email'),
      confirmationNumber: value('confirmationNumber'),
      at: value('at') ?? '',
      direction: (value('direction') ?? 'in').toLowerCase(),
      gateCode: value('gateCode'),
      sessionId: value('sessionId'),
      deviceName: cleanName(value('deviceName') ?? ''),
      nonce: value('nonce'),
      decidedOffline: value('decidedOffline')?.toLowerCase(),
    })
  }
  return read
}
