import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { toOrderRecord } from '../../orders/order-record.ts'
import { findOrder } from '../../orders/orders.ts'
import type { CompanyRow } from '../companies.ts'
import { readLiveOrTestConfiguration } from '../context.ts'
import { listDevices } from '../devices/manage-devices.ts'
import { listBoothAreas } from './booth-areas.ts'
import { mustLicencesBePaid } from '../licences.ts'
import { countLeads } from '../leads/lead-stats.ts'
import { readCompanyPriorityPoints } from '../points/read.ts'
import type { CompanyIncludeOption } from './company-shapes.ts'

/** Maximum number of rows in each included list; separate tools list all rows. */
const MAX_ROWS = 100

/** Reads the additional data about a company that the caller requested in `include`, such as staff, booths or devices. */
export async function readIncludedCompanyParts(ctx: EventContext, company: CompanyRow, include: readonly CompanyIncludeOption[]) {
  const parts: Record<string, unknown> = {}
  for (const part of new Set(include)) parts[part] = await READ[part](ctx, company)
  return parts
}

const READ: Record<CompanyIncludeOption, (ctx: EventContext, company: CompanyRow) => Promise<unknown>> = {
  staff: async (ctx, { id }) =>
    eventDb(ctx)
      .selectFrom('exhibitor_staff')
      .select(['id as staffId', 'name', 'email', 'role', 'status', 'pass', 'participant_id as participantId'])
      .where('company_id', '=', id)
      .where('status', '<>', 'removed')
      .orderBy('name')
      .orderBy('id')
      .limit(MAX_ROWS)
      .execute(),
  booths: (ctx, { id }) => listBoothAreas(ctx, id),
  applications: (ctx, { id }) =>
    eventDb(ctx)
      .selectFrom('booth_applications')
      .select(['number', 'status', 'additional'])
      .where('company_id', '=', id)
      .orderBy('id', 'desc')
      .limit(MAX_ROWS)
      .execute(),
  licences: readLicences,
  devices: async (ctx, { id }) => {
    const { devices, seats } = await listDevices(ctx, { companyId: id, limit: MAX_ROWS })
    return { seats, devices: devices.map(({ company: _own, ...device }) => device) }
  },
  leadStats: async (ctx, { id }) => (await countLeads(ctx, { companyId: id, by: 'day' })).stats,
  points: async (ctx, company) => {
    const { config } = await readLiveOrTestConfiguration(ctx, company.is_test_data)
    return (await readCompanyPriorityPoints(ctx, config, [company.id])).get(company.id) ?? null
  },
  order: async (ctx, { id }) => {
    const order = await findOrder(ctx, { companyId: id })
    if (order) return toOrderRecord(ctx, order)
    const none = toMoney(0, ctx.event.currency)
    return { number: null, total: none, paid: none, balance: none }
  },
  appointments: readAppointments,
}

async function readLicences(ctx: EventContext, { id }: CompanyRow) {
  const { db, tenantId, event } = ctx
  const { rows } = await sql<{ createdAt: Date }>`
    select l.id as "licenceId", l.product_code as "productCode", l.grants, l.seats, licence_seats(l, ${await mustLicencesBePaid(ctx)}) as "validSeats", l.status,
      l.order_line_id as "orderLineId", l.granted_by as "grantedBy", l.created_at as "createdAt"
    from lead_licences l where l.tenant_id = ${tenantId} and l.event_id = ${event.id} and l.company_id = ${id}
    order by l.id limit ${MAX_ROWS}`.execute(db)
  return rows.map(({ createdAt, ...licence }) => ({ ...licence, createdAt: formatInstant(createdAt) }))
}

async function readAppointments({ db, tenantId, event }: EventContext, { id }: CompanyRow) {
  const { rows } = await sql<{ startsAt: Date; endsAt: Date }>`
    select a.id as "appointmentId", a.starts_at as "startsAt", a.ends_at as "endsAt", a.status, a.participant_id as "participantId",
      concat_ws(' ', p.first_name, p.last_name) as name
    from appointments a join participants p on p.tenant_id = a.tenant_id and p.event_id = a.event_id and p.id = a.participant_id
    where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.company_id = ${id}
    order by a.starts_at, a.id limit ${MAX_ROWS}`.execute(db)
  return rows.map(({ startsAt, endsAt, ...row }) => ({ ...row, startsAt: formatInstant(startsAt), endsAt: formatInstant(endsAt) }))
}
