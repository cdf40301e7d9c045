import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { newLeaseToken } from '../../kernel/lease.ts'
import type { EncryptedSigningSecret } from './tables.ts'

export interface LeasedDelivery {
  tenantId: number
  endpointId: string
  messageId: string
  lease: string
  kind: string
  url: string
  secrets: EncryptedSigningSecret[]
  body: string
  triesLeft: number
  replay: boolean
  /** Whether an attempt to deliver to the endpoint has failed since the last successful one. */
  failing: boolean
  /** Whether the account that owns the endpoint still covers the event or client of the record. */
  covered: boolean
  now: Date
}

/** The maximum number of concurrent deliveries per endpoint. A failing endpoint gets one at a time until a delivery succeeds. */
const MAX_IN_FLIGHT = 8
const MAX_IN_FLIGHT_FAILING = 1
/** How long a worker leases a delivery: longer than the timeout of an attempt. Afterwards another worker may lease it. */
export const DELIVERY_LEASE_SECONDS = 30

/**
 * SQL subquery (CTE) with the current time, evaluated once per statement: `lanyard_now()` is volatile, so comparing a column with it
 * directly could not use an index.
 */
const NOW_CTE = sql`now_once as materialized (select lanyard_now() as at)`
const CURRENT_TIME = sql`(select at from now_once)`
const IS_DUE = sql`d.status = 'pending' and d.next_attempt_at <= ${CURRENT_TIME} and (d.lease_until is null or d.lease_until <= ${CURRENT_TIME})`

/**
 * Leases due deliveries for as many endpoints as the worker has capacity for. An endpoint is locked while its deliveries are leased, and
 * other workers skip it. So no delivery is leased twice, and no endpoint exceeds its limit, with any number of workers.
 */
export async function leaseDueDeliveries(db: Db, { room, roomFailing }: { room: number; roomFailing: number }): Promise<LeasedDelivery[]> {
  const { rows: endpoints } = await sql<{ tenantId: number; id: string; failing: boolean }>`
    with ${NOW_CTE}
    select w.tenant_id as "tenantId", w.id, w.failing_since is not null as failing
    from webhook_endpoints w
    where w.status = 'active' and (w.failing_since is null or ${roomFailing > 0})
      and exists (select from webhook_deliveries d where d.tenant_id = w.tenant_id and d.endpoint_id = w.id and ${IS_DUE})
    order by w.failing_since is not null, random() limit ${room}
    for no key update of w skip locked`.execute(db)
  const failing = endpoints.filter((one) => one.failing).slice(0, roomFailing)
  const chosen = [...endpoints.filter((one) => !one.failing), ...failing]
  if (chosen.length === 0) return []
  return leaseForEndpoints(db, chosen, room)
}

/**
 * Leases deliveries of locked endpoints. This is a separate statement, because only a new snapshot sees leases that other workers committed
 * before they released the endpoint's lock.
 */
async function leaseForEndpoints(
  db: Db,
  endpoints: readonly { tenantId: number; id: string; failing: boolean }[],
  room: number,
): Promise<LeasedDelivery[]> {
  const lease = newLeaseToken()
  const shares = endpoints.map(({ failing }) => (failing ? MAX_IN_FLIGHT_FAILING : MAX_IN_FLIGHT))
  const { rows } = await sql<Omit<LeasedDelivery, 'lease'>>`
    with ${NOW_CTE}, free as materialized (
      select w.tenant_id, w.id, k.share - (select count(*) from webhook_deliveries h
        where h.tenant_id = w.tenant_id and h.endpoint_id = w.id and h.lease_until is not null and h.lease_until > ${CURRENT_TIME}) as places
      from unnest(${endpoints.map(({ tenantId }) => tenantId)}::integer[], ${endpoints.map(({ id }) => id)}::text[], ${shares}::integer[])
        as k(tenant_id, id, share)
      join webhook_endpoints w on w.tenant_id = k.tenant_id and w.id = k.id and w.status = 'active'
    ), due as materialized (
      select next.* from free f cross join lateral (
        select d.tenant_id, d.endpoint_id, d.message_id from webhook_deliveries d
        where d.tenant_id = f.tenant_id and d.endpoint_id = f.id and ${IS_DUE}
        order by d.next_attempt_at, d.message_id limit greatest(f.places, 0) for no key update of d skip locked) next
      limit ${room}
    ), taken as (
      update webhook_deliveries d set lease_token = ${lease}, lease_until = ${CURRENT_TIME} + make_interval(secs => ${DELIVERY_LEASE_SECONDS})
      from due where d.tenant_id = due.tenant_id and d.endpoint_id = due.endpoint_id and d.message_id = due.message_id and d.status = 'pending'
      returning d.*
    )
    select d.tenant_id as "tenantId", d.endpoint_id as "endpointId", d.message_id as "messageId", d.kind, w.url, w.secrets,
      case when a.sensitive_data then coalesce(m.full_body, m.body) else m.body end as body,
      d.tries_left as "triesLeft", d.replayed_at is not null as replay, w.failing_since is not null as failing,
      ${CURRENT_TIME} as now,
      a.active and a.rest_access and (c.id is null
        or c.active and api_account_covers(a.allowed_tenants, a.allowed_clients, a.allowed_events, t.code, c.code, e.code)) as covered
    from taken d
    join webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
    join api_accounts a on a.tenant_id = w.tenant_id and a.id = w.account_id
    join webhook_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
    left join events e on e.tenant_id = m.tenant_id and e.id = m.event_id
    left join clients c on c.tenant_id = m.tenant_id and c.id = coalesce(e.client_id, m.client_id)
    left join tenants t on t.id = c.tenant_id`.execute(db)
  return rows.map((row) => ({ ...row, lease }))
}
