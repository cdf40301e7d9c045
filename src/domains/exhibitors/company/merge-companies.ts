import { type RawBuilder, sql } from 'kysely'
import { announceToWebhooks } from '../../../kernel/announce.ts'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { changeRecordState, changeStateOfRows } from '../../../kernel/states.ts'
import { transferCompanyOrder } from '../../orders/orders.ts'
import { lockCompanies } from '../booths/lock.ts'
import type { CompanyRow } from '../companies.ts'
import { readLiveOrTestConfiguration } from '../context.ts'
import { moveLeads } from '../leads/move-leads.ts'
import { regenerateAppointmentSlots } from '../offerings.ts'
import { countUsedFreePasses, lockFreePasses } from '../staff/allotment.ts'
import { creditStaffPass } from '../staff/sell-pass.ts'
import { COMPANY_STATES, DEVICE_STATES, STAFF_STATES } from '../states.ts'
import { addCompetitors, listCompetitorIds } from './competitors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'

export interface MergedCompanies {
  keep: CompanyRow
  drop: CompanyRow
  moved: Record<string, number>
}

/**
 * Moves all records of one company to another, which remains, and cancels the first company. Leads about the same participant are joined,
 * and the competitors of both are combined. Paid passes of staff who have a pass at both companies are credited. The purchase order moves only
 * if the remaining company has none; otherwise both companies keep theirs, because invoices are not rewritten.
 */
export async function mergeCompanies(ctx: EventContext, { keepId, dropId }: { keepId: string; dropId: string }): Promise<MergedCompanies> {
  if (keepId === dropId) throw invalidArguments([{ path: 'dropId', message: 'names the same company as keepId' }])
  const companies = await lockCompanies(ctx, [keepId, dropId])
  const [keep, drop] = [companies.get(keepId)!, companies.get(dropId)!]
  if (keep.is_test_data !== drop.is_test_data) throw preconditionFailed('A test company cannot be merged with a real one')
  if (keep.status === 'cancelled') throw preconditionFailed(`${keep.code} has cancelled: keep the other company, or activate it first`)
  const moved = {
    booths: await moveBooths(ctx, keep, drop),
    applications: await moveApplications(ctx, keepId, dropId),
    licences: await moveLicences(ctx, keepId, dropId),
    devices: await moveDevices(ctx, keepId, dropId),
    ...(await moveStaffAndSlots(ctx, keep, drop)),
    orders: await transferCompanyOrder(ctx, dropId, keepId),
  }
  const rivals = await listCompetitorIds(ctx, dropId)
  await sql`delete from company_competitors c where ${own(ctx, 'c')} and ${dropId} in (c.company_id, c.competitor_id)`.execute(ctx.db)
  await addCompetitors(
    ctx,
    keepId,
    rivals.filter((id) => id !== keepId),
  )
  await sql`update organizations o set aliases = o.aliases || ${drop.name}::text
    where o.tenant_id = ${ctx.tenantId} and o.id = ${keep.organization_id} and o.id <> ${drop.organization_id} and ${drop.name} <> all(o.aliases)`.execute(
    ctx.db,
  )
  await passOnExternalId(ctx, keep, drop)
  if (drop.status !== 'cancelled') await changeRecordState(ctx, COMPANY_STATES, drop, 'cancelled', { audited: { mergedInto: keepId } })
  recordChange(ctx, { kind: 'company', id: keepId, before: {}, after: { merged: dropId } })
  ctx.effects.add('deletes', dropId, { company: drop.name, mergedInto: keep.name, ...moved })
  return { keep, drop, moved }
}

const own = ({ tenantId, event }: EventContext, alias: string) =>
  sql`${sql.raw(alias)}.tenant_id = ${tenantId} and ${sql.raw(alias)}.event_id = ${event.id}`

const countRows = async (ctx: EventContext, update: RawBuilder<unknown>): Promise<number> =>
  Number((await update.execute(ctx.db)).numAffectedRows ?? 0)

