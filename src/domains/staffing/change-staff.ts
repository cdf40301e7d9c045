import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { lockCompanies } from '../exhibitors/booths/lock.ts'
import { formatBoothNumbers, listBoothNumbers } from '../exhibitors/company-facts.ts'
import { sendCompanyInvitation } from '../exhibitors/company/invite.ts'
import { setExtraStaffPasses } from '../exhibitors/company/edit-company.ts'
import { readLiveOrTestConfiguration } from '../exhibitors/context.ts'
import { lockFreePasses } from '../exhibitors/staff/allotment.ts'
import { describeStaff } from '../exhibitors/staff/list-staff.ts'
import { creditStaffPass } from '../exhibitors/staff/sell-pass.ts'
import {
  findStaffByEmail,
  lockStaff,
  markStaffInvited,
  markStaffRemoved,
  removeStaffFromLeadsAndSlots,
  requireAnotherCompanyAdmin,
  type StaffRow,
  updateStaffRow,
} from '../exhibitors/staff/staff-rows.ts'
import { cancelRegistration } from '../registration/edit/cancel.ts'
import { loadEventSnapshot } from '../registration/event-snapshot.ts'
import { clearParticipantCompany, getParticipant, setParticipantCompany } from '../registration/participant-rows.ts'
import { createAllotmentExceededError } from './add-staff.ts'

interface StaffChange {
  staffId: string
  role?: StaffRow['role'] | undefined
  companyId?: string | undefined
}

/** Locks the given companies and then the staff member, as all changes do, so that concurrent changes do not deadlock. */
async function lockWithCompanies(ctx: EventContext, staffId: string, toCompanyId?: string) {
  const { company_id } = await lockStaffUnlocked(ctx, staffId)
  const companies = await lockCompanies(ctx, [company_id, ...(toCompanyId === undefined ? [] : [toCompanyId])])
  const staff = await lockStaff(ctx, staffId)
  if (staff.company_id !== company_id) throw conflict('This staff member was moved concurrently. Repeat the call')
  if (staff.status === 'removed') throw preconditionFailed(`${staff.name} was removed. Add them again with action add`)
  return { staff, company: companies.get(company_id)!, to: companies.get(toCompanyId ?? company_id)! }
}

async function lockStaffUnlocked(ctx: EventContext, staffId: string): Promise<{ company_id: string }> {
  const row = await eventDb(ctx).selectFrom('exhibitor_staff').select('company_id').where('id', '=', staffId).executeTakeFirst()
  return row ?? lockStaff(ctx, staffId)
}

/** Changes the role of a booth staff member, or moves the staff member with their exhibitor pass to another company. */
export async function changeBoothStaff(ctx: EventContext, { staffId, role, companyId }: StaffChange) {
  const { staff, company, to } = await lockWithCompanies(ctx, staffId, companyId)
  const moves = to.id !== company.id
  if (moves || (role !== undefined && role !== 'admin')) await requireAnotherCompanyAdmin(ctx, company, staff)
  if (moves) {
    if (to.is_test_data !== company.is_test_data) throw preconditionFailed('Booth staff cannot move between test and real companies')
    if (to.status === 'cancelled') throw preconditionFailed(`${to.code} has cancelled and cannot get booth staff`)
    if (await findStaffByEmail(ctx, to.id, staff.email)) throw conflict(`${staff.email} is booth staff of ${to.code} already`)
    const { total, used, left } = await lockFreePasses(ctx, to)
    if (staff.pass === 'free' && left === 0) throw createAllotmentExceededError(to, total, used)
    await removeStaffFromLeadsAndSlots(ctx, staffId)
    if (staff.participant_id !== null) await setParticipantCompany(ctx, staff.participant_id, to.id)
  }
  const changed = [...(role !== undefined && role !== staff.role ? ['role'] : []), ...(moves ? ['company'] : [])]
  if (changed.length > 0) await updateStaffRow(ctx, staff, { role: role ?? staff.role, company_id: to.id })
  return { ...(await describeStaff(ctx, to.id, [staffId])), changed }
}

