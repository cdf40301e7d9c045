import { toOneLine, count, list, object, text, untrustedText, flag } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { errorKindListSchema, groupErrorsByKind } from '../../../kernel/error-kinds.ts'
import { AppError } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { planEdit, saveEdit } from '../../../kernel/records.ts'
import { assignBooth } from '../../exhibitors/booths/assign.ts'
import { createCompany, findFreeCompanyCode, getCompany } from '../../exhibitors/companies.ts'
import { COMPANY_RECORD } from '../../exhibitors/company-record.ts'
import { listBoothAreas } from '../../exhibitors/company/booth-areas.ts'
import { normalizeWebsiteUrl } from '../../exhibitors/company/edit-company.ts'
import { readLiveOrTestConfiguration } from '../../exhibitors/context.ts'
import { indexCompanies, type ExistingCompany } from './company-names.ts'
import { checkCompanyRow, type CompanyImportRows, type ImportedCompany, type CompanyRowError } from './company-rows.ts'

interface Request {
  match: 'externalId' | 'name' | 'both'
  onMatch: 'update' | 'skip' | 'fill'
}

/** Maximum number of rows in each list of the result; counts cover all rows. */
const MAX_LISTED = 100

export const COMPANY_IMPORT_RESULT = {
  rows: count(),
  created: count(),
  updated: count(),
  skipped: count(),
  unchanged: count(),
  invalidCount: count(),
  ambiguousCount: count(),
  invalid: toOneLine(list(object({ row: count(), path: text(), message: text() })), 'row, path, message'),
  errorKinds: errorKindListSchema({ path: untrustedText() }),
  ambiguous: toOneLine(
    list(object({ row: count(), candidates: list(object({ companyId: text(), name: untrustedText() })) })),
    'row, candidates[]',
  ),
  booths: toOneLine(
    object({ assigned: count(), refused: list(object({ row: count(), number: untrustedText(), reason: text() })) }),
    'assigned, refused[]',
  ),
  mapping: toOneLine(list(object({ column: untrustedText(), field: text().optional(), sure: flag() })), 'column, field, sure'),
}

interface Outcome {
  counts: Record<'created' | 'updated' | 'skipped' | 'unchanged', number>
  invalid: CompanyRowError[]
  ambiguous: { row: number; candidates: { companyId: string; name: string }[] }[]
  boothsAssigned: number
  boothsRefused: { row: number; number: string; reason: string }[]
}

/** Imports exhibitors. A row that matches several companies is reported and never imported. No emails are sent. */
export async function importCompanies(ctx: EventContext, request: Request, { rows, mapping }: CompanyImportRows) {
  const { config } = await readLiveOrTestConfiguration(ctx, false)
  const { categories } = config.exhibitorConfig
  const codes = new Map(categories.flatMap(({ code, name }) => [[name.toLowerCase(), code] as const, [code, code] as const]))
  const index = indexCompanies(await listKnownCompanies(ctx))
  const outcome: Outcome = {
    counts: { created: 0, updated: 0, skipped: 0, unchanged: 0 },
    invalid: [],
    ambiguous: [],
    boothsAssigned: 0,
    boothsRefused: [],
  }
  for (const given of rows) {
    const row = checkCompanyRow(given, codes, normalizeWebsiteUrl)
    if ('message' in row) outcome.invalid.push(row)
    else await importRow(ctx, request, index, row, outcome)
  }
  const { counts, invalid, ambiguous, boothsRefused, boothsAssigned } = outcome
  const { shown, errorKinds } = groupErrorsByKind(invalid)
  return {
    rows: rows.length,
    ...counts,
    invalidCount: invalid.length,
    ambiguousCount: ambiguous.length,
    invalid: shown,
    errorKinds,
    ambiguous: ambiguous.slice(0, MAX_LISTED),
    booths: { assigned: boothsAssigned, refused: boothsRefused.slice(0, MAX_LISTED) },
    mapping: mapping.map(({ column, field, confidence }) => ({
      column,
      ...(field === null ? {} : { field }),
      sure: confidence === 'sure' || confidence === 'told',
    })),
  }
}

/** Lists the companies of the event, without test data. A cancelled company is matched only by its id in the organizer's own system. */
async function listKnownCompanies(ctx: EventContext): Promise<ExistingCompany[]> {
  const rows = await eventDb(ctx)
    .selectFrom('companies')
    .select(['id', 'name', 'external_id as externalId', 'website', 'contact_email as contactEmail'])
    .where('is_test_data', '=', false)
    .where('status', '<>', 'cancelled')
    .orderBy('id')
    .execute()
  return rows
}

