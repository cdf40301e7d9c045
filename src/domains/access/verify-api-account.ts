import type { Pool } from '../../kernel/ports.ts'
import { hashToken } from '../../kernel/secrets.ts'
import type { ClientCoveredByApiAccount, EventCoveredByApiAccount } from './tables.ts'

/** An API account with a valid token. */
export interface ApiAccount {
  tenantId: number
  id: string
  name: string
  canActAsParticipantAgent: boolean
  restAccess: boolean
  allowedTenants: readonly string[]
  allowedClients: readonly ClientCoveredByApiAccount[]
  allowedEvents: readonly EventCoveredByApiAccount[]
}

const VERIFY_ACCOUNT = `
with verified as materialized (
  select t.hash, t.last_used_at, a.tenant_id, a.id, a.name, a.can_act_as_participant_agent, a.rest_access,
    a.allowed_tenants, a.allowed_clients, a.allowed_events
  from api_tokens t
  join api_accounts a on a.tenant_id = t.tenant_id and a.id = t.account_id
  where t.hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > lanyard_now()) and a.active
), touched as (
  update api_tokens t set last_used_at = lanyard_now()
  from verified v where t.hash = v.hash and (v.last_used_at is null or v.last_used_at < lanyard_now() - interval '1 minute')
)
select v.tenant_id as "tenantId", v.id, v.name, v.can_act_as_participant_agent as "canActAsParticipantAgent",
  v.rest_access as "restAccess", v.allowed_tenants as "allowedTenants", v.allowed_clients as "allowedClients", v.allowed_events as "allowedEvents"
from verified v`

export async function verifyApiAccount(pool: Pool, token: string): Promise<ApiAccount | null> {
  const { rows } = await pool.query<ApiAccount>(VERIFY_ACCOUNT, [hashToken(token)])
  return rows[0] ?? null
}
