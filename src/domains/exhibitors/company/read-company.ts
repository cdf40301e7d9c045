import { sql } from 'kysely'
import type { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { AppError, invalidArguments, notFound } from '../../../kernel/errors.ts'
import { toMoney } from '../../../kernel/money.ts'
import { readPage } from '../../../kernel/page.ts'
import { toRecordFieldValues } from '../../../kernel/records.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../../kernel/search.ts'
import { countCappedTotal } from '../../../kernel/totals.ts'
import { decryptActivationCode } from '../activation-codes.ts'
import { type CompanyRow, getCompany } from '../companies.ts'
import { listBoothNumbers } from '../company-facts.ts'
import { COMPANY_RECORD } from '../company-record.ts'
import { mustLicencesBePaid } from '../licences.ts'
import { listCompetitors } from './competitors.ts'
import { readIncludedCompanyParts } from './included.ts'
import type { CompanyIncludeOption, CompanySelector, CompanyDetailsShape } from './company-shapes.ts'

interface CompanyFilter {
  status?: CompanyRow['status'] | undefined
  category?: string | undefined
  hasBooth?: boolean | undefined
  hasLicence?: boolean | undefined
  search?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const OWN = sql`x.tenant_id = companies.tenant_id and x.event_id = companies.event_id and x.company_id = companies.id`
const HAS_BOOTH = sql<boolean>`exists (select from booth_assignments x where ${OWN} and x.until is null)`
/**
 * SQL condition for companies with a valid licence: it is active and, if it was sold, its order line is not fully credited and, if the event
 * requires it, paid.
 */
const hasLicenceCondition = async (ctx: EventContext) =>
  sql<boolean>`exists (select from lead_licences x where ${OWN} and x.status = 'active' and licence_seats(x, ${await mustLicencesBePaid(ctx)}) > 0)`

/** Lists exhibitors by name, without test companies. */
export async function listCompanies(ctx: EventContext, { limit = 25, cursor, ...filter }: CompanyFilter) {
  const { status, category, hasBooth, hasLicence, search } = filter
  const hasValidLicence = await hasLicenceCondition(ctx)
  let rows = eventDb(ctx)
    .selectFrom('companies')
    .selectAll('companies')
    .select(hasValidLicence.as('has_licence'))
    .where('companies.is_test_data', '=', false)
  if (status !== undefined) rows = rows.where('companies.status', '=', status)
  if (category !== undefined) rows = rows.where(sql<boolean>`${category} = any(companies.categories)`)
  if (hasBooth !== undefined) rows = rows.where(HAS_BOOTH, '=', hasBooth)
  if (hasLicence !== undefined) rows = rows.where(hasValidLicence, '=', hasLicence)
  if (search !== undefined) rows = rows.where(buildWordMatchCondition(sql`companies.searched`, search))
  const { items, ...page } = await readPage(
    ctx,
    { limit, cursor },
    {
      rows,
      order: [
        { by: sql`companies.name_norm`, type: 'text', of: (row) => row.name_norm },
        { by: sql`companies.id`, type: 'text', of: (row) => row.id },
      ],
      shape: (row) => row,
    },
  )
  const booths = await listBoothNumbers(
    ctx,
    items.map(({ id }) => id),
  )
  return { companies: items.map((row) => toSummary(row, booths.get(row.id) ?? [])), ...(await countCappedTotal(ctx, rows)), ...page }
}

const toSummary = (row: CompanyRow & { has_licence: boolean }, boothNumbers: string[]) => ({
  id: row.id,
  code: row.code,
  name: row.name,
  status: row.status,
  country: row.country,
  categories: row.categories,
  sponsorLevel: row.sponsor_level,
  contact: { name: row.contact_name, email: row.contact_email },
  boothNumbers,
  hasLicence: row.has_licence,
  revision: row.revision,
})

/** Finds a company by id, code or name. If several companies have the name, prefers one that has not cancelled. */
export async function findCompany(ctx: EventContext, { companyId, code, name }: CompanySelector): Promise<CompanyRow> {
  const given = [companyId, code, name].filter((one) => one !== undefined)
  if (given.length !== 1) throw invalidArguments([{ path: 'companyId', message: 'give one of companyId, code and name' }])
  if (companyId !== undefined) return getCompany(ctx, companyId)
  let rows = eventDb(ctx).selectFrom('companies').selectAll()
  if (code !== undefined) rows = rows.where('code', '=', code)
  if (name !== undefined) rows = rows.where('name_norm', '=', sql<string>`btrim(lanyard_searched(${name}::text))`)
  const found = await rows
    .orderBy('is_test_data')
    .orderBy(sql`status = 'cancelled'`)
    .orderBy('id')
    .limit(2)
    .execute()
  const [first, second] = found
  if (!first) throw notFound(`No company ${given[0]} at this event`)
  if (second && second.is_test_data === first.is_test_data && first.status === 'cancelled')
    throw new AppError('ambiguous', `Several cancelled companies are named ${name}. Pass the companyId of one of them`, {
      candidates: found.map(({ id, code: own }) => ({ companyId: id, code: own })),
    })
  return first
}

/** Returns a company with everything that `include` names. Its activation code is shown to users who may change companies. */
export async function describeCompany(ctx: EventContext, company: CompanyRow, include: readonly CompanyIncludeOption[] = []) {
  const personal = ctx.permissions.has('personal.read')
  const mayWrite = ctx.permissions.has('exhibitors.write')
  const { contact, billing, sponsorAmount: _minor, status: _status, ...fields } = toRecordFieldValues(COMPANY_RECORD, company)
  return {
    company: {
      ...(fields as Omit<z.input<typeof CompanyDetailsShape>, 'contact' | 'billing'>),
      id: company.id,
      status: company.status,
      contact: personal
        ? (contact as { name: string | null; email: string | null })
        : { name: company.contact_name, email: company.contact_email },
      billing: personal ? (billing as Record<string, unknown>) : null,
      sponsorAmount: company.sponsor_amount === null ? null : toMoney(company.sponsor_amount, ctx.event.currency),
      organizationId: company.organization_id,
      competitors: await listCompetitors(ctx, company.id),
      ...(mayWrite ? { activationCode: decryptActivationCode(ctx.keys, company).reveal() } : {}),
      isTestData: company.is_test_data,
      revision: company.revision,
      ...(await readIncludedCompanyParts(ctx, company, include)),
    },
  }
}

export const describeCompanyById = async (ctx: EventContext, id: string) => describeCompany(ctx, await getCompany(ctx, id))
