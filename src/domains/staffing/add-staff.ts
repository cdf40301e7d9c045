import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { AppError, conflict, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { lockCompanies } from '../exhibitors/booths/lock.ts'
import type { CompanyRow } from '../exhibitors/companies.ts'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { getExhibitorFlow } from '../exhibitors/company/invite.ts'
import { lockFreePasses } from '../exhibitors/staff/allotment.ts'
import { describeStaff } from '../exhibitors/staff/list-staff.ts'
import { sellStaffPass } from '../exhibitors/staff/sell-pass.ts'
import { findStaffByEmail, insertStaff, lockStaff, markStaffRegistered, type StaffRow } from '../exhibitors/staff/staff-rows.ts'
import { addParticipant } from '../registration/add.ts'
import { loadEventSnapshot } from '../registration/event-snapshot.ts'
import { setParticipantCompany } from '../registration/participant-rows.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'

export interface NewStaffMember {
  firstName: string
  lastName: string
  email: string
  role: StaffRow['role']
  jobTitle?: string | undefined
}

interface Addition {
  companyId: string
  people: readonly NewStaffMember[]
  register?: boolean | undefined
  pass?: 'auto' | 'free' | 'paid' | undefined
}

type Result = 'created' | 'linked' | 'skipped'

/** Adds booth staff to a company, and returns them in the format of manage_exhibitors. */
export async function addBoothStaff(ctx: EventContext, addition: Addition) {
  const added = await addStaffToCompany(ctx, addition)
  const { exhibitors, allotment } = await describeStaff(ctx, addition.companyId, [...added.keys()])
  return { exhibitors: exhibitors.map((one) => ({ ...one, result: added.get(one.staffId)! })), allotment }
}

/**
 * Adds booth staff to a company, for any kind of actor. The company and its counter of free passes are locked, so that concurrent calls
 * never exceed the allotment. If one person cannot be added, none is. Returns the outcome for each person, by staff id.
 */
export async function addStaffToCompany(
  ctx: ExhibitorContext,
  { companyId, people, register = false, pass = 'auto' }: Addition,
): Promise<Map<string, Result>> {
  const company = (await lockCompanies(ctx, [companyId])).get(companyId)!
  if (company.status === 'cancelled') throw preconditionFailed(`${company.code} has cancelled and cannot get booth staff`)
  const passes = await lockFreePasses(ctx, company)
  const added = new Map<string, Result>()
  for (const person of people) {
    const known = await findStaffByEmail(ctx, companyId, person.email)
    if (known && (known.status === 'registered' || !register || added.has(known.id))) {
      if (!added.has(known.id)) added.set(known.id, 'skipped')
      continue
    }
    const staff = known ?? (await addPerson(ctx, company, person, choosePass(company, passes, pass)))
    if (!known && staff.pass === 'free') [passes.used, passes.left] = [passes.used + 1, passes.left - 1]
    added.set(staff.id, register ? await registerPerson(ctx, company, staff, person) : 'created')
  }
  return added
}

function choosePass(
  company: CompanyRow,
  { total, used, left }: { total: number; used: number; left: number },
  pass: 'auto' | 'free' | 'paid',
): 'free' | 'paid' {
  if (pass === 'auto') return left > 0 ? 'free' : 'paid'
  if (pass === 'free' && left === 0) throw createAllotmentExceededError(company, total, used)
  return pass
}

export const createAllotmentExceededError = ({ name }: CompanyRow, total: number, used: number) =>
  new AppError('limit_exceeded', `Allotment of ${name} is ${total}, used ${used}`)

async function addPerson(ctx: ExhibitorContext, company: CompanyRow, person: NewStaffMember, pass: 'free' | 'paid'): Promise<StaffRow> {
  const { firstName, lastName, email, role } = person
  await refuseOtherCompany(ctx, company, email)
  const name = `${firstName} ${lastName}`
  const orderLineId = pass === 'paid' ? await sellStaffPass(ctx, company, name) : null
  return insertStaff(ctx, company, { name, email, role, pass, orderLineId })
}

/**
 * Finds the registration with this email address, finished registrations first. Guests are not found, because they belong to the
 * registration of their host.
 */
const findRegistration = async (ctx: ExhibitorContext, email: string, isTest: boolean): Promise<ParticipantRow | null> =>
  (await eventDb(ctx)
    .selectFrom('participants')
    .selectAll()
    .where('email_norm', '=', foldEmailCase(email))
    .where('is_test_data', '=', isTest)
    .where('status', '<>', 'cancelled')
    .where('host_id', 'is', null)
    .where(sql<boolean>`not (email_unverified and status = 'incomplete')`)
    .orderBy(sql`status <> 'complete'`)
    .orderBy('id')
    .executeTakeFirst()) ?? null

async function refuseOtherCompany(ctx: ExhibitorContext, company: CompanyRow, email: string): Promise<void> {
  const registration = await findRegistration(ctx, email, company.is_test_data)
  if (registration?.company_id && registration.company_id !== company.id)
    throw conflict(`${email} is booth staff of another company: ${registration.company_id}. Move them with action update`)
}

/** Registers a staff member with the exhibitor flow, or links the existing registration with the same address. */
async function registerPerson(ctx: ExhibitorContext, company: CompanyRow, staff: StaffRow, person: NewStaffMember): Promise<Result> {
  const known = await findRegistration(ctx, person.email, company.is_test_data)
  const participant = known?.status === 'complete' ? known : await submitPerson(ctx, company, person)
  // Submitting a new registration may have linked the staff member already, so the current status is read.
  const current = await lockStaff(ctx, staff.id)
  if (current.status === 'invited') await markStaffRegistered(ctx, company, current, participant.id)
  await setParticipantCompany(ctx, participant.id, company.id)
  return known?.status === 'complete' ? 'linked' : 'created'
}

/**
 * Registers a staff member on behalf of an organizer, without the answers that only the person can give, and also if the flow is closed.
 */
async function submitPerson(
  ctx: ExhibitorContext,
  company: CompanyRow,
  { firstName, lastName, email, jobTitle }: NewStaffMember,
): Promise<ParticipantRow> {
  const snapshot = await loadEventSnapshot(ctx)
  if (snapshot.isTest !== company.is_test_data)
    throw preconditionFailed(
      snapshot.isTest
        ? 'The event is in test mode, so booth staff of real companies cannot be registered'
        : 'Booth staff of a test company can only be registered in test mode',
    )
  const data = {
    '@participant.firstName': firstName,
    '@participant.lastName': lastName,
    '@participant.email': email,
    '@participant.company': company.name,
    ...(jobTitle === undefined ? {} : { '@participant.jobTitle': jobTitle }),
  }
  const overrides = { skipRequired: true, joinWaitlist: false, overrideCapacity: false, overrideClosed: true }
  const { slug: flowSlug } = getExhibitorFlow(snapshot.config)
  const added = await addParticipant(
    ctx,
    { flowSlug, data, tags: [], status: 'complete', group: null, source: 'organizer', looked: null, ...overrides },
    snapshot,
  )
  return added.participant
}