/** Removes a person from the booth staff. A free exhibitor pass can be reused; a paid pass is credited by the refund rules. */
export async function removeBoothStaff(
  ctx: EventContext,
  { staffId, cancelRegistration: cancels = false }: { staffId: string; cancelRegistration?: boolean | undefined },
) {
  const { staff, company } = await lockWithCompanies(ctx, staffId)
  await requireAnotherCompanyAdmin(ctx, company, staff)
  await markStaffRemoved(ctx, staff)
  if (staff.order_line_id !== null) await creditStaffPass(ctx, company, staff.order_line_id, 'booth staff removed')
  if (staff.participant_id !== null) await leaveCompany(ctx, staff.participant_id, cancels)
  ctx.effects.add('deletes', staffId, { name: staff.name, email: staff.email, cancelRegistration: cancels })
  return { ...(await describeStaff(ctx, company.id, [staffId])), changed: ['status'] }
}

async function leaveCompany(ctx: EventContext, participantId: string, cancels: boolean): Promise<void> {
  await clearParticipantCompany(ctx, participantId)
  const participant = await getParticipant(ctx, participantId)
  if (cancels && participant.status !== 'cancelled')
    await cancelRegistration(ctx, await loadEventSnapshot(ctx), participant, { rule: { by: 'policy' }, reason: 'booth staff removed' })
}

interface StaffInvitation {
  staffIds?: readonly string[] | undefined
  companyId?: string | undefined
  resend?: boolean | undefined
}

/** Emails a link to the exhibitor flow to booth staff who have not registered yet: only once, unless `resend` is true. */
export async function inviteBoothStaff(ctx: EventContext, { staffIds, companyId, resend = false }: StaffInvitation) {
  if ((staffIds === undefined) === (companyId === undefined))
    throw invalidArguments([{ path: 'staffIds', message: 'give either staffIds or companyId' }])
  const rows = eventDb(ctx).selectFrom('exhibitor_staff').selectAll().where('status', '<>', 'removed').orderBy('id')
  const staff = await (
    staffIds ? rows.where('id', '=', sql<string>`any(${staffIds})`) : rows.where('company_id', '=', companyId!)
  ).execute()
  for (const id of staffIds ?? []) if (!staff.some((one) => one.id === id)) await lockStaff(ctx, id)
  const companies = await lockCompanies(ctx, companyId === undefined ? staff.map(({ company_id }) => company_id) : [companyId])
  const numbers = await listBoothNumbers(ctx, [...companies.keys()])
  const skipped = new Map<string, number>()
  const [invited, callId]: [string[], string] = [[], newId()]
  for (const one of staff) {
    const company = companies.get(one.company_id)!
    const reason =
      one.status === 'registered'
        ? 'registered'
        : company.status === 'cancelled'
          ? 'company cancelled'
          : one.invited_at !== null && !resend
            ? 'invited before'
            : null
    if (reason !== null) {
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
      continue
    }
    const { config } = await readLiveOrTestConfiguration(ctx, company.is_test_data)
    const boothNumbers = formatBoothNumbers(numbers, company.id)
    await sendCompanyInvitation(ctx, config, { company, to: { email: one.email, name: one.name }, boothNumbers, callId })
    recordChange(ctx, { kind: 'exhibitorStaff', id: one.id, before: {}, after: { invited: one.email } })
    invited.push(one.id)
  }
  await markStaffInvited(ctx, invited)
  return { queued: invited.length, skipped: [...skipped].map(([reason, count]) => ({ reason, count })) }
}

/** Adds free exhibitor passes to those that a company gets for its booth area, or removes some. Passes in use stay valid. */
export async function adjustPassAllotment(
  ctx: EventContext,
  { companyId, extra, reason }: { companyId: string; extra: number; reason: string },
) {
  const company = (await lockCompanies(ctx, [companyId])).get(companyId)!
  const updated = await setExtraStaffPasses(ctx, company, extra, reason)
  await lockFreePasses(ctx, updated)
  return { ...(await describeStaff(ctx, companyId, [])), changed: extra === company.staff_extra ? [] : ['extra'] }
}