type Index = ReturnType<typeof indexCompanies>

async function importRow(
  ctx: EventContext,
  { match, onMatch }: Request,
  index: Index,
  row: ImportedCompany,
  outcome: Outcome,
): Promise<void> {
  const byId = match === 'name' || row.externalId === undefined ? null : index.findByExternalId(row.externalId)
  const named = byId || match === 'externalId' ? [] : index.findByName(toNamed(row))
  // A row and a company with the same name but different ids in the organizer's own system are different companies.
  const differs = named.some(({ externalId }) => match === 'both' && externalId !== null && row.externalId !== undefined)
  if (named.length > 1 || differs) {
    outcome.ambiguous.push({ row: row.row, candidates: named.map(({ id, name }) => ({ companyId: id, name })) })
    return
  }
  const known = byId ?? named[0] ?? null
  if (known && onMatch === 'skip') return void outcome.counts.skipped++
  try {
    const result = known
      ? await editCompany(ctx, known, row, { fill: onMatch === 'fill', rename: byId !== null })
      : await addCompany(ctx, row)
    index.add(result.company)
    const booths = await assignBooths(ctx, result.company.id, row, outcome)
    outcome.counts[result.change === 'unchanged' && booths > 0 ? 'updated' : result.change]++
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error
    outcome.invalid.push({ row: row.row, path: 'name', message: error.message })
  }
}

const toNamed = ({ name, website, contact }: ImportedCompany) => ({ name, website: website ?? null, contactEmail: contact.email ?? null })

type Change = { company: ExistingCompany; change: 'created' | 'updated' | 'unchanged' }

async function addCompany(ctx: EventContext, { row: _row, boothNumbers: _booths, ...company }: ImportedCompany): Promise<Change> {
  const { id } = await createCompany(ctx, { ...company, code: await findFreeCompanyCode(ctx, company.name) })
  const { name, website = null, externalId = null, contact } = company
  return { company: { id, name, website, externalId, contactEmail: contact.email ?? null }, change: 'created' }
}

/**
 * Updates the company with the values of the row, or fills only its empty fields. The name changes only if the company was found by its id.
 */
async function editCompany(
  ctx: EventContext,
  { id }: ExistingCompany,
  { row: _row, boothNumbers: _booths, name, contact, ...fields }: ImportedCompany,
  { fill, rename }: { fill: boolean; rename: boolean },
): Promise<Change> {
  const before = await getCompany(ctx, id)
  const empty = {
    externalId: before.external_id === null,
    website: before.website === null,
    country: before.country === null,
    description: before.description === null,
    categories: before.categories.length === 0,
    sponsorLevel: before.sponsor_level === null,
  }
  const kept = Object.fromEntries(Object.entries(fields).filter(([field]) => !fill || empty[field as keyof typeof empty]))
  const was = { name: before.contact_name, email: before.contact_email, phone: before.contact_phone }
  const person = Object.fromEntries(Object.entries(contact).filter(([part]) => !fill || was[part as keyof typeof was] === null))
  const { row, changed } = await saveEdit(
    ctx,
    planEdit(COMPANY_RECORD, before, { ...kept, contact: person, ...(rename && !fill ? { name } : {}) }),
  )
  const company = { id, name: row.name, website: row.website, externalId: row.external_id, contactEmail: row.contact_email }
  return { company, change: changed.length > 0 ? 'updated' : 'unchanged' }
}

/** Assigns the booths that the imported row lists for the company, if they are available. Returns the number of assigned booths. */
async function assignBooths(
  ctx: EventContext,
  companyId: string,
  { row, boothNumbers }: ImportedCompany,
  outcome: Outcome,
): Promise<number> {
  if (boothNumbers.length === 0) return 0
  const own = new Set((await listBoothAreas(ctx, companyId)).map(({ number }) => number.toLowerCase()))
  let assigned = 0
  for (const number of boothNumbers.filter((one) => !own.has(one.toLowerCase()))) {
    try {
      await assignBooth(ctx, { number, companyId })
      assigned++
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      outcome.boothsRefused.push({ row, number, reason: error.message })
    }
  }
  outcome.boothsAssigned += assigned
  return assigned
}
