import type { Insertable } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import type { ClientsTable, EventsTable } from './tables.ts'

/** Creates tenants, clients and events outside of a request: for the setup, the command line and tests. */

export async function createTenant(db: Db, { code, name }: { code: string; name: string }): Promise<number> {
  const tenant = await db
    .insertInto('tenants')
    .values({ code, name })
    .onConflict((c) => c.column('code').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!tenant) throw conflict(`Tenant ${code} exists already`)
  return tenant.id
}

export async function listTenantCodes(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('tenants').select('code').orderBy('code').execute()
  return rows.map((row) => row.code)
}

/** Deletes the row of a tenant, after its rows in other tables were deleted. */
export async function deleteTenantRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('tenants').where('id', '=', id).execute()
}

export async function createClient(db: Db, client: Omit<Insertable<ClientsTable>, 'id'>): Promise<string> {
  const id = newId()
  await db
    .insertInto('clients')
    .values({ ...client, id })
    .execute()
  return id
}

type NewEvent = Omit<Insertable<EventsTable>, 'id'>

export async function createEventWithoutContext(db: Db, event: NewEvent): Promise<string> {
  const id = newId()
  await db
    .insertInto('events')
    .values({ ...event, id })
    .execute()
  return id
}

export async function getClientByCode(db: Db, { tenantCode, clientCode }: { tenantCode?: string | undefined; clientCode: string }) {
  let query = db
    .selectFrom('clients')
    .innerJoin('tenants', 'tenants.id', 'clients.tenant_id')
    .select(['clients.tenant_id as tenantId', 'clients.id as clientId', 'tenants.code as tenantCode', 'clients.code as clientCode'])
    .where('clients.code', '=', clientCode)
  if (tenantCode) query = query.where('tenants.code', '=', tenantCode)
  const found = await query.limit(2).execute()
  if (found.length > 1) throw conflict(`Client ${clientCode} exists in several tenants. Pass --tenant`)
  if (!found[0]) throw notFound(`No client ${clientCode}${tenantCode ? ` in tenant ${tenantCode}` : ''}`)
  return found[0]
}

export async function getEventByCode(
  db: Db,
  { tenantId, clientId, clientCode }: Awaited<ReturnType<typeof getClientByCode>>,
  eventCode: string,
): Promise<{ eventId: string }> {
  const found = await tenantDb({ db, tenantId })
    .selectFrom('events')
    .select('id as eventId')
    .where('client_id', '=', clientId)
    .where('code', '=', eventCode)
    .executeTakeFirst()
  if (!found) throw notFound(`No event ${eventCode} at client ${clientCode}`)
  return found
}
