import type { Pool } from '../../../kernel/ports.ts'
import type { Keys, Secret } from '../../../kernel/secrets.ts'
import { signaturesOf } from '../activation-codes.ts'
import { namedCodes } from '../scan.ts'
import { askingBy, CALLS_PER_MINUTE, COUNT_ON, PLACE, triesKey } from '../scan-parts.ts'

/** Who asks for a device, by the codes of an event and of a company. */
export interface Knocking {
  tenantCode: string
  clientCode: string
  eventCode: string
  activationCode: Secret
  /** Whose failures are counted together. */
  address: string
}

/** The company at its event that a code was found to be of. */
export interface KnockedAt {
  tenantId: number
  tenantCode: string
  clientId: string
  event: { id: string; code: string }
  company: { id: string; name: string }
  /** As its settings are kept. */
  place: string
}

export type Knocked =
  | ({ kind: 'company' } & KnockedAt)
  | { kind: 'refused'; failures: number | null }
  | { kind: 'tooMany'; retryAfter: number }

interface KnockRow {
  may_try: boolean
  seconds_left: number
  tenant_id: number
  client_id: string
  event_id: string
  event_code: string
  company_id: string | null
  company_name: string
  may_call: boolean
  /** Of this event in this hour, when this is one of them. */
  failures: number | null
}

/** The checks of a scan in their order, up to the company: what an address may try, whose code it is and whether it fits the place, the calls of this minute. */
const KNOCK = `
with ${askingBy('$5')}, ${PLACE}, company as materialized (
  select c.id, c.name, c.activation_hmac from place p
  join companies c on c.tenant_id = p.tenant_id and c.event_id = p.id and c.activation_hmac = any($1) and c.status <> 'cancelled'
), counted as (
  insert into rate_windows as w (key, window_start, count)
  select 'lead-code:' || c.activation_hmac, a.minute, 1 from company c, asking a where a.may_try
  ${COUNT_ON}
  returning w.count <= ${CALLS_PER_MINUTE} as may_call
), failed as (
  insert into rate_windows as w (key, window_start, count)
  select $5, a.minute, 1 from asking a where a.may_try and not exists (select from company)
  union all
  select 'lead-failures:' || p.id, date_trunc('hour', a.now), 1 from asking a, place p where a.may_try and not exists (select from company)
  ${COUNT_ON}
  returning w.key, w.count
)
select a.may_try, extract(epoch from a.minute + interval '1 minute' - a.now)::float8 as seconds_left, s.tenant_id, s.client_id, s.id as event_id,
  s.code as event_code, c.id as company_id, c.name as company_name, n.may_call,
  (select x.count from failed x where x.key = 'lead-failures:' || s.id) as failures
from asking a left join place s on true left join company c on true left join counted n on true`

export async function knock({ database: { pool }, keys }: { database: { pool: Pool }; keys: Keys }, asked: Knocking): Promise<Knocked> {
  const codes = namedCodes(asked)
  const { rows } = await pool.query<KnockRow>(KNOCK, [signaturesOf(keys, asked.activationCode), ...codes, triesKey(asked.address)])
  const row = rows[0]!
  if (!row.may_try) return { kind: 'tooMany', retryAfter: row.seconds_left }
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
