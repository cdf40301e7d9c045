import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { listHeldBoothIds, releaseBooths } from '../booths/hold.ts'
import { listAssignedBoothIds, vacateBooths } from '../booths/vacate.ts'
import { cancelCompanyAppointments } from '../cancel-appointment.ts'
import type { CompanyRow } from '../companies.ts'
import { revokeCompanyDevices } from '../devices/manage-devices.ts'
import { removeFreeSlots } from '../offerings.ts'
import { APPLICATION_STATES, COMPANY_STATES, LEAD_LICENCE_STATES } from '../states.ts'
import { lockCompany } from './edit-company.ts'
import { describeCompanyById } from './read-company.ts'

/**
 * Cancels a company: its applications end, its booths become available, upcoming appointments are cancelled with an email to the
 * participants, and licences and devices are revoked. Leads and registrations of staff stay.
 */
export async function cancelCompany(ctx: EventContext, { companyId, reason }: { companyId: string; reason: string }) {
  const company = await lockCompany(ctx, companyId)
  if (company.status === 'cancelled') return { ...(await describeCompanyById(ctx, companyId)), changed: [] }
  const applications = await endApplications(ctx, company, reason)
  const vacated = await vacateBooths(ctx, { boothIds: await listAssignedBoothIds(ctx, companyId), companyId, reason })
  await releaseBooths(ctx, await listHeldBoothIds(ctx, companyId))
  const appointments = await cancelCompanyAppointments(ctx, companyId, reason)
  await removeFreeSlots(ctx, [companyId])
  const devices = (await revokeCompanyDevices(ctx, companyId)).changed
  const licences = await revokeLicences(ctx, companyId)
  await changeRecordState(ctx, COMPANY_STATES, company, 'cancelled', { audited: { reason } })
  const moved = { applications, booths: vacated.booths.length, appointments, licences, devices }
  ctx.effects.add('deletes', companyId, { company: company.name, ...moved })
  return { ...(await describeCompanyById(ctx, companyId)), changed: ['status'], moved }
}

/** An accepted application is cancelled, any other open one is withdrawn. */
async function endApplications(ctx: EventContext, company: CompanyRow, reason: string): Promise<number> {
  const rows = await eventDb(ctx)
    .selectFrom('booth_applications')
    .selectAll()
    .where('company_id', '=', company.id)
    .where('status', 'not in', ['rejected', 'withdrawn', 'cancelled'])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  for (const row of rows) {
    const to = row.status === 'accepted' ? ('cancelled' as const) : ('withdrawn' as const)
    await changeRecordState(ctx, APPLICATION_STATES, row, to, { audited: { reason } })
  }
  return rows.length
}

/** Ends all lead-scanning licences of the company, including purchased ones, whose order lines are credited separately. */
async function revokeLicences(ctx: EventContext, companyId: string): Promise<number> {
  const rows = await eventDb(ctx)
    .selectFrom('lead_licences')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('status', '=', 'active')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  for (const licence of rows)
    await changeRecordState(ctx, LEAD_LICENCE_STATES, licence, 'revoked', { columns: { revoked_at: sql`lanyard_now()` } })
  return rows.length
}
