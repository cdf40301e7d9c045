import { sql } from 'kysely'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { lockCompanies } from '../booths/lock.ts'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from '../context.ts'
import { STAFF_STATES } from '../states.ts'
import { lockFreePasses } from './allotment.ts'
import { findInvitation } from './invitations.ts'
import { findStaffByEmail, insertStaff, lockStaff, markStaffRegistered, type StaffRow, updateStaffNameAndEmail } from './staff-rows.ts'

/** A completed registration of the exhibitor flow. */
export interface RegisteredPerson {
  id: string
  name: string
  email: string
  isTestData: boolean
  /** Whether the person has proved access to the mailbox of `email`. */
  isEmailVerified: boolean
  /** The company whose invitation link started the registration, and the invited staff member. */
  invitedBy: { companyId: string; staffId: string | null } | null
}

/**
 * Adds a person who registered after the invitation of a company to its booth staff. The company is found by the invitation link, otherwise
 * by the invited email address. Returns the company, or null if no company has invited the person. A company becomes active with its first
 * registered admin.
 */
export async function linkRegistrationToStaff(ctx: ExhibitorContext, person: RegisteredPerson): Promise<string | null> {
  const known = await findRegisteredStaff(ctx, person.id)
  if (known) return known.company_id
  const companyId = (await findInvitingCompany(ctx, person)) ?? (await findCompanyByAddress(ctx, person))
  if (companyId === null) return null
  const company = (await lockCompanies(ctx, [companyId])).get(companyId)!
  const staff = await chooseStaff(ctx, company, person)
  if (staff) await markStaffRegistered(ctx, company, await lockStaff(ctx, staff.id), person.id)
  return staff && company.id
}

const findRegisteredStaff = async (ctx: ExhibitorQueryContext, participantId: string): Promise<StaffRow | null> =>
  (await eventDb(ctx)
    .selectFrom('exhibitor_staff')
    .selectAll()
    .where('participant_id', '=', participantId)
    .where('status', '=', 'registered')
    .executeTakeFirst()) ?? null

async function findInvitingCompany(ctx: ExhibitorContext, { invitedBy, isTestData }: RegisteredPerson): Promise<string | null> {
  const invitation = invitedBy && (await findInvitation(ctx, invitedBy.companyId, invitedBy.staffId))
  return invitation?.company.is_test_data === isTestData && invitation.staff?.status !== 'registered' ? invitation.company.id : null
}

/**
 * Finds the only company that has invited this address, as booth staff or as its contact. If several have, only the link of an invitation
 * identifies the company.
 */
async function findCompanyByAddress(
  { db, tenantId, event }: ExhibitorQueryContext,
  { email, isTestData, isEmailVerified }: RegisteredPerson,
): Promise<string | null> {
  if (!isEmailVerified) return null
  const { rows } = await sql<{ id: string }>`
    select c.id from companies c
    where c.tenant_id = ${tenantId} and c.event_id = ${event.id} and c.is_test_data = ${isTestData} and c.status <> 'cancelled'
      and c.id in (
        select s.company_id from exhibitor_staff s
        where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.email_norm = ${foldEmailCase(email)} and s.status = 'invited'
        union all
        select i.id from companies i
        where i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.status = 'invited' and lanyard_fold_email(i.contact_email) = ${foldEmailCase(email)})
    limit 2`.execute(db)
  return rows.length === 1 ? rows[0]!.id : null
}

/**
 * Finds the invited staff member that belongs to the registered person, or creates one for the company's contact, who becomes an admin.
 * Null if another person has registered with the invitation. The caller has locked the company.
 */
async function chooseStaff(ctx: ExhibitorContext, company: CompanyRow, person: RegisteredPerson): Promise<StaffRow | null> {
  const own = await findStaffByEmail(ctx, company.id, person.email)
  if (own) return own.status === 'invited' ? own : null
  const invited = person.invitedBy?.companyId === company.id ? person.invitedBy.staffId : null
  if (invited !== null) return takeInvitation(ctx, await lockStaff(ctx, invited), person)
  const isContact = company.contact_email !== null && foldEmailCase(company.contact_email) === foldEmailCase(person.email)
  if (!isContact && (await hasRegisteredAdmin(ctx, company.id))) return null
  const { left } = await lockFreePasses(ctx, company)
  const { name, email } = person
  // A person without a free pass has paid for the registration, so nothing is charged to the company.
  return insertStaff(ctx, company, { name, email, role: 'admin', pass: left > 0 ? 'free' : 'paid' })
}

/** Gives an invitation to a person who registered with another address than the invited one. The staff member gets the new address. */
const takeInvitation = async (ctx: ExhibitorContext, staff: StaffRow, person: RegisteredPerson): Promise<StaffRow | null> =>
  staff.status === 'invited' ? updateStaffNameAndEmail(ctx, staff, person) : null

async function hasRegisteredAdmin(ctx: ExhibitorQueryContext, companyId: string): Promise<boolean> {
  const admin = await eventDb(ctx)
    .selectFrom('exhibitor_staff')
    .select('id')
    .where('company_id', '=', companyId)
    .where('role', '=', 'admin')
    .where('status', '=', 'registered')
    .executeTakeFirst()
  return admin !== undefined
}

/**
 * Removes a cancelled registration from its staff member. The person stays invited with the pass and the role, and can register again; the
 * company decides whether to remove them.
 */
export async function unlinkRegistrationFromStaff(ctx: ExhibitorContext, participantId: string): Promise<boolean> {
  const staff = await findRegisteredStaff(ctx, participantId)
  if (!staff) return false
  await changeRecordState(ctx, STAFF_STATES, staff, 'invited', { columns: { participant_id: null } })
  return true
}

/**
 * Transfers the pass of a registered staff member to the person who takes over the registration. Returns whether there was a pass, and the
 * company of the person who has it now.
 */
export async function transferRegisteredStaffPass(
  ctx: ExhibitorContext,
  participantId: string,
  to: { id: string; name: string; email: string },
): Promise<{ hadPass: boolean; companyId: string | null }> {
  const staff = await findRegisteredStaff(ctx, participantId)
  if (!staff) return { hadPass: false, companyId: null }
  const company = (await lockCompanies(ctx, [staff.company_id])).get(staff.company_id)!
  const released = await changeRecordState(ctx, STAFF_STATES, staff, 'invited', { columns: { participant_id: null } })
  const other = await findStaffByEmail(ctx, company.id, to.email)
  const taken = other?.status === 'invited' ? other : other ? null : await updateStaffNameAndEmail(ctx, released, to)
  if (taken) await markStaffRegistered(ctx, company, taken, to.id)
  return { hadPass: true, companyId: taken && company.id }
}
