import { sql } from 'kysely'
import { newId } from '../../kernel/ids.ts'
import type { ExhibitorContext } from './context.ts'
import type { NewCompany } from './companies.ts'

/**
 * Finds the client-wide organization of a company: the one that has the name as an alias because of a merge, then the one of that name,
 * then the only one whose name differs in its legal form. Companies of one event with different names are different organizations. Creates
 * an organization if there is none.
 */
export async function findOrCreateOrganization(ctx: ExhibitorContext, { name, website, isTestData = false }: NewCompany): Promise<string> {
  const { rows } = await sql<{ id: string; rank: number }>`
    select n.id, n.rank from (
      select o.id, case when exists (select from unnest(o.aliases) a where lanyard_bare_name(a) = g.bare) then 0
        when o.name_norm = g.norm then 1 else 2 end as rank
      from (select lanyard_bare_name(${name}::text) as bare, btrim(lanyard_searched(${name}::text)) as norm) g
      join organizations o on o.tenant_id = ${ctx.tenantId} and o.client_id = ${ctx.client.id} and o.is_test_data = ${isTestData}
        and (o.name_bare = g.bare or o.aliases <> '{}' and exists (select from unnest(o.aliases) a where lanyard_bare_name(a) = g.bare))) n
    where n.rank = 1 or not exists (select from companies c where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id}
      and c.organization_id = n.id and c.status <> 'cancelled')
    order by n.rank, n.id limit 2`.execute(ctx.db)
  const [best, second] = rows
  if (best && (best.rank < 2 || second === undefined)) return best.id
  const id = newId()
  const domain = website === undefined || website === null ? null : new URL(website).hostname.replace(/^www\./, '')
  await ctx.db
    .insertInto('organizations')
    .values({ tenant_id: ctx.tenantId, id, client_id: ctx.client.id, name, domain, is_test_data: isTestData })
    .execute()
  return id
}
