import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { newLeaseToken } from '../../kernel/lease.ts'
import type { KeptSecret } from './tables.ts'

/** A delivery in somebody's hands. */
export interface HeldDelivery {
  tenantId: number
  endpointId: string
  messageId: string
  lease: string
  kind: string
  url: string
  secrets: KeptSecret[]
  body: string
  triesLeft: number
  replay: boolean
  /** Nothing has got through to its endpoint since something failed. */
  failing: boolean
  /** Whether the account still may know it. */
  covered: boolean
  now: Date
}

/** Side by side to one endpoint. One that fails gets one at a time until it takes something again. */
const IN_FLIGHT = 8
const IN_FLIGHT_FAILING = 1
/** Longer than an attempt may take: after that whoever had it is taken for dead. */
export const LEASE_SECONDS = 30

/** Read once: the clock is no constant to the database, and what it says each time it is asked cannot be looked up in an index. */
const NOW = sql`now_once as materialized (select lanyard_now() as at)`
const AT = sql`(select at from now_once)`
const isDue = sql`d.status = 'pending' and d.next_attempt_at <= ${AT} and (d.lease_until is null or d.lease_until <= ${AT})`

/**
 * Takes what is due, for as many endpoints and messages as there is room for. Whoever takes for an endpoint has it locked, others pass it by
 * meanwhile: so no two take one message, and no endpoint is asked for more than its share, however many workers there are.
 */
export async function takeDue(db: Db, { room, roomFailing }: { room: number; roomFailing: number }): Promise<HeldDelivery[]> {
  const { rows: endpoints } = await sql<{ tenantId: number; id: string; failing: boolean }>`
    with ${NOW}
    select w.tenant_id as "tenantId", w.id, w.failing_since is not null as failing
    from webhook_endpoints w
    where w.status = 'active' and (w.failing_since is null or ${roomFailing > 0})
      and exists (select from webhook_deliveries d where d.tenant_id = w.tenant_id and d.endpoint_id = w.id and ${isDue})
    order by w.failing_since is not null, random() limit ${room}
    for no key update of w skip locked`.execute(db)
  const failing = endpoints.filter((one) => one.failing).slice(0, roomFailing)
  const chosen = [...endpoints.filter((one) => !one.failing), ...failing]
  if (chosen.length === 0) return []
  return takeFor(db, chosen, room)
}

/** A statement of its own: what others took before they let go of an endpoint is seen by the next statement only. */
async function takeFor(
  db: Db,
  endpoints: readonly { tenantId: number; id: string; failing: boolean }[],
  room: number,
): Promise<HeldDelivery[]> {
  const lease = newLeaseToken()
  const shares = endpoints.map(({ failing }) => (failing ? IN_FLIGHT_FAILING : IN_FLIGHT))
  const { rows } = await sql<Omit<HeldDelivery, 'lease'>>`
    with ${NOW}, free as materialized (
      select w.tenant_id, w.id, k.share - (select count(*) from webhook_deliveries h
        where h.tenant_id = w.tenant_id and h.endpoint_id = w.id and h.lease_until is not null and h.lease_until > ${AT}) as places
      from unnest(${endpoints.map(({ tenantId }) => tenantId)}::integer[], ${endpoints.map(({ id }) => id)}::text[], ${shares}::integer[])
        as k(tenant_id, id, share)
      join webhook_endpoints w on w.tenant_id = k.tenant_id and w.id = k.id and w.status = 'active'
    ), due as materialized (
      select next.* from free f cross join lateral (
        select d.tenant_id, d.endpoint_id, d.message_id from webhook_deliveries d
        where d.tenant_id = f.tenant_id and d.endpoint_id = f.id and ${isDue}
        order by d.next_attempt_at, d.message_id limit greatest(f.places, 0) for no key update of d skip locked) next
      limit ${room}
    ), taken as (
      update webhook_deliveries d set lease_token = ${lease}, lease_until = ${AT} + make_interval(secs => ${LEASE_SECONDS})
      from due where d.tenant_id = due.tenant_id and d.endpoint_id = due.endpoint_id and d.message_id = due.message_id and d.status = 'pending'
      returning d.*
    )
    select d.tenant_id as "tenantId", d.endpoint_id as "endpointId", d.message_id as "messageId", d.kind, w.url, w.secrets,
      case when a.sensitive_data then coalesce(m.full_body, m.body) else m.body end as body,
      d.tries_left as "triesLeft", d.replayed_at is not null as replay, w.failing_since is not null as failing,
      ${AT} as now,
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
