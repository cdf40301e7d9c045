import { sql } from 'kysely'
import { newId } from '../../kernel/ids.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import type { EventScope } from './context.ts'
import type { NewCompany } from './companies.ts'

/** Finds the client-wide organization by its normalized name, or creates one. */
export async function findOrCreateOrganization(ctx: EventScope, { name, website, isTestData = false }: NewCompany): Promise<string> {
  const known = await tenantDb(ctx)
    .selectFrom('organizations')
    .select('id')
    .where('client_id', '=', ctx.client.id)
    .where('is_test_data', '=', isTestData)
    .where('name_norm', '=', sql<string>`btrim(lanyard_searched(${name}::text))`)
    .orderBy('id')
    .executeTakeFirst()
  if (known) return known.id
  const id = newId()
  const domain = website === undefined || website === null ? null : new URL(website).hostname.replace(/^www\./, '')
  await ctx.db
    .insertInto('organizations')
    .values({ tenant_id: ctx.tenantId, id, client_id: ctx.client.id, name, domain, is_test_data: isTestData })
    .execute()
  return id
}
