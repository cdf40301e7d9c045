import { invalidArguments } from '../../kernel/errors.ts'
import { type InviteListRow, MAX_INVITE_LIST_ROWS, createTooManyInvitesError } from '../registration/invitations/invite-list.ts'
import type { SheetRow } from '../sheets/cells.ts'
import { type MappableField, buildMappableField } from '../sheets/detect.ts'
import { computeSheetProfile } from '../sheets/profile.ts'
import { IMPORT_COLUMN_HEADINGS, PERSON_COLUMN_HEADINGS } from '../sheets/synonyms.ts'
import { openSingleSheet } from './library-sheets.ts'
import { mapColumns } from './mapping.ts'
import { buildSheetReadingPlan, readPersonName, readCellText } from './sheet-plan.ts'

/** The columns of a spreadsheet of invited people. */
const FIELDS: readonly MappableField[] = [
  buildMappableField('@participant.email', PERSON_COLUMN_HEADINGS['email']!, 'email'),
  buildMappableField('@participant.firstName', PERSON_COLUMN_HEADINGS['firstName']!),
  buildMappableField('@participant.lastName', PERSON_COLUMN_HEADINGS['lastName']!),
  buildMappableField('fullName', IMPORT_COLUMN_HEADINGS['fullName']!, 'twoWords'),
  buildMappableField('@participant.company', PERSON_COLUMN_HEADINGS['company']!),
  buildMappableField('tagList', IMPORT_COLUMN_HEADINGS['tagList']!),
]

interface InvitedPeople {
  rows?: readonly InviteListRow[] | undefined
  fileId?: string | undefined
}

/**
 * Reads the invited people of the arguments, or of a spreadsheet in the library. Runs before the transaction, because reading a file may be
 * slow.
 */
export async function readInvitedPeople(
  ctx: Parameters<typeof openSingleSheet>[0],
  { rows, fileId }: InvitedPeople,
): Promise<readonly InviteListRow[]> {
  if ((rows === undefined) === (fileId === undefined)) throw invalidArguments([{ path: 'rows', message: 'pass either rows or fileId' }])
  if (rows !== undefined) return rows
  const sheet = await openSingleSheet(ctx, { fileId })
  const read: SheetRow[] = []
  for await (const row of sheet.rows()) {
    if (read.length === MAX_INVITE_LIST_ROWS) throw createTooManyInvitesError(`More than ${MAX_INVITE_LIST_ROWS}`)
    read.push(row)
  }
  const { columns } = await computeSheetProfile(sheet)
  const mapped = mapColumns(columns, FIELDS, []).map(({ column, field }) => ({ name: column, field: field ?? 'ignore' }))
  if (!mapped.some(({ field }) => field === '@participant.email'))
    throw invalidArguments([{ path: 'fileId', message: 'no column contains email addresses; name it "Email"' }])
  const plan = buildSheetReadingPlan({ name: sheet.name, columns: mapped }, {})
  return read.map((row) => {
    const { firstName, lastName } = readPersonName(plan, row)
    const company = readCellText(plan, row, '@participant.company')
    return {
      row: row.number,
      email: readCellText(plan, row, '@participant.email'),
      ...(firstName === '' ? {} : { firstName: firstName.slice(0, 100) }),
      ...(lastName === '' ? {} : { lastName: lastName.slice(0, 100) }),
      ...(company === '' ? {} : { company: company.slice(0, 200) }),
      tags: readCellText(plan, row, 'tagList')
        .split(/[,;|]/)
        .map((tag) => tag.trim())
        .filter(Boolean),
    }
  })
}
