import { type Selectable, sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { newId, toSlug } from '../../kernel/ids.ts'
import { type NewRecord, toRecordColumns } from '../../kernel/records.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { Secret } from '../../kernel/secrets.ts'
import { toActivationCodeColumns, generateActivationCode } from './activation-codes.ts'
import { COMPANY_RECORD } from './company-record.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration, type ExhibitorQueryContext } from './context.ts'
import { regenerateAppointmentSlots } from './offerings.ts'
import { findOrCreateOrganization } from './organizations.ts'

export type CompanyRow = Selectable<Tables['companies']>

export interface NewCompany extends Partial<NewRecord<typeof COMPANY_RECORD>> {
  name: string
  isTestData?: boolean
  /** Whether an applicant creates the company during registration. */
  selfRegistered?: boolean
}

/** Creates an exhibitor with the activation code for its scanners. */
export async function createCompany(ctx: ExhibitorContext, company: NewCompany): Promise<{ id: string; activationCode: Secret }> {
  const id = newId()
  const activationCode = generateActivationCode()
  const { isTestData = false, selfRegistered = false, ...fields } = company
  const inserted = await ctx.db
    .insertInto('companies')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      organization_id: await findOrCreateOrganization(ctx, company),
      ...toRecordColumns(COMPANY_RECORD, fields),
      name: company.name,
      code: company.code ?? toSlug(company.name),
      ...toActivationCodeColumns(ctx.keys, id, activationCode),
      is_test_data: isTestData,
      self_registered: selfRegistered,
    })
    .onConflict((c) => c.doNothing())
    .returning('status')
    .executeTakeFirst()
  if (!inserted) throw await companyExistsError(ctx, company)
  // Webhooks have no event kind for a new company, so it is announced as `company.updated`.
  announceToWebhooks(ctx, { kind: 'company.updated', entity: 'company', id, changed: ['code', 'name', 'status'], isTestData })
  recordChange(ctx, { kind: 'company', id, after: { name: company.name, status: inserted.status, activationCode } })
  if (company.appointmentsEnabled)
    await regenerateAppointmentSlots(ctx, (await readLiveOrTestConfiguration(ctx, isTestData)).config, { companyId: id })
  return { id, activationCode }
}

async function companyExistsError(ctx: ExhibitorContext, { name, code, isTestData = false }: NewCompany) {
  const other = await selectCompanies(ctx)
    .where((eb) =>
      eb.or([
        eb('code', '=', code ?? toSlug(name)),
        eb.and([
          eb('name_norm', '=', sql<string>`btrim(lanyard_searched(${name}::text))`),
          eb('status', '<>', 'cancelled'),
          eb('is_test_data', '=', isTestData),
        ]),
      ]),
    )
    .executeTakeFirst()
  return conflict(`This company already exists${other ? `: ${other.code} (${other.id})` : ''}. Choose another name or code`)
}

/** Maximum length of a company code before the number that makes it unique is appended. */
const MAX_BASE_CODE = 58

/** Derives a code from the name of a company. A number is appended if another company of the event has that code. */
export async function findFreeCompanyCode(ctx: ExhibitorQueryContext, name: string): Promise<string> {
  const base = toSlug(name).slice(0, MAX_BASE_CODE).replace(/-+$/, '')
  const rows = await eventDb(ctx)
    .selectFrom('companies')
    .select('code')
    .where((eb) => eb.or([eb('code', '=', base), eb('code', 'like', `${base}-%`)]))
    .execute()
  const taken = new Set(rows.map(({ code }) => code))
  let code = base
  for (let number = 2; taken.has(code); number++) code = `${base}-${number}`
  return code
}

const selectCompanies = (ctx: ExhibitorQueryContext) => eventDb(ctx).selectFrom('companies').selectAll()

export async function getCompany(ctx: ExhibitorQueryContext, id: string): Promise<CompanyRow> {
  const row = await selectCompanies(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No company ${id} at this event`)
  return row
}