async function moveBooths(ctx: EventContext, keep: CompanyRow, drop: CompanyRow): Promise<number> {
  await sql`update booths b set held_for = ${keep.id} where ${own(ctx, 'b')} and b.held_for = ${drop.id}`.execute(ctx.db)
  const { rows } = await sql<{ booth_id: string; until: Date | null }>`
    update booth_assignments a set company_id = ${keep.id} where ${own(ctx, 'a')} and a.company_id = ${drop.id} returning a.booth_id, a.until`.execute(
    ctx.db,
  )
  const open = rows.filter(({ until }) => until === null)
  const { is_test_data: isTestData } = keep
  for (const { booth_id: id } of open)
    announceToWebhooks(ctx, { kind: 'booth.assigned', entity: 'booth', id, changed: ['company'], isTestData })
  if (open.length > 0)
    for (const { id } of [keep, drop])
      announceToWebhooks(ctx, { kind: 'company.updated', entity: 'company', id, changed: ['booths'], isTestData })
  return open.length
}

/**
 * Moves booth applications. If both companies have an open one, the moved application is marked as additional, because a company has one
 * main application.
 */
const moveApplications = (ctx: EventContext, keepId: string, dropId: string) => {
  return countRows(
    ctx,
    sql`update booth_applications a set company_id = ${keepId}, additional = a.additional or exists (
        select from booth_applications k where ${own(ctx, 'k')} and k.company_id = ${keepId} and not k.additional
          and k.status not in ('draft', 'rejected', 'withdrawn', 'cancelled'))
      where ${own(ctx, 'a')} and a.company_id = ${dropId}`,
  )
}

/** Moves licences to the remaining company. A licence stays behind if the remaining company already has one from the same order line. */
const moveLicences = (ctx: EventContext, keepId: string, dropId: string) => {
  return countRows(
    ctx,
    sql`update lead_licences l set company_id = ${keepId} where ${own(ctx, 'l')} and l.company_id = ${dropId} and not exists (
      select from lead_licences k where ${own(ctx, 'k')} and k.company_id = ${keepId} and k.order_line_id = l.order_line_id)`,
  )
}

/**
 * Moves devices to the remaining company, after the seats of the moved licences were counted. Devices beyond all seats are revoked, those
 * that were inactive longest first.
 */
async function moveDevices(ctx: EventContext, keepId: string, dropId: string): Promise<number> {
  const { rows } = await sql<{ free: number }>`
    select f.seats - f.used as free from lead_devices_fit(${ctx.tenantId}, ${ctx.event.id}, ${keepId}) f`.execute(ctx.db)
  await changeStateOfRows(eventDb(ctx), DEVICE_STATES, 'revoked')
    .set({ revoked_at: sql<Date>`lanyard_now()` })
    .where(
      sql<boolean>`id in (
        select x.id from lead_devices x where ${own(ctx, 'x')} and x.company_id = ${dropId} and x.status = 'active'
        order by x.last_seen_at desc, x.id desc offset ${Math.max(0, rows[0]!.free)})`,
    )
    .execute()
  return countRows(ctx, sql`update lead_devices d set company_id = ${keepId} where ${own(ctx, 'd')} and d.company_id = ${dropId}`)
}

/**
 * Moves staff, slots and leads together, because slots and leads reference staff of their own company. The foreign keys are checked at the
 * end.
 */
