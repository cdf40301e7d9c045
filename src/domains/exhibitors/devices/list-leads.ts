import { CompiledQuery } from 'kysely'
import type { Context } from '../../../kernel/context.ts'
import type { Db } from '../../../kernel/columns.ts'
import type { LeadSettings } from '../lead-settings.ts'
import { type DeviceLead, DEVICE_LEAD, deviceLead, type DeviceLeadRow } from './device-lead.ts'
import type { KnownDevice } from './verify.ts'

/** A lead that the company has no more; nothing is told of whose it was. */
export interface DeletedLead {
  leadId: string
  deleted: true
  updatedAt: Date
}

export interface LeadPosition {
  updatedAt: string
  id: string
}

export interface LeadsAsked {
  after: LeadPosition | null
  updatedSince: Date | null
  /** What stands beyond it may still be joined by something that comes before it. */
  horizon: Date | null
  limit: number
}

export interface LeadPage {
  leads: (DeviceLead | DeletedLead)[]
  /** Null on the last page. */
  next: LeadPosition | null
}

const BEGINNING: LeadPosition = { updatedAt: '-infinity', id: '' }
/** After every id. */
const LAST_ID = 'g'

/** What people wrote of themselves may be long; of that a page holds so much, and one lead at least. */
const MOST_BYTES = 2 * 1024 * 1024
const BYTES = 'octet_length(concat(p.bio, p.custom_field_responses, l.notes, l.qualifiers))'

/** In the order of change, as far as there is room, and one further row where more follows. Whoever never asked before hears of no deletion. */
const PAGE = `
select * from (
  select ${DEVICE_LEAD}, ${BYTES} as bytes, sum(${BYTES}) over (order by l.updated_at, l.id rows unbounded preceding)::float8 as through
  from (
    select * from leads x where x.tenant_id = $1 and x.event_id = $2 and x.company_id = $3 and not x.is_test_data and ($4::boolean or x.status = 'active')
      and (x.updated_at, x.id) > ($5::timestamptz, $6::text) and x.updated_at < $7::timestamptz
    order by x.updated_at, x.id limit $8::integer) l
  join participants p on p.tenant_id = l.tenant_id and p.event_id = l.event_id and p.id = l.participant_id) m
where m.through - m.bytes <= ${MOST_BYTES}
order by m.updated_at, m.lead_id`

/** Leads of the device's own company, as its people may see them now. */
export async function listDeviceLeads(
  { db, ...parts }: Pick<Context, 'keys' | 'baseUrl'> & { db: Db },
  device: KnownDevice,
  settings: LeadSettings,
  { after, updatedSince, horizon, limit }: LeadsAsked,
): Promise<LeadPage> {
  const start = after ?? (updatedSince ? { updatedAt: updatedSince.toISOString(), id: LAST_ID } : BEGINNING)
  const place = [device.tenantId, device.eventId, device.companyId]
  const values = [...place, updatedSince !== null, start.updatedAt, start.id, horizon?.toISOString() ?? 'infinity', limit + 1]
  const { rows } = await db.executeQuery<DeviceLeadRow & { through: number }>(CompiledQuery.raw(PAGE, values))
  const shown = rows.filter(({ through }, index) => index < limit && (index === 0 || through <= MOST_BYTES))
  const last = shown.at(-1)
  return {
    leads: shown.map((row) =>
      row.deleted ? { leadId: row.lead_id, deleted: true, updatedAt: row.updated_at } : deviceLead(parts, device, settings, row),
    ),
    next: last && rows.length > shown.length ? { updatedAt: last.updated_at.toISOString(), id: last.lead_id } : null,
  }
}

/** That a device is in use, noted once a minute. */
export async function noteSeen(db: Db, { tenantId, eventId, deviceId }: KnownDevice): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(SEEN_NOW, [tenantId, eventId, deviceId]))
}

const SEEN_NOW = `
update lead_devices set last_seen_at = lanyard_now()
where tenant_id = $1 and event_id = $2 and id = $3 and status = 'active' and last_seen_at < lanyard_now() - interval '1 minute'`
