import { type Selectable, sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { newId, toSlug } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { Secret } from '../../kernel/secrets.ts'
import { toStoredCode, newActivationCode } from './activation-codes.ts'
import { type EventScope, readConfigurationFor, type EventQueryScope } from './context.ts'
import { regenerateOfferings } from './offerings.ts'
import { findOrCreateOrganization } from './organizations.ts'

export type CompanyRow = Selectable<Tables['companies']>

export interface NewCompany {
  name: string
  code?: string
  description?: string
  website?: string
  country?: string
  categories?: readonly string[]
  contact?: { name?: string; email?: string; phone?: string }
  appointmentsEnabled?: boolean
  status?: CompanyRow['status']
  isTestData?: boolean
}

/** Creates an exhibitor with the activation code for its scanners. */
export async function createCompany(ctx: EventScope, company: NewCompany): Promise<{ id: string; activationCode: Secret }> {
  const id = newId()
  const activationCode = newActivationCode()
  const { isTestData = false, contact = {} } = company
  const inserted = await ctx.db
    .insertInto('companies')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      organization_id: await findOrCreateOrganization(ctx, company),
      code: company.code ?? toSlug(company.name),
      name: company.name,
      description: company.description ?? null,
      website: company.website ?? null,
      country: company.country ?? null,
      categories: [...(company.categories ?? [])],
      contact_name: contact.name ?? null,
      contact_email: contact.email ?? null,
      contact_phone: contact.phone ?? null,
      ...toStoredCode(ctx.keys, id, activationCode),
      appointments_enabled: company.appointmentsEnabled ?? false,
      status: company.status ?? 'prospect',
      is_test_data: isTestData,
    })
    .onConflict((c) => c.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) throw await companyExistsError(ctx, company)
  // There is no event kind for a new company, so it is announced as an update.
  announce(ctx, { kind: 'company.updated', entity: 'company', id, changed: ['code', 'name', 'status'], isTestData })
  recordChange(ctx, { kind: 'company', id, after: { name: company.name, status: company.status ?? 'prospect', activationCode } })
  if (company.appointmentsEnabled) await regenerateOfferings(ctx, (await readConfigurationFor(ctx, isTestData)).config, { companyId: id })
  return { id, activationCode }
}

async function companyExistsError(ctx: EventScope, { name, code, isTestData = false }: NewCompany) {
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

const selectCompanies = (ctx: EventQueryScope) =>
  eventDb(ctx).selectFrom('companies').selectAll()

export async function getCompany(ctx: EventQueryScope, id: string): Promise<CompanyRow> {
  const row = await selectCompanies(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No company ${id} at this event`)
  return row
}
