import type { EventHead } from '../../kernel/context.ts'
import type { Pool } from '../../kernel/ports.ts'

/** An event that people may look at, with who runs it. */
export interface PublicEvent {
  tenantId: number
  tenantCode: string
  client: { id: string; code: string; name: string; website: string | null }
  event: EventHead
  /** Websites that may show its pages in a frame. */
  embedHosts: readonly string[]
}

const BY_CODES = `
select t.id as "tenantId", t.code as "tenantCode", c.embed_hosts as "embedHosts",
  json_build_object('id', c.id, 'code', c.code, 'name', c.name, 'website', c.brand->>'website') as client,
  json_build_object('id', e.id, 'code', e.code, 'name', e.name, 'status', e.status, 'timezone', e.timezone, 'currency', e.currency,
    'testMode', e.test_mode) as event
from tenants t
join clients c on c.tenant_id = t.id
join events e on e.tenant_id = c.tenant_id and e.client_id = c.id
where t.code = $1 and c.code = $2 and e.code = $3 and c.active and e.status <> 'draft'`

/** By the codes of its address. What is not published yet, what never was and what is another client's are all the same: nothing. */
export async function findPublicEvent(
  pool: Pool,
  { tenantCode, clientCode, eventCode }: { tenantCode: string; clientCode: string; eventCode: string },
): Promise<PublicEvent | null> {
  const { rows } = await pool.query<PublicEvent>(BY_CODES, [tenantCode, clientCode, eventCode])
  return rows[0] ?? null
}
