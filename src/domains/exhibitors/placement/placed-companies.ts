import { sql } from 'kysely'
import { notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { ExhibitorQueryContext } from '../context.ts'

export interface PlacedCompany {
  companyId: string
  name: string
  /** Whether the booth is assigned, and not only held for the company. */
  assigned: boolean
}

/** The companies of booths, by booth id: assigned or held. Test companies are left out. */
export async function listCompaniesByBooth(ctx: ExhibitorQueryContext, floorPlanId: string): Promise<Map<string, PlacedCompany>> {
  const { rows } = await sql<PlacedCompany & { boothId: string }>`
    select b.id as "boothId", c.id as "companyId", c.name, a.id is not null as assigned from booths b
    left join booth_assignments a on a.tenant_id = b.tenant_id and a.event_id = b.event_id and a.booth_id = b.id and a.until is null
    join companies c on c.tenant_id = b.tenant_id and c.event_id = b.event_id and c.id = coalesce(a.company_id, b.held_for)
      and not c.is_test_data
    where b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id} and b.floor_plan_id = ${floorPlanId} and b.status <> 'merged'`.execute(
    ctx.db,
  )
  return new Map(rows.map(({ boothId, ...company }) => [boothId, company]))
}

/**
 * Lists the companies of booths as if a proposal were applied, by booth id: each company keeps its booths and also gets the proposed ones.
 */
export async function listProposedCompaniesByBooth(ctx: ExhibitorQueryContext, proposalId: string): Promise<Map<string, PlacedCompany>> {
  const proposal = await eventDb(ctx).selectFrom('assignment_proposals').select('result').where('id', '=', proposalId).executeTakeFirst()
  if (!proposal) throw notFound(`No proposal ${proposalId} at this event. Create one with propose_booth_assignments`)
  if (proposal.result === null) throw preconditionFailed(`Proposal ${proposalId} is still being calculated. Try again in a minute`)
  const { assigned } = proposal.result
  const rows = await eventDb(ctx)
    .selectFrom('companies')
    .select(['id', 'name'])
    .where('is_test_data', '=', false)
    .where('id', '=', sql<string>`any(${assigned.map(({ companyId }) => companyId)})`)
    .execute()
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return new Map(
    assigned.flatMap(({ companyId, boothIds }) => {
      const name = names.get(companyId)
      return name === undefined ? [] : boothIds.map((boothId): [string, PlacedCompany] => [boothId, { companyId, name, assigned: true }])
    }),
  )
}

/** Lists the pairs of companies that are competitors of each other. */
export const listCompetitorPairs = (ctx: ExhibitorQueryContext): Promise<{ company_id: string; competitor_id: string }[]> =>
  eventDb(ctx).selectFrom('company_competitors').select(['company_id', 'competitor_id']).execute()
