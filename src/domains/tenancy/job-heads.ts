import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { ClientAccess, EventSummaryRow } from '../../kernel/context.ts'

interface JobHeads {
  tenantCode: string
  client: Omit<ClientAccess, 'roles'> | null
  event: EventSummaryRow | null
}

/** Reads id, name and basic settings of a background job's tenant, client and event in one statement. An event includes its client. */
export async function readJobTenantAndEvent(
  db: Db,
  { tenantId, clientId, eventId }: { tenantId: number; clientId: string | null; eventId: string | null },
): Promise<JobHeads> {
  const { rows } = await sql<JobHeads>`
    select t.code as "tenantCode",
      case when c.id is not null then jsonb_build_object('id', c.id, 'code', c.code, 'name', c.name, 'active', c.active,
        'aiAssistantsAllowed', c.ai_assistants_allowed) end as client,
      case when e.id is not null then jsonb_build_object('id', e.id, 'code', e.code, 'name', e.name, 'status', e.status,
        'timezone', e.timezone, 'currency', e.currency, 'testMode', e.test_mode, 'sandboxCards', e.sandbox_cards) end as event
    from tenants t
    left join events e on e.tenant_id = t.id and e.id = ${eventId}
    left join clients c on c.tenant_id = t.id and c.id = coalesce(e.client_id, ${clientId})
    where t.id = ${tenantId}`.execute(db)
  return rows[0]!
}
