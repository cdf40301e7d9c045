import type { EventSummaryRow } from '../../kernel/context.ts'
import type { Pool } from '../../kernel/ports.ts'

/** A public event with its client. */
export interface PublicEvent {
  tenantId: number
  tenantCode: string
  client: { id: string; code: string; name: string; website: string | null }
  event: EventSummaryRow
  /** The websites that may embed the event's pages in a frame. */
  embedHosts: readonly string[]
}

const SELECT_BY_CODES = `
select t.id as "tenantId", t.code as "tenantCode", c.embed_hosts as "embedHosts",
  json_build_object('id', c.id, 'code', c.code, 'name', c.name, 'website', c.brand->>'website') as client,
  json_build_object('id', e.id, 'code', e.code, 'name', e.name, 'status', e.status, 'timezone', e.timezone, 'currency', e.currency,
    'testMode', e.test_mode, 'sandboxCards', e.sandbox_cards) as event
from tenants t
join clients c on c.tenant_id = t.id
join events e on e.tenant_id = c.tenant_id and e.client_id = c.id
where t.code = $1 and c.code = $2 and e.code = $3 and c.active and e.status <> 'draft'`

/** Finds an event by the codes in its URL. Drafts, unknown events and events of other clients all return null. */
export async function findPublicEvent(
  pool: Pool,
  { tenantCode, clientCode, eventCode }: { tenantCode: string; clientCode: string; eventCode: string },
): Promise<PublicEvent | null> {
  const { rows } = await pool.query<PublicEvent>(SELECT_BY_CODES, [tenantCode, clientCode, eventCode])
  return rows[0] ?? null
}
