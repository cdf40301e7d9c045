import { eventDb } from '../../kernel/scoped-db.ts'
import { linkRegistrationToStaff, unlinkRegistrationFromStaff, transferRegisteredStaffPass } from '../exhibitors/staff/link-registered.ts'
import type { RegistrationContext } from './event-snapshot.ts'
import { clearParticipantCompany, setParticipantCompany } from './participant-rows.ts'
import { formatParticipantName, type ParticipantRow } from './participant-shape.ts'

/**
 * Adds a participant who completed the exhibitor flow to the booth staff of the company that invited them. Returns whether a company
 * invited them.
 */
export async function addToInvitingCompanyStaff(ctx: RegistrationContext, row: ParticipantRow): Promise<boolean> {
  if (row.email === null || row.host_id !== null) return false
  const companyId = await linkRegistrationToStaff(ctx, {
    id: row.id,
    name: formatParticipantName(row),
    email: row.email,
    isTestData: row.is_test_data,
    isEmailVerified: !row.email_unverified,
    invitedBy: await readInvitation(ctx, row.id),
  })
  if (companyId !== null) await setParticipantCompany(ctx, row.id, companyId)
  return companyId !== null
}

/** Reads the company's invitation that the registration was started with. */
async function readInvitation(ctx: RegistrationContext, participantId: string) {
  const stored = await eventDb(ctx)
    .selectFrom('registration_progress')
    .select(['invited_company_id', 'invited_staff_id'])
    .where('participant_id', '=', participantId)
    .executeTakeFirst()
  return stored?.invited_company_id ? { companyId: stored.invited_company_id, staffId: stored.invited_staff_id } : null
}

/** Removes a cancelled registration from the booth staff of its company. */
export async function removeFromCompanyStaff(ctx: RegistrationContext, participantId: string): Promise<void> {
  if (await unlinkRegistrationFromStaff(ctx, participantId)) await clearParticipantCompany(ctx, participantId)
}

/** Transfers the staff pass of a registration to the person who takes over the registration. */
export async function transferStaffPass(ctx: RegistrationContext, leavingId: string, coming: ParticipantRow): Promise<void> {
  const to = { id: coming.id, name: formatParticipantName(coming), email: coming.email ?? '' }
  const { hadPass, companyId } = await transferRegisteredStaffPass(ctx, leavingId, to)
  if (hadPass) await clearParticipantCompany(ctx, leavingId)
  if (companyId !== null) await setParticipantCompany(ctx, coming.id, companyId)
}
