import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'

/** An endpoint that receives the messages about one event, or about a client as a whole. */
export interface SubscribedEndpoint {
  endpointId: string
  kinds: readonly string[]
  sensitiveData: boolean
  placeId: string
  clientCode: string
  eventCode: string | null
}

/**
 * Lists the active endpoints for these events and clients. Messages about a client go only to endpoints that cover the whole client. For a
 * tenant without endpoints this is one index lookup.
 */
export async function listSubscribedEndpoints(
  { db, tenantId }: Pick<Context, 'db' | 'tenantId'>,
  placeIds: readonly string[],
): Promise<SubscribedEndpoint[]> {
  const { rows } = await sql<SubscribedEndpoint>`
    select w.id as "endpointId", w.kinds, a.sensitive_data as "sensitiveData", e.id as "placeId", c.code as "clientCode", e.code as "eventCode"
    from webhook_endpoints w
    join api_accounts a on a.tenant_id = w.tenant_id and a.id = w.account_id and a.active and a.rest_access
    join (select v.tenant_id, v.client_id, v.id, v.code from events v union all select k.tenant_id, k.id, k.id, null from clients k) e
      on e.tenant_id = w.tenant_id and e.id = any(${placeIds})
    join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id and c.active
    join tenants t on t.id = e.tenant_id
    where w.tenant_id = ${tenantId} and w.status = 'active'
      and (w.client_code is null or w.client_code = c.code) and (w.event_code is null or w.event_code = e.code)
      and api_account_covers(a.allowed_tenants, a.allowed_clients, a.allowed_events, t.code, c.code, e.code)
    order by w.id`.execute(db)
  return rows
}
