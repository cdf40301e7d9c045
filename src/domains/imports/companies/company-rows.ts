import { email as emailType, list, name as nameType, object, text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { findCountryCode } from '../../../kernel/country-names.ts'
import { AppError, invalidArguments } from '../../../kernel/errors.ts'
import type { SheetRow } from '../../sheets/cells.ts'
import type { MappableField } from '../../sheets/detect.ts'
import { computeSheetProfile } from '../../sheets/profile.ts'
import { PERSON_COLUMN_HEADINGS } from '../../sheets/synonyms.ts'
import { openSingleSheet } from '../library-sheets.ts'
import { checkColumnOverrides, type ColumnOverride, mapColumns, type MappedColumn } from '../mapping.ts'
import { buildSheetReadingPlan, readCellText } from '../sheet-plan.ts'

export const MAX_COMPANY_ROWS = 5000

/** Columns in a list of exhibitors, with the headings that such lists usually have. */
const HEADINGS = {
  name: `name, exhibitor, exhibitor name, aussteller, exposant, expositor, espositore, exposante, ${PERSON_COLUMN_HEADINGS['company']}`,
  externalId: 'id, external id, account id, customer number, crm id, kundennummer, kunden nr, debitor, numero client, numero de cliente',
  website: PERSON_COLUMN_HEADINGS['website']!,
  country: PERSON_COLUMN_HEADINGS['country']!,
  description: 'description, profile, about, beschreibung, profil, descripcion, descrizione, omschrijving, descricao',
  categories: 'categories, category, product group, branche, kategorie, kategorien, produktgruppe, categorie, categoria, settore',
  contactName:
    'contact, contact name, contact person, ansprechpartner, kontakt, contact principal, contacto, contatto, contactpersoon, contato',
  contactEmail: PERSON_COLUMN_HEADINGS['email']!,
  contactPhone: PERSON_COLUMN_HEADINGS['workPhone']!,
  sponsorLevel: 'sponsor level, sponsorship, sponsor, sponsoring, patrocinio, sponsorizzazione',
  boothNumbers: 'booth, booth number, stand, stand number, standnummer, standnr, stand nr, numero de stand, numero stand, stan',
} as const
export type CompanyField = keyof typeof HEADINGS
const FIELD_NAMES = Object.keys(HEADINGS) as CompanyField[]

const FIELDS: readonly MappableField[] = FIELD_NAMES.map((name) => ({
  name,
  called: [name, ...HEADINGS[name].split(',')],
  type: name === 'contactEmail' ? 'email' : 'text',
}))

/** A row of the import before it is checked: texts only. */
export interface UncheckedCompanyRow {
  row: number
  values: Partial<Record<CompanyField, string>>
}

export interface CompanyImportRows {
  rows: readonly UncheckedCompanyRow[]
  mapping: readonly MappedColumn[]
}

export const CompanyRowArgument = object({
  ...Object.fromEntries(FIELD_NAMES.map((field) => [field, text(5000).optional()])),
  name: text(300),
  categories: list(text(), 50).optional(),
  boothNumbers: list(text(12), 50).optional(),
})

interface Source {
  rows?: readonly Record<string, unknown>[] | undefined
  fileId?: string | undefined
  mapping?: readonly ColumnOverride[] | undefined
}

/**
 * Reads the companies of the arguments, or of a spreadsheet in the library. Runs before the transaction, because reading a file may be
 * slow.
 */
export async function readCompanyImportRows(
  ctx: Parameters<typeof openSingleSheet>[0] & EventContext,
  { rows, fileId, mapping = [] }: Source,
): Promise<CompanyImportRows> {
  if ((rows === undefined) === (fileId === undefined)) throw invalidArguments([{ path: 'rows', message: 'pass either rows or fileId' }])
  if (rows !== undefined) return { rows: rows.map((row, index) => ({ row: index + 1, values: toTexts(row) })), mapping: [] }
  const sheet = await openSingleSheet(ctx, { fileId })
  const read: SheetRow[] = []
  for await (const row of sheet.rows()) {
    if (read.length === MAX_COMPANY_ROWS)
      throw new AppError('limit_exceeded', `More than ${MAX_COMPANY_ROWS} rows: import the file in parts`)
    read.push(row)
  }
  const { columns } = await computeSheetProfile(sheet)
  const names = columns.map(({ name }) => name)
  checkColumnOverrides(mapping, names, (field) => field === 'ignore' || FIELD_NAMES.some((one) => one === field), [
    ...FIELD_NAMES,
    'ignore',
  ])
  const mapped = mapColumns(columns, FIELDS, mapping)
  if (!mapped.some(({ field }) => field === 'name'))
    throw invalidArguments([{ path: 'mapping', message: 'no column contains the company name; map it with {"column":…,"field":"name"}' }])
  const plan = buildSheetReadingPlan(
    { name: sheet.name, columns: mapped.map(({ column, field }) => ({ name: column, field: field ?? 'ignore' })) },
    {},
  )
  const toValues = (row: SheetRow) => Object.fromEntries(FIELD_NAMES.map((field) => [field, readCellText(plan, row, field)]))
  return { rows: read.map((row) => ({ row: row.number, values: toTexts(toValues(row)) })), mapping: mapped }
}

/** Converts the values of a row to texts. Lists are joined with semicolons, as in a spreadsheet cell. */
const toTexts = (row: Record<string, unknown>): UncheckedCompanyRow['values'] =>
  Object.fromEntries(
    Object.entries(row).flatMap(([field, value]) => {
      const given = Array.isArray(value) ? value.join(';') : String(value ?? '').trim()
      return given === '' ? [] : [[field, given]]
    }),
  )

/** A row that passed the checks, with values as the company record stores them. */
export interface ImportedCompany {
  row: number
  name: string
  externalId?: string
  website?: string
  country?: string
  description?: string
  categories?: string[]
  sponsorLevel?: string
  contact: { name?: string; email?: string; phone?: string }
  boothNumbers: string[]
}

export interface CompanyRowError {
  row: number
  path: string
  message: string
}

const splitList = (value: string | undefined) =>
  (value ?? '')
    .split(/[,;|]/)
    .map((one) => one.trim())
    .filter(Boolean)

/** Checks a row of an exhibitor list. Categories may be given by code or by name. */
export function checkCompanyRow(
  { row, values }: UncheckedCompanyRow,
  categories: ReadonlyMap<string, string>,
  toWebAddress: (text: string) => string,
): ImportedCompany | CompanyRowError {
  const fault = (path: CompanyField, message: string): CompanyRowError => ({ row, path, message })
  const name = nameType().safeParse(values.name ?? '')
  if (!name.success) return fault('name', values.name === undefined ? 'is missing' : 'is no name of at most 160 characters')
  const country = values.country === undefined ? undefined : findCountryCode(values.country)
  if (country === null) return fault('country', 'is no country')
  const email = values.contactEmail === undefined ? undefined : emailType().safeParse(values.contactEmail)
  if (email && !email.success) return fault('contactEmail', 'is no email address')
  const wanted = splitList(values.categories)
  const unknown = wanted.find((one) => !categories.has(one.toLowerCase()))
  if (unknown !== undefined) return fault('categories', 'names a category that the event does not have')
  let website: string | undefined
  try {
    website = values.website === undefined ? undefined : toWebAddress(values.website)
  } catch {
    return fault('website', 'is no web address')
  }
  const { externalId, description, sponsorLevel, contactName, contactPhone } = values
  return {
    row,
    name: name.data,
    ...(externalId === undefined ? {} : { externalId: externalId.slice(0, 100) }),
    ...(website === undefined ? {} : { website }),
    ...(country === undefined ? {} : { country }),
    ...(description === undefined ? {} : { description: description.slice(0, 5000) }),
    ...(wanted.length === 0 ? {} : { categories: [...new Set(wanted.map((one) => categories.get(one.toLowerCase())!))] }),
    ...(sponsorLevel === undefined ? {} : { sponsorLevel: sponsorLevel.slice(0, 300) }),
    contact: {
      ...(contactName === undefined ? {} : { name: contactName.slice(0, 160) }),
      ...(email === undefined ? {} : { email: email.data as string }),
      ...(contactPhone === undefined ? {} : { phone: contactPhone.slice(0, 40) }),
    },
    boothNumbers: splitList(values.boothNumbers),
  }
}
