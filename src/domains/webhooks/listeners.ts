import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import type {} from './tables.ts'

/** An endpoint that is told of what happens at one event. */
export interface Hearing {
  endpointId: string
  kinds: readonly string[]
  sensitiveData: boolean
  eventId: string
  clientCode: string
  eventCode: string
}

/** Who listens at these events. Where a tenant has no endpoint that is one look at an index which holds nothing of it. */
export async function listenersAt({ db, tenantId }: Pick<Context, 'db' | 'tenantId'>, eventIds: readonly string[]): Promise<Hearing[]> {
  const { rows } = await sql<Hearing>`
    select w.id as "endpointId", w.kinds, a.sensitive_data as "sensitiveData", e.id as "eventId", c.code as "clientCode", e.code as "eventCode"
    from webhook_endpoints w
    join api_accounts a on a.tenant_id = w.tenant_id and a.id = w.account_id and a.active and a.rest_access
    join events e on e.tenant_id = w.tenant_id and e.id = any(${eventIds})
    join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id and c.active
    join tenants t on t.id = e.tenant_id
    where w.tenant_id = ${tenantId} and w.status = 'active'
      and (w.client_code is null or w.client_code = c.code) and (w.event_code is null or w.event_code = e.code)
      and api_account_covers(a.allowed_tenants, a.allowed_clients, a.allowed_events, t.code, c.code, e.code)
    order by w.id`.execute(db)
  return rows
}
