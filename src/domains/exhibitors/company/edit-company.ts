import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { conflict, invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { type Money, toMinorUnits } from '../../../kernel/money.ts'
import { type RecordEdit, planEdit, saveEdit } from '../../../kernel/records.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { getFile } from '../../files/files.ts'
import { generateActivationCode, toActivationCodeColumns } from '../activation-codes.ts'
import { lockCompanies } from '../booths/lock.ts'
import { type CompanyRow, createCompany, findFreeCompanyCode, type NewCompany } from '../companies.ts'
import { COMPANY_RECORD } from '../company-record.ts'
import { readLiveOrTestConfiguration } from '../context.ts'
import { grantLeadLicence } from '../licences.ts'
import { regenerateAppointmentSlots } from '../offerings.ts'
import { addPriorityPointsAdjustment } from '../points/adjust.ts'
import { COMPANY_STATES, LEAD_LICENCE_STATES } from '../states.ts'
import { setCompetitors } from './competitors.ts'
import { describeCompany, describeCompanyById } from './read-company.ts'

type Edit = Omit<RecordEdit<typeof COMPANY_RECORD>, 'sponsorAmount'> & { sponsorAmount?: Money | undefined }
/** The company's fields in the arguments of a tool: name and code at the top level, all others in `fields`. */
type Given = Pick<Edit, 'name' | 'code'> & { fields?: Omit<Edit, 'ifRevision'> | undefined }

export const lockCompany = async (ctx: EventContext, id: string): Promise<CompanyRow> => (await lockCompanies(ctx, [id])).get(id)!

/**
 * Validates what the column types cannot: categories of the event, a web address, an image of the event, an amount in the event's currency.
 */
async function toRecordFields(ctx: EventContext, { sponsorAmount, website, ...fields }: Edit, isTestData: boolean) {
  const { config } = await readLiveOrTestConfiguration(ctx, isTestData)
  const known = config.exhibitorConfig.categories.map(({ code }) => code)
  const unknown = fields.categories?.filter((category) => !known.includes(category)) ?? []
  if (unknown.length > 0) throw invalidArguments([{ path: 'categories', message: `unknown: ${unknown.join(', ')}`, allowed: known }])
  if (fields.logoFileId) await requireImage(ctx, fields.logoFileId)
  if (sponsorAmount && sponsorAmount.currency !== ctx.event.currency)
    throw invalidArguments([{ path: 'sponsorAmount/currency', message: `the event uses ${ctx.event.currency}` }])
  return {
    ...fields,
    ...(website === undefined ? {} : { website: website === null ? null : normalizeWebsiteUrl(website) }),
    ...(sponsorAmount ? { sponsorAmount: toMinorUnits(sponsorAmount.amount, ctx.event.currency, 'sponsorAmount/amount') } : {}),
  }
}

async function requireImage(ctx: EventContext, fileId: string): Promise<void> {
  const { mime } = await getFile(ctx, { fileId, clientId: ctx.client.id, eventId: ctx.event.id })
  if (!mime.startsWith('image/')) throw invalidArguments([{ path: 'logoFileId', message: `the file is no image, but ${mime}` }])
}

/** Accepts web addresses without a scheme: `borealis.example` becomes `https://borealis.example/`. */
export function normalizeWebsiteUrl(text: string): string {
  const address = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`)
  if (!address || !['http:', 'https:'].includes(address.protocol) || !address.hostname.includes('.'))
    throw invalidArguments([{ path: 'website', message: 'is no web address, such as https://borealis.example' }])
  return address.href
}

export async function addCompany(ctx: EventContext, { fields: more, ...names }: Given & { name: string }) {
  const given = { ...more, ...names }
  const fields = await toRecordFields(ctx, given, false)
  // A cancelled company keeps its code, so a new company of the same name gets another code. createCompany rejects a name that is in use.
  const needsCode = given.code === undefined && (await findNamesake(ctx, given.name, null)) === null
  const code = needsCode ? { code: await findFreeCompanyCode(ctx, given.name) } : {}
  const { id } = await createCompany(ctx, { ...fields, ...code, name: given.name } as NewCompany)
  return { ...(await describeCompanyById(ctx, id)), changed: Object.keys(given) }
}

async function findNamesake(ctx: EventContext, name: string, otherThan: CompanyRow | null): Promise<CompanyRow | null> {
  const row = await eventDb(ctx)
    .selectFrom('companies')
    .selectAll()
    .where('name_norm', '=', sql<string>`btrim(lanyard_searched(${name}::text))`)
    .where('status', '<>', 'cancelled')
    .where('is_test_data', '=', otherThan?.is_test_data ?? false)
    .where('id', '<>', otherThan?.id ?? '')
    .executeTakeFirst()
  return row ?? null
}

async function refuseTakenNames(ctx: EventContext, company: CompanyRow, { name, code, externalId }: Edit): Promise<void> {
  const namesake = name === undefined ? null : await findNamesake(ctx, name, company)
  if (namesake) throw conflict(`This company already exists: ${namesake.code} (${namesake.id}). Choose another name, or merge the two`)
  for (const [column, value] of [['code', code] as const, ['external_id', externalId ?? undefined] as const]) {
    if (value === undefined) continue
    const other = await eventDb(ctx)
      .selectFrom('companies')
      .select('id')
      .where(column, '=', value)
      .where('id', '<>', company.id)
      .where((eb) => (column === 'code' ? eb.lit(true) : eb('is_test_data', '=', company.is_test_data)))
      .executeTakeFirst()
    if (other) throw conflict(`Another company has the ${column === 'code' ? 'code' : 'externalId'} ${value}: ${other.id}`)
  }
}

interface CompanyEdit extends Given, Pick<Edit, 'ifRevision'> {
  companyId: string
  status?: CompanyRow['status'] | undefined
}

/**
 * Changes the given fields of a company. The status can only be changed to active, for a company that registered elsewhere or was cancelled
 * by mistake.
 */
export async function updateCompany(ctx: EventContext, { companyId, status, fields: more, ...names }: CompanyEdit) {
  const given = { ...more, ...names }
  const company = await lockCompany(ctx, companyId)
  const fields = await toRecordFields(ctx, given, company.is_test_data)
  const planned = planEdit(COMPANY_RECORD, company, fields)
  await refuseTakenNames(ctx, company, {
    ...given,
    ...(status === 'active' && company.status === 'cancelled' ? { name: company.name } : {}),
  })
  const { row, changed } = await saveEdit(ctx, planned)
  const moves = status !== undefined && status !== company.status
  if (moves && status !== 'active')
    throw invalidArguments([{ path: 'status', message: 'can only become active; use the actions invite and cancel', allowed: ['active'] }])
  const updated = moves ? await changeRecordState(ctx, COMPANY_STATES, row, status) : row
  if (changed.includes('appointmentsEnabled') || moves)
    await regenerateAppointmentSlots(ctx, (await readLiveOrTestConfiguration(ctx, row.is_test_data)).config, { companyId })
  return { ...(await describeCompany(ctx, updated)), changed: [...changed, ...(moves ? ['status'] : [])] }
}

export async function changeCompetitors(ctx: EventContext, companyId: string, competitorIds: readonly string[]) {
  const changed = await setCompetitors(ctx, companyId, competitorIds)
  return { ...(await describeCompanyById(ctx, companyId)), changed: changed ? ['competitors'] : [] }
}

/** Replaces the activation code of a company. The old code becomes invalid immediately; devices that were activated with it stay active. */
export async function rotateActivationCode(ctx: EventContext, companyId: string) {
  const { status, code } = await lockCompany(ctx, companyId)
  if (status === 'cancelled') throw preconditionFailed(`${code} has cancelled and needs no activation code`)
  const activationCode = generateActivationCode()
  await eventDb(ctx)
    .updateTable('companies')
    .set(toActivationCodeColumns(ctx.keys, companyId, activationCode))
    .where('id', '=', companyId)
    .execute()
  recordChange(ctx, { kind: 'company', id: companyId, before: { activationCode: 'replaced' }, after: { activationCode } })
  return { ...(await describeCompanyById(ctx, companyId)), changed: ['activationCode'] }
}

export async function grantCompanyLeadLicence(
  ctx: EventContext,
  { companyId, productCode, seats, reason }: { companyId: string; productCode: string; seats: number; reason: string },
) {
  const company = await lockCompany(ctx, companyId)
  if (company.status === 'cancelled') throw preconditionFailed(`${company.code} has cancelled and cannot get a licence`)
  const { config } = await readLiveOrTestConfiguration(ctx, company.is_test_data)
  const products = config.products.filter(({ category }) => category === 'leadRetrieval')
  const product = products.find(({ code }) => code === productCode)
  if (!product)
    throw invalidArguments([
      {
        path: 'productCode',
        message: `is no product of category leadRetrieval: ${products.map(({ code }) => code).join(', ') || 'the event has none'}`,
        allowed: products.map(({ code }) => code),
      },
    ])
  await grantLeadLicence(ctx, { companyId, productCode, grants: product.grants, seats, reason })
  return { ...(await describeCompany(ctx, company, ['licences'])), changed: ['licences'] }
}

/** Ends a granted licence. Devices beyond the remaining seats are revoked by the database. */
export async function revokeCompanyLicence(ctx: EventContext, licenceId: string) {
  const licence = await eventDb(ctx).selectFrom('lead_licences').selectAll().where('id', '=', licenceId).forNoKeyUpdate().executeTakeFirst()
  if (!licence) throw notFound(`No licence ${licenceId} at this event`)
  if (licence.order_line_id !== null) throw preconditionFailed('This licence was bought: credit the order line')
  const changed = licence.status === 'active'
  if (changed) await changeRecordState(ctx, LEAD_LICENCE_STATES, licence, 'revoked', { columns: { revoked_at: sql`lanyard_now()` } })
  const company = await lockCompany(ctx, licence.company_id)
  return { ...(await describeCompany(ctx, company, ['licences'])), changed: changed ? ['licences'] : [] }
}

export async function adjustCompanyPriorityPoints(
  ctx: EventContext,
  { companyId, points, reason }: { companyId: string; points: number; reason: string },
) {
  const company = await lockCompany(ctx, companyId)
  if (points === 0 || Math.round(points * 100) / 100 !== points)
    throw invalidArguments([{ path: 'points', message: 'is a number with at most two decimals, and not 0' }])
  await addPriorityPointsAdjustment(ctx, { organizationId: company.organization_id, points, reason })
  return { ...(await describeCompany(ctx, company, ['points'])), changed: ['points'] }
}

/** Sets how many free staff passes a company gets in addition to those for its booth area. */
export async function setExtraStaffPasses(ctx: EventContext, company: CompanyRow, extra: number, reason: string): Promise<CompanyRow> {
  const { id, staff_extra: before } = company
  if (extra === before) return company
  const row = await eventDb(ctx)
    .updateTable('companies')
    .set({ staff_extra: extra })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'company', id, before: { extraPasses: before }, after: { extraPasses: extra, reason } })
  return row
}