async function moveStaffAndSlots(ctx: EventContext, keep: CompanyRow, drop: CompanyRow) {
  const run = (query: RawBuilder<unknown>) => countRows(ctx, query)
  await sql`set constraints leads_tenant_id_event_id_staff_id_company_id_fkey, offerings_tenant_id_event_id_staff_id_company_id_fkey deferred`.execute(
    ctx.db,
  )
  const double = await removeDoubleStaff(ctx, keep.id, drop.id)
  await lockFreePasses(ctx, keep, { moving: (await countUsedFreePasses(ctx, drop.id)) + double.becomeFree.length })
  const staff = await run(sql`update exhibitor_staff s set company_id = ${keep.id} where ${own(ctx, 's')} and s.company_id = ${drop.id}`)
  await run(
    sql`update exhibitor_staff s set pass = 'free', order_line_id = null where ${own(ctx, 's')} and s.id = any(${double.becomeFree})`,
  )
  for (const orderLineId of double.paidTwice) await creditStaffPass(ctx, keep, orderLineId, 'companies merged')
  // If both companies offer the same slot, only the remaining company's can still be booked. Appointments in the other stay valid.
  await run(sql`update offerings o set removed_at = lanyard_now() where ${own(ctx, 'o')} and o.company_id = ${drop.id} and o.removed_at is null
    and exists (select from offerings k where ${own(ctx, 'k')} and k.company_id = ${keep.id} and k.removed_at is null and k.starts_at = o.starts_at
      and coalesce(k.location, '') = coalesce(o.location, ''))`)
  const offerings = await run(sql`update offerings o set company_id = ${keep.id} where ${own(ctx, 'o')} and o.company_id = ${drop.id}`)
  await regenerateAppointmentSlots(ctx, (await readLiveOrTestConfiguration(ctx, keep.is_test_data)).config, { companyId: keep.id })
  await run(sql`update appointments a set company_id = ${keep.id} where ${own(ctx, 'a')} and a.company_id = ${drop.id}`)
  const leads = await sql<{
    n: number
  }>`select count(*)::int as n from leads l where ${own(ctx, 'l')} and l.company_id = ${drop.id}`.execute(ctx.db)
  const joined = await moveLeads(ctx, { fromCompanyId: drop.id, toCompanyId: keep.id, isTestData: keep.is_test_data })
  await sql`set constraints leads_tenant_id_event_id_staff_id_company_id_fkey, offerings_tenant_id_event_id_staff_id_company_id_fkey immediate`.execute(
    ctx.db,
  )
  return { staff, offerings, leads: leads.rows[0]!.n, leadsJoined: joined.size }
}

const REMOVED_STAFF = STAFF_STATES.move('registered', 'removed')

interface DoubleStaff {
  /** Order lines of paid passes that the staff no longer need, because they have another pass. */
  paidTwice: string[]
  /** Ids of kept staff members with a paid pass who get the free pass of the removed one. */
  becomeFree: string[]
}

/**
 * Removes duplicate staff with the same email address. A registered staff member is kept, otherwise that of the remaining company. The kept
 * staff member becomes an admin if either of the two was one, and keeps a free pass if either of the two had one.
 */
async function removeDoubleStaff(ctx: EventContext, keepId: string, dropId: string): Promise<DoubleStaff> {
  const { rows } = await sql<{ id: string; orderLineId: string | null; isGone: boolean; becomesFree: boolean }>`with pairs as (
      select case when d.status = 'registered' and k.status <> 'registered' then k.id else d.id end as gone,
        case when d.status = 'registered' and k.status <> 'registered' then d.id else k.id end as kept,
        'admin' in (d.role, k.role) as admin, 'free' in (d.pass, k.pass) as free
      from exhibitor_staff d join exhibitor_staff k on ${own(ctx, 'k')} and k.company_id = ${keepId} and k.email_norm = d.email_norm and k.status <> 'removed'
      where ${own(ctx, 'd')} and d.company_id = ${dropId} and d.status <> 'removed')
    update exhibitor_staff s set status = case when s.id = pairs.gone then ${REMOVED_STAFF} else s.status end,
      role = case when s.id = pairs.kept and pairs.admin then 'admin' else s.role end
    from pairs where ${own(ctx, 's')} and s.id in (pairs.gone, pairs.kept)
    returning s.id, s.order_line_id as "orderLineId", s.id = pairs.gone as "isGone", s.id = pairs.kept and pairs.free and s.pass = 'paid' as "becomesFree"`.execute(
    ctx.db,
  )
  return {
    paidTwice: rows.flatMap(({ orderLineId, isGone, becomesFree }) =>
      orderLineId !== null && (isGone || becomesFree) ? [orderLineId] : [],
    ),
    becomeFree: rows.filter(({ becomesFree }) => becomesFree).map(({ id }) => id),
  }
}

/**
 * Moves the company's id in the organizer's own system to the remaining company. The id is unique, so it is removed from the other company
 * first.
 */
async function passOnExternalId(ctx: EventContext, keep: CompanyRow, drop: CompanyRow): Promise<void> {
  if (drop.external_id === null || keep.external_id !== null) return
  await sql`update companies c set external_id = null where ${own(ctx, 'c')} and c.id = ${drop.id}`.execute(ctx.db)
  await sql`update companies c set external_id = ${drop.external_id} where ${own(ctx, 'c')} and c.id = ${keep.id}`.execute(ctx.db)
}
