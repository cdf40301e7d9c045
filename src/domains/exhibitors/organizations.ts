import { sql } from 'kysely'
import { newId } from '../../kernel/ids.ts'
import type { AtEvent } from './at-event.ts'
import type { NewCompany } from './companies.ts'

/** The one that a company is across the events of its client: the same name however written, or else a new one. */
export async function organizationFor(ctx: AtEvent, { name, website, isTestData = false }: NewCompany): Promise<string> {
  const known = await ctx.db
    .selectFrom('organizations')
    .select('id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('client_id', '=', ctx.client.id)
    .where('is_test_data', '=', isTestData)
    .where('name_norm', '=', sql<string>`btrim(lanyard_searched(${name}::text))`)
    .orderBy('id')
    .executeTakeFirst()
  if (known) return known.id
  const id = newId()
  const domain = website === undefined ? null : new URL(website).hostname.replace(/^www\./, '')
  await ctx.db
    .insertInto('organizations')
    .values({ tenant_id: ctx.tenantId, id, client_id: ctx.client.id, name, domain, is_test_data: isTestData })
    .execute()
  return id
}
