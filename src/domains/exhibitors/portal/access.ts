import { sql } from 'kysely'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { notFound } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from '../context.ts'

export interface PortalCompany {
  company: CompanyRow
  /** Name of the staff member, as entered by the company. */
  name: string | null
  /** Whether the person manages the company, as its contact or as an admin. Other staff see only its leads and appointments. */
  manages: boolean
}

/**
 * The companies to which a verified email address gives access, sorted by name: as the company's contact, or as its booth staff, by the
 * invited or the registered address. Test companies exist only while the event is in test mode. Read with every request, so that a removed
 * person loses access immediately.
 */
export async function listPortalCompanies(ctx: ExhibitorContext, email: string): Promise<PortalCompany[]> {
  const { rows } = await sql<{ companyId: string; manages: boolean; name: string | null }>`
    select o."companyId", bool_or(o.manages) as manages, max(o.name) as name from (
      select c.id as "companyId", true as manages, c.contact_name as name from companies c
      where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and lanyard_fold_email(c.contact_email) = ${foldEmailCase(email)}
      union all
      select s.company_id, s.role <> 'staff', s.name from exhibitor_staff s
      where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.email_norm = ${foldEmailCase(email)} and s.status <> 'removed'
      union all
      select s.company_id, s.role <> 'staff', s.name from participants p
      join exhibitor_staff s on s.tenant_id = p.tenant_id and s.event_id = p.event_id and s.participant_id = p.id and s.status = 'registered'
      where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.email_norm = ${foldEmailCase(email)}
        and p.status = 'complete' and not p.email_unverified) o
    group by 1`.execute(ctx.db)
  const people = new Map(rows.map(({ companyId, manages, name }) => [companyId, { manages, name }]))
  const companies = await eventDb(ctx)
    .selectFrom('companies')
    .selectAll()
    .where('id', '=', sql<string>`any(${[...people.keys()]})`)
    .where('status', '<>', 'cancelled')
    .where((eb) => (ctx.event.testMode ? eb.lit(true) : eb('is_test_data', '=', false)))
    .orderBy('name_norm')
    .orderBy('id')
    .execute()
  return companies.map((company) => ({ company, ...people.get(company.id)! }))
}

/** Whether the event has exhibitors, so that its pages link to the exhibitor portal. */
export async function hasExhibitorsAtEvent(ctx: ExhibitorQueryContext): Promise<boolean> {
  const found = await eventDb(ctx).selectFrom('companies').select('id').where('status', '<>', 'cancelled').limit(1).executeTakeFirst()
  return found !== undefined
}

/** Throws a not-found error if the record does not exist or belongs to another company. */
export async function requireCompanyOwnsRecord(
  ctx: ExhibitorQueryContext,
  table: 'leads' | 'exhibitor_staff' | 'lead_devices' | 'appointments',
  id: string,
  companyId: string,
): Promise<void> {
  const own = await eventDb(ctx).selectFrom(table).select('id').where('id', '=', id).where('company_id', '=', companyId).executeTakeFirst()
  if (!own) throw notFound('This company has no such record')
}
