import { invalidArguments } from '../../kernel/errors.ts'
import { type InviteListRow, MAX_INVITED_ROWS, createTooManyRowsError } from '../registration/invitations/invite-list.ts'
import type { SheetRow } from '../sheets/cells.ts'
import { type TargetField, buildTargetField } from '../sheets/detect.ts'
import { profileSheet } from '../sheets/profile.ts'
import { IMPORT_SYNONYMS, PERSON_SYNONYMS } from '../sheets/synonyms.ts'
import { openOnlySheet } from './library-sheets.ts'
import { mapColumns } from './mapping.ts'
import { buildSheetPlan, readName, readText } from './sheet-plan.ts'

/** The columns of a spreadsheet of invited people. */
const FIELDS: readonly TargetField[] = [
  buildTargetField('@participant.email', PERSON_SYNONYMS['email']!, 'email'),
  buildTargetField('@participant.firstName', PERSON_SYNONYMS['firstName']!),
  buildTargetField('@participant.lastName', PERSON_SYNONYMS['lastName']!),
  buildTargetField('fullName', IMPORT_SYNONYMS['fullName']!, 'twoWords'),
  buildTargetField('@participant.company', PERSON_SYNONYMS['company']!),
  buildTargetField('tagList', IMPORT_SYNONYMS['tagList']!),
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
  ctx: Parameters<typeof openOnlySheet>[0],
  { rows, fileId }: InvitedPeople,
): Promise<readonly InviteListRow[]> {
  if ((rows === undefined) === (fileId === undefined)) throw invalidArguments([{ path: 'rows', message: 'pass either rows or fileId' }])
  if (rows !== undefined) return rows
  const sheet = await openOnlySheet(ctx, { fileId })
  const read: SheetRow[] = []
  for await (const row of sheet.rows()) {
    if (read.length === MAX_INVITED_ROWS) throw createTooManyRowsError(`More than ${MAX_INVITED_ROWS}`)
    read.push(row)
  }
  const { columns } = await profileSheet(sheet)
  const mapped = mapColumns(columns, FIELDS, []).map(({ column, field }) => ({ name: column, field: field ?? 'ignore' }))
  if (!mapped.some(({ field }) => field === '@participant.email'))
    throw invalidArguments([{ path: 'fileId', message: 'no column contains email addresses; name it "Email"' }])
  const plan = buildSheetPlan({ name: sheet.name, columns: mapped }, {})
  return read.map((row) => {
    const { firstName, lastName } = readName(plan, row)
    const company = readText(plan, row, '@participant.company')
    return {
      row: row.number,
      email: readText(plan, row, '@participant.email'),
      ...(firstName === '' ? {} : { firstName: firstName.slice(0, 100) }),
      ...(lastName === '' ? {} : { lastName: lastName.slice(0, 100) }),
      ...(company === '' ? {} : { company: company.slice(0, 200) }),
      tags: readText(plan, row, 'tagList')
        .split(/[,;|]/)
        .map((tag) => tag.trim())
        .filter(Boolean),
    }
  })
}
