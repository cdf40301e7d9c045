import type { Pool } from '../../../kernel/ports.ts'
import type { DerivedKeys, Secret } from '../../../kernel/secrets.ts'
import { computeActivationCodeHmacs } from '../activation-codes.ts'
import { normalizeEventCodes } from '../scan.ts'
import {
  buildAttemptLimitCte,
  MAX_SCANS_PER_MINUTE,
  INCREMENT_RATE_LIMIT_SQL,
  EVENT_BY_CODES_CTE,
  toFailedAttemptsKey,
} from '../scan-sql.ts'

/** A device activation attempt with the codes of event and company. */
export interface ActivationAttempt {
  tenantCode: string
  clientCode: string
  eventCode: string
  activationCode: Secret
  /** IP address of the device; failed attempts are counted per address. */
  address: string
}

/** The company that the activation code belongs to. */
export interface ActivationCompany {
  tenantId: number
  tenantCode: string
  clientId: string
  event: { id: string; code: string }
  company: { id: string; name: string }
  /** The codes of tenant, client and event: the key of the settings cache. */
  place: string
}

export type ActivationCheckResult =
  | ({ kind: 'company' } & ActivationCompany)
  | { kind: 'refused'; failures: number | null }
  | { kind: 'tooMany'; retryAfter: number }

interface ActivationRow {
  may_try: boolean
  seconds_left: number
  tenant_id: number
  client_id: string
  event_id: string
  event_code: string
  company_id: string | null
  company_name: string
  may_call: boolean
  /** Failed attempts at the event in the current hour; null if this attempt succeeded. */
  failures: number | null
}

/**
 * Verifies an activation code at an event. For a wrong code, the rate limit of the client address is checked; for a correct code, the rate
 * limit of the code itself.
 */
const VERIFY_ACTIVATION = `
with ${buildAttemptLimitCte('$5')}, ${EVENT_BY_CODES_CTE}, company as materialized (
  select c.id, c.name, c.activation_hmac from place p
  join companies c on c.tenant_id = p.tenant_id and c.event_id = p.id and c.activation_hmac = any($1) and c.status <> 'cancelled'
), counted as (
  insert into rate_windows as w (key, window_start, count)
  select 'lead-code:' || c.activation_hmac, a.minute, 1 from company c, asking a
  ${INCREMENT_RATE_LIMIT_SQL}
  returning w.count <= ${MAX_SCANS_PER_MINUTE} as may_call
), failed as (
  insert into rate_windows as w (key, window_start, count)
  select $5, a.minute, 1 from asking a where a.may_try and not exists (select from company)
  union all
  select 'lead-failures:' || p.id, date_trunc('hour', a.now), 1 from asking a, place p where a.may_try and not exists (select from company)
  ${INCREMENT_RATE_LIMIT_SQL}
  returning w.key, w.count
)
select a.may_try, extract(epoch from a.minute + interval '1 minute' - a.now)::float8 as seconds_left, s.tenant_id, s.client_id, s.id as event_id,
  s.code as event_code, c.id as company_id, c.name as company_name, n.may_call,
  (select x.count from failed x where x.key = 'lead-failures:' || s.id) as failures
from asking a left join place s on true left join company c on true left join counted n on true`

export async function verifyActivationAttempt(
  { database: { pool }, keys }: { database: { pool: Pool }; keys: DerivedKeys },
  asked: ActivationAttempt,
): Promise<ActivationCheckResult> {
  const codes = normalizeEventCodes(asked)
  const { rows } = await pool.query<ActivationRow>(VERIFY_ACTIVATION, [
    computeActivationCodeHmacs(keys, asked.activationCode),
    ...codes,
    toFailedAttemptsKey(asked.address),
  ])
  const row = rows[0]!
  if (row.company_id === null && !row.may_try) return { kind: 'tooMany', retryAfter: row.seconds_left }
  if (row.company_id === null) return { kind: 'refused', failures: row.failures }
  if (!row.may_call) return { kind: 'tooMany', retryAfter: row.seconds_left }
  return {
    kind: 'company',
    tenantId: row.tenant_id,
    tenantCode: codes[0],
    clientId: row.client_id,
    event: { id: row.event_id, code: row.event_code },
    company: { id: row.company_id, name: row.company_name },
    place: codes.join('/'),
  }
}
