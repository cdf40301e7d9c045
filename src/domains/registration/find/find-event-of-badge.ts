import type { Pool } from '../../../kernel/ports.ts'

interface EventCodes {
  tenantCode: string
  clientCode: string
  eventCode: string
}

const FIND_EVENT_SQL = `
select t.code as "tenantCode", c.code as "clientCode", e.code as "eventCode" from participants p
join events e on e.tenant_id = p.tenant_id and e.id = p.event_id
join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id
join tenants t on t.id = e.tenant_id
where p.badge_id = $1 and p.status = 'complete' order by p.completed_at desc limit 1`

/**
 * Finds the event of an active badge, without revealing whose badge it is. Replaced badges and badges of ended registrations are not found.
 */
export async function findEventOfBadge(pool: Pool, badgeId: string): Promise<EventCodes | null> {
  const { rows } = await pool.query<EventCodes>(FIND_EVENT_SQL, [badgeId])
  return rows[0] ?? null
}
