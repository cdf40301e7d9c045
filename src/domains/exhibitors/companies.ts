import { type Selectable, sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { newId, slugOf } from '../../kernel/ids.ts'
import type { Secret } from '../../kernel/secrets.ts'
import { keptCode, newActivationCode } from './activation-codes.ts'
import { type AtEvent, configurationOf, type Where } from './at-event.ts'
import { refreshOfferings } from './offerings.ts'
import { organizationFor } from './organizations.ts'

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

/** An exhibiting company at this event, with the code that its scanners are activated by. */
export async function createCompany(ctx: AtEvent, company: NewCompany): Promise<{ id: string; activationCode: Secret }> {
  const id = newId()
  const activationCode = newActivationCode()
  const { isTestData = false, contact = {} } = company
  const inserted = await ctx.db
    .insertInto('companies')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      organization_id: await organizationFor(ctx, company),
      code: company.code ?? slugOf(company.name),
      name: company.name,
      description: company.description ?? null,
      website: company.website ?? null,
      country: company.country ?? null,
      categories: [...(company.categories ?? [])],
      contact_name: contact.name ?? null,
      contact_email: contact.email ?? null,
      contact_phone: contact.phone ?? null,
      ...keptCode(ctx.keys, id, activationCode),
      appointments_enabled: company.appointmentsEnabled ?? false,
      status: company.status ?? 'prospect',
      is_test_data: isTestData,
    })
    .onConflict((c) => c.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) throw await alreadyThere(ctx, company)
  // The list of kinds has none for a new company: it is an update from nothing.
  announce(ctx, { kind: 'company.updated', entity: 'company', id, changed: ['code', 'name', 'status'], isTestData })
  recordChange(ctx, { kind: 'company', id, after: { name: company.name, status: company.status ?? 'prospect', activationCode } })
  if (company.appointmentsEnabled) await refreshOfferings(ctx, (await configurationOf(ctx, isTestData)).config, { companyId: id })
  return { id, activationCode }
}

async function alreadyThere(ctx: AtEvent, { name, code, isTestData = false }: NewCompany) {
  const other = await companiesOf(ctx)
    .where((eb) =>
      eb.or([
        eb('code', '=', code ?? slugOf(name)),
        eb.and([
          eb('name_norm', '=', sql<string>`btrim(lanyard_searched(${name}::text))`),
          eb('status', '<>', 'cancelled'),
          eb('is_test_data', '=', isTestData),
        ]),
      ]),
    )
    .executeTakeFirst()
  return conflict(`There is such a company already${other ? `: ${other.code} (${other.id})` : ''} — choose another name or code`)
}

const companiesOf = ({ db, tenantId, event }: Where) =>
  db.selectFrom('companies').selectAll().where('tenant_id', '=', tenantId).where('event_id', '=', event.id)

export async function getCompany(ctx: Where, id: string): Promise<CompanyRow> {
  const row = await companiesOf(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No company ${id} at this event`)
  return row
}
