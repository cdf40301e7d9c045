import type { Database, Pool } from '../../../kernel/ports.ts'
import { hashToken, type Secret } from '../../../kernel/secrets.ts'
import { type LeadSettings, readLeadSettings, findCachedLeadSettings } from '../lead-settings.ts'
import {
  buildAttemptLimitCte,
  MAX_SCANS_PER_MINUTE,
  INCREMENT_RATE_LIMIT_SQL,
  toFailedAttemptsKey,
  CONFIG_VERSION_SQL,
  JOIN_CONFIG_VERSION_SQL,
} from '../scan-sql.ts'

/** A device with an issued token, with its event and current status. */
export interface VerifiedDevice {
  tenantId: number
  tenantCode: string
  clientCode: string
  eventId: string
  eventCode: string
  locale: string
  startsOn: string
  companyId: string
  deviceId: string
  isTestData: boolean
  version: string
  revoked: boolean
  now: Date
}

export type DeviceVerification = { kind: 'device'; device: VerifiedDevice } | { kind: 'unknown' } | { kind: 'tooMany'; retryAfter: number }

/**
 * SQL that verifies a device in one round trip: finds the device of the token at an open event and counts its badges ($3) against the rate
 * limit. An unknown token counts as a failure of the address, like a wrong activation code; a revoked token does not.
 */
const VERIFY_DEVICE = `
with ${buildAttemptLimitCte('$2')}, device as materialized (
  select d.tenant_id, t.code as tenant_code, k.code as client_code, d.event_id, e.code as event_code, e.locale, e.starts_on, d.company_id, d.id,
    c.is_test_data, ${CONFIG_VERSION_SQL} as version, d.status = 'revoked' as revoked
  from lead_devices d
  join tenants t on t.id = d.tenant_id
  join companies c on c.tenant_id = d.tenant_id and c.event_id = d.event_id and c.id = d.company_id
  join events e on e.tenant_id = d.tenant_id and e.id = d.event_id and e.status <> 'archived'
  join clients k on k.tenant_id = e.tenant_id and k.id = e.client_id and k.active${JOIN_CONFIG_VERSION_SQL}
  where d.token_hash = $1
), counted as (
  insert into rate_windows as w (key, window_start, count)
  select 'lead-device:' || d.id, a.minute, $3 from device d, asking a
  ${INCREMENT_RATE_LIMIT_SQL}
  returning w.count <= ${MAX_SCANS_PER_MINUTE} as may_call
), failed as (
  insert into rate_windows as w (key, window_start, count)
  select $2, a.minute, 1 from asking a where a.may_try and not exists (select from device)
  ${INCREMENT_RATE_LIMIT_SQL}
)
select a.now, a.may_try, extract(epoch from a.minute + interval '1 minute' - a.now)::float8 as seconds_left, n.may_call,
  d.tenant_id, d.tenant_code, d.client_code, d.event_id, d.event_code, d.locale, d.starts_on, d.company_id, d.id, d.is_test_data, d.version, d.revoked
from asking a left join device d on true left join counted n on true`

interface VerifyRow {
  now: Date
  may_try: boolean
  seconds_left: number
  may_call: boolean
  tenant_id: number
  tenant_code: string
  client_code: string
  event_id: string
  event_code: string
  locale: string
  starts_on: string
  company_id: string
  id: string | null
  is_test_data: boolean
  version: string
  revoked: boolean
}

export async function verifyDevice(
  pool: Pool,
  token: Secret,
  { address, badges }: { address: string; badges: number },
): Promise<DeviceVerification> {
  const { rows } = await pool.query<VerifyRow>(VERIFY_DEVICE, [
    hashToken(token.reveal()),
    toFailedAttemptsKey(address),
    Math.max(1, badges),
  ])
  const row = rows[0]!
  if (row.id === null && !row.may_try) return { kind: 'tooMany', retryAfter: row.seconds_left }
  if (row.id === null) return { kind: 'unknown' }
  if (!row.may_call) return { kind: 'tooMany', retryAfter: row.seconds_left }
  const device = {
    tenantId: row.tenant_id,
    tenantCode: row.tenant_code,
    clientCode: row.client_code,
    eventId: row.event_id,
    eventCode: row.event_code,
    locale: row.locale,
    startsOn: row.starts_on,
    companyId: row.company_id,
    deviceId: row.id,
    isTestData: row.is_test_data,
    version: row.version,
    revoked: row.revoked,
    now: row.now,
  }
  return { kind: 'device', device }
}

/**
 * Returns the lead settings of the device's event, in the configuration version that was current when the device was verified, or a later
 * one.
 */
export async function readDeviceSettings(database: Pick<Database, 'read'>, device: VerifiedDevice): Promise<LeadSettings> {
  const place = [device.tenantCode, device.clientCode, device.eventCode].join('/')
  const known = findCachedLeadSettings(place)
  if (known?.version === device.version) return known
  return readLeadSettings(place, { tenantId: device.tenantId, db: database.read, event: { id: device.eventId, code: device.eventCode } })
}

const SELECT_OVER_SEATS = `
select count(*) > device_seats($1::integer, $2::text, $3::text, $4::boolean) as over from lead_devices
where tenant_id = $1 and event_id = $2 and company_id = $3 and status = 'active'`
const FIT_DEVICES_TO_SEATS = 'select lead_devices_fit($1::integer, $2::text, $3::text)'
const SELECT_REVOKED = `select status = 'revoked' as revoked from lead_devices where tenant_id = $1 and event_id = $2 and id = $3`

/**
 * Whether the device has lost its licensed seat. Most losses of seats revoke the device immediately; only losses through unpaid or reopened
 * invoices are detected here, when the device syncs.
 */
export async function isDeviceRevoked({ pool }: Pick<Database, 'pool'>, device: VerifiedDevice, mustBePaid: boolean): Promise<boolean> {
  const { tenantId, eventId, companyId, deviceId } = device
  if (device.revoked) return true
  const { rows } = await pool.query<{ over: boolean }>(SELECT_OVER_SEATS, [tenantId, eventId, companyId, mustBePaid])
  if (!rows[0]!.over) return false
  await pool.query(FIT_DEVICES_TO_SEATS, [tenantId, eventId, companyId])
  const standing = await pool.query<{ revoked: boolean }>(SELECT_REVOKED, [tenantId, eventId, deviceId])
  return standing.rows[0]!.revoked
}
