import { CompiledQuery } from 'kysely'
import type { Context } from '../../../kernel/context.ts'
import type { Db } from '../../../kernel/columns.ts'
import type { LeadSettings } from '../lead-settings.ts'
import { type DeviceLead, DEVICE_LEAD_COLUMNS, toDeviceLead, type DeviceLeadRow } from './device-lead.ts'
import type { VerifiedDevice } from './verify-device.ts'

/** A deleted lead, without the participant's data. */
export interface DeletedDeviceLead {
  leadId: string
  deleted: true
  updatedAt: Date
}

export interface LeadCursor {
  updatedAt: string
  id: string
}

export interface LeadQuery {
  after: LeadCursor | null
  updatedSince: Date | null
  /** Leads changed at or after this time are left out, because open transactions could still commit changes with an earlier time. */
  horizon: Date | null
  limit: number
}

export interface LeadPage {
  leads: (DeviceLead | DeletedDeviceLead)[]
  /** The position at which the next page of leads starts; null on the last page. */
  next: LeadCursor | null
}

const START_CURSOR: LeadCursor = { updatedAt: '-infinity', id: '' }
/** A value that sorts after every id, because ids are hexadecimal. */
const LAST_ID = 'g'

/** Maximum size of a page of leads in bytes, because notes may be long. A page has at least one lead. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024
const LEAD_BYTES = 'octet_length(concat(p.bio, p.custom_field_responses, l.notes, l.qualifiers))'

/** Selects leads in order of change up to the size limit, plus one if more follow. Deleted leads are included only with `updatedSince`. */
const SELECT_PAGE = `
select * from (
  select ${DEVICE_LEAD_COLUMNS}, ${LEAD_BYTES} as bytes, sum(${LEAD_BYTES}) over (order by l.updated_at, l.id rows unbounded preceding)::float8 as through
  from (
    select * from leads x where x.tenant_id = $1 and x.event_id = $2 and x.company_id = $3 and not x.is_test_data and ($4::boolean or x.status = 'active')
      and (x.updated_at, x.id) > ($5::timestamptz, $6::text) and x.updated_at < $7::timestamptz
    order by x.updated_at, x.id limit $8::integer) l
  join participants p on p.tenant_id = l.tenant_id and p.event_id = l.event_id and p.id = l.participant_id) m
where m.through - m.bytes <= ${MAX_PAGE_BYTES}
order by m.updated_at, m.lead_id`

export async function listDeviceLeads(
  { db, ...parts }: Pick<Context, 'keys' | 'baseUrl'> & { db: Db },
  device: VerifiedDevice,
  settings: LeadSettings,
  { after, updatedSince, horizon, limit }: LeadQuery,
): Promise<LeadPage> {
  const start = after ?? (updatedSince ? { updatedAt: updatedSince.toISOString(), id: LAST_ID } : START_CURSOR)
  const place = [device.tenantId, device.eventId, device.companyId]
  const values = [...place, updatedSince !== null, start.updatedAt, start.id, horizon?.toISOString() ?? 'infinity', limit + 1]
  const { rows } = await db.executeQuery<DeviceLeadRow & { through: number }>(CompiledQuery.raw(SELECT_PAGE, values))
  const shown = rows.filter(({ through }, index) => index < limit && (index === 0 || through <= MAX_PAGE_BYTES))
  const last = shown.at(-1)
  return {
    leads: shown.map((row) =>
      row.deleted ? { leadId: row.lead_id, deleted: true, updatedAt: row.updated_at } : toDeviceLead(parts, device, settings, row),
    ),
    next: last && rows.length > shown.length ? { updatedAt: last.updated_at.toISOString(), id: last.lead_id } : null,
  }
}

/** Updates the device's last-seen time, at most once a minute. */
export async function updateDeviceLastSeen(db: Db, { tenantId, eventId, deviceId }: VerifiedDevice): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(UPDATE_LAST_SEEN, [tenantId, eventId, deviceId]))
}

const UPDATE_LAST_SEEN = `
update lead_devices set last_seen_at = lanyard_now()
where tenant_id = $1 and event_id = $2 and id = $3 and status = 'active' and last_seen_at < lanyard_now() - interval '1 minute'`
