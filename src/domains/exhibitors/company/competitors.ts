import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { lockCompanies } from '../booths/lock.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from '../context.ts'

/** Lists the competitors of a company. Each pair is stored once, with the lower id first, and applies to both companies. */
export async function listCompetitorIds({ db, tenantId, event }: ExhibitorQueryContext, companyId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select case when company_id = ${companyId} then competitor_id else company_id end as id from company_competitors
    where tenant_id = ${tenantId} and event_id = ${event.id} and ${companyId} in (company_id, competitor_id) order by 1`.execute(db)
  return rows.map(({ id }) => id)
}

export async function listCompetitors(ctx: ExhibitorQueryContext, companyId: string): Promise<{ companyId: string; name: string }[]> {
  const ids = await listCompetitorIds(ctx, companyId)
  if (ids.length === 0) return []
  const { rows } = await sql<{ companyId: string; name: string }>`
    select id as "companyId", name from companies where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = any(${ids})
    order by name_norm, id`.execute(ctx.db)
  return rows
}

/** Replaces the competitors of a company. Both companies of a pair are competitors of each other. */
export async function setCompetitors(ctx: ExhibitorContext, companyId: string, competitorIds: readonly string[]): Promise<boolean> {
  const wanted = [...new Set(competitorIds)].toSorted()
  if (wanted.includes(companyId)) throw invalidArguments([{ path: 'competitorIds', message: 'a company is not its own competitor' }])
  const companies = await lockCompanies(ctx, [companyId, ...wanted])
  const company = companies.get(companyId)!
  if (wanted.some((id) => companies.get(id)!.is_test_data !== company.is_test_data))
    throw preconditionFailed('Test companies and real companies cannot be competitors')
  const before = await listCompetitorIds(ctx, companyId)
  if (before.join() === wanted.join()) return false
  await sql`delete from company_competitors where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id}
    and ${companyId} in (company_id, competitor_id)`.execute(ctx.db)
  await addCompetitors(ctx, companyId, wanted)
  recordChange(ctx, { kind: 'company', id: companyId, before: { competitors: before }, after: { competitors: wanted } })
  return true
}

/** Adds competitors; existing pairs stay unchanged. */
export async function addCompetitors(ctx: ExhibitorQueryContext, companyId: string, competitorIds: readonly string[]): Promise<void> {
  if (competitorIds.length === 0) return
  await ctx.db
    .insertInto('company_competitors')
    .values(
      competitorIds.map((other) => {
        const [company_id, competitor_id] = [companyId, other].toSorted() as [string, string]
        return { tenant_id: ctx.tenantId, event_id: ctx.event.id, company_id, competitor_id }
      }),
    )
    .onConflict((c) => c.doNothing())
    .execute()
}
