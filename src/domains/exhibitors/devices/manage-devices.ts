import { sql } from 'kysely'
import { toOneLine, count, id, instant, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page.ts'
import { eventDb, joinRowsOfSameEvent } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { countCappedTotal } from '../../../kernel/totals.ts'
import { getCompany } from '../companies.ts'
import { mustLicencesBePaid } from '../licences.ts'
import { DEVICE_STATES } from '../states.ts'

export const ScanningDeviceShape = object({
  id: id('leadDevice'),
  company: toOneLine(object({ companyId: text(), name: untrustedText() }), 'companyId, name'),
  name: untrustedText(),
  platform: untrustedText(),
  status: oneOf(DEVICE_STATES.all),
  activatedAt: instant(),
  lastSeenAt: instant(),
  captures: count(0, Number.MAX_SAFE_INTEGER),
  clockSkewMs: count(-2_147_483_648, 2_147_483_647),
})

export const DeviceSeatCounts = object({ total: count(), used: count(), left: count() })

interface DeviceFilter {
  companyId?: string | undefined
  status?: 'active' | 'revoked' | undefined
  idleMinutes?: number | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const selectDevices = (ctx: EventContext) =>
  eventDb(ctx)
    .selectFrom('lead_devices')
    .innerJoin('companies', (join) => joinRowsOfSameEvent(join, 'companies.id', 'lead_devices.company_id'))
    .select([
      'lead_devices.id',
      'lead_devices.company_id',
      'companies.name as company',
      'lead_devices.name',
      'lead_devices.platform',
      'lead_devices.status',
      'lead_devices.activated_at',
      'lead_devices.last_seen_at',
      'lead_devices.clock_skew_ms',
    ])
    .select(
      sql<number>`(select count(*) from lead_captures c where c.tenant_id = lead_devices.tenant_id
        and c.event_id = lead_devices.event_id and c.device_id = lead_devices.id)`.as('captures'),
    )

type DeviceRow = Awaited<ReturnType<ReturnType<typeof selectDevices>['executeTakeFirstOrThrow']>>

const toDevice = (row: DeviceRow) => ({
  id: row.id,
  company: { companyId: row.company_id, name: row.company },
  name: row.name,
  platform: row.platform,
  status: row.status,
  activatedAt: formatInstant(row.activated_at),
  lastSeenAt: formatInstant(row.last_seen_at),
  captures: row.captures,
  clockSkewMs: row.clock_skew_ms,
})

/** Lists scanning devices, the most recently seen first, with the licensed seats of the company or of all companies. */
export async function listDevices(ctx: EventContext, { companyId, status, idleMinutes, limit = 25, cursor }: DeviceFilter) {
  if (companyId !== undefined) await getCompany(ctx, companyId)
  let rows = selectDevices(ctx)
  if (companyId !== undefined) rows = rows.where('lead_devices.company_id', '=', companyId)
  if (status !== undefined) rows = rows.where('lead_devices.status', '=', status)
  if (idleMinutes !== undefined)
    rows = rows.where('lead_devices.last_seen_at', '<', sql<Date>`lanyard_now() - make_interval(mins => ${idleMinutes})`)
  const { items, ...page } = await readPage(
    ctx,
    { limit, cursor },
    {
      rows,
      order: [
        { by: sql`lead_devices.last_seen_at`, type: 'timestamptz', descending: true, of: (row) => row.last_seen_at.toISOString() },
        { by: sql`lead_devices.id`, type: 'text', of: (row) => row.id },
      ],
      shape: toDevice,
    },
  )
  return { devices: items, seats: await readSeats(ctx, companyId ?? null), ...(await countCappedTotal(ctx, rows)), ...page }
}

/** The numbers of licensed seats for scanning devices, of one company or of all companies together. */
async function readSeats(ctx: EventContext, companyId: string | null) {
  const { db, tenantId, event } = ctx
  const { rows } = await sql<{ total: number; used: number }>`
    select coalesce(sum(device_seats(c.tenant_id, c.event_id, c.id, ${await mustLicencesBePaid(ctx)})), 0)::int as total,
      (select count(*)::int from lead_devices d where d.tenant_id = ${tenantId} and d.event_id = ${event.id} and d.status = 'active'
        and (${companyId}::text is null or d.company_id = ${companyId})) as used
    from companies c where c.tenant_id = ${tenantId} and c.event_id = ${event.id} and (${companyId}::text is null or c.id = ${companyId})
      and exists (select from lead_licences l where l.tenant_id = c.tenant_id and l.event_id = c.event_id and l.company_id = c.id)`.execute(
    db,
  )
  const { total, used } = rows[0]!
  return { total, used, left: Math.max(0, total - used) }
}

async function getDevice(ctx: EventContext, deviceId: string): Promise<DeviceRow> {
  const row = await selectDevices(ctx).where('lead_devices.id', '=', deviceId).executeTakeFirst()
  if (!row) throw notFound(`No device ${deviceId} at this event`)
  return row
}

export async function describeScanningDevice(ctx: EventContext, deviceId: string) {
  const row = await getDevice(ctx, deviceId)
  return { devices: [toDevice(row)], seats: await readSeats(ctx, row.company_id) }
}

export async function renameDevice(ctx: EventContext, deviceId: string, name: string) {
  const before = await getDevice(ctx, deviceId)
  if (before.name !== name) {
    await eventDb(ctx).updateTable('lead_devices').set({ name }).where('id', '=', deviceId).execute()
    recordChange(ctx, { kind: 'leadDevice', id: deviceId, before: { name: before.name }, after: { name } })
  }
  return { ...(await describeScanningDevice(ctx, deviceId)), changed: before.name === name ? 0 : 1 }
}

/**
 * Revokes devices. Their licensed seats become free immediately. Scans that a device made before are accepted for another 24 hours. Devices
 * that are already revoked do not change.
 */
export async function revokeDevices(ctx: EventContext, deviceIds: readonly string[]) {
  const ids = [...new Set(deviceIds)].toSorted()
  // Devices are locked in the order of their ids, so that concurrent calls neither deadlock nor revoke a device twice.
  if (ids.length > 0)
    await eventDb(ctx).selectFrom('lead_devices').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute()
  const devices: DeviceRow[] = []
  for (const deviceId of ids) devices.push(await getDevice(ctx, deviceId))
  const active = devices.filter(({ status }) => status === 'active')
  for (const device of active)
    await changeRecordState(ctx, DEVICE_STATES, device, 'revoked', { columns: { revoked_at: sql`lanyard_now()` } })
  const companies = new Set(devices.map(({ company_id }) => company_id))
  return {
    devices: devices.map((device) => ({ ...toDevice(device), status: 'revoked' as const })),
    seats: await readSeats(ctx, companies.size === 1 ? [...companies][0]! : null),
    changed: active.length,
  }
}

/** Revokes all active devices of a company, for example before its scanners are handed to others. */
export async function revokeCompanyDevices(ctx: EventContext, companyId: string) {
  await getCompany(ctx, companyId)
  const rows = await eventDb(ctx)
    .selectFrom('lead_devices')
    .select('id')
    .where('company_id', '=', companyId)
    .where('status', '=', 'active')
    .execute()
  return {
    ...(await revokeDevices(
      ctx,
      rows.map(({ id: deviceId }) => deviceId),
    )),
    seats: await readSeats(ctx, companyId),
  }
}
