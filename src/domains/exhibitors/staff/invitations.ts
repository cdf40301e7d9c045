import { foldEmailCase } from '../../../kernel/email-address.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { DerivedKeys } from '../../../kernel/secrets.ts'
import { buildEventPageUrls } from '../../tenancy/public-pages.ts'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorContext } from '../context.ts'
import { findStaffByEmail, type StaffRow } from './staff-rows.ts'

const LINK_LABEL = 'company invitation'

/** The query parameter of the registration form that holds the token of an invitation. */
export const INVITATION_QUERY_PARAMETER = 'company'

/** The company that invites a person to register, and the invited staff member, which is null if the company's contact is invited. */
export interface CompanyInvitation {
  company: CompanyRow
  staff: StaffRow | null
  email: string
}

const toSignedText = (named: string, email: string) => `${named} ${foldEmailCase(email)}`

/**
 * Creates the token of an invitation, which names the company and the staff member. The signature covers the email address, so that a link
 * ends when the address is replaced.
 */
function createInvitationToken(keys: DerivedKeys, { company, staff, email }: CompanyInvitation): string {
  const named = staff === null ? company.id : `${company.id}-${staff.id}`
  return `${named}-${keys.sign(LINK_LABEL, toSignedText(named, email))}`
}

/** Returns the address of the registration form for a person whom a company invites. */
export async function createInvitationUrl(ctx: ExhibitorContext, company: CompanyRow, email: string, flowSlug: string): Promise<string> {
  const staff = await findStaffByEmail(ctx, company.id, email)
  const token = createInvitationToken(ctx.keys, { company, staff, email })
  return `${buildEventPageUrls(ctx).register(flowSlug)}?${new URLSearchParams({ [INVITATION_QUERY_PARAMETER]: token }).toString()}`
}

/** Finds the invitation of a link. Null if the link is invalid, the company has cancelled, or the person was removed. */
export async function findInvitationByToken(ctx: ExhibitorContext, token: string): Promise<CompanyInvitation | null> {
  const [, named = '', companyId = '', staffId, signature = ''] = /^(([0-9a-f]{24})(?:-([0-9a-f]{24}))?)-([\w-]{43})$/.exec(token) ?? []
  const invitation = await findInvitation(ctx, companyId, staffId ?? null)
  return invitation && ctx.keys.verify(LINK_LABEL, toSignedText(named, invitation.email), signature) ? invitation : null
}

/** Reads an invitation as it is now. Null if the company has cancelled, the person was removed, or the company has no contact any more. */
export async function findInvitation(ctx: ExhibitorContext, companyId: string, staffId: string | null): Promise<CompanyInvitation | null> {
  const company = await eventDb(ctx)
    .selectFrom('companies')
    .selectAll()
    .where('id', '=', companyId)
    .where('status', '<>', 'cancelled')
    .executeTakeFirst()
  if (!company) return null
  if (staffId === null) return company.contact_email === null ? null : { company, staff: null, email: company.contact_email }
  const staff = await eventDb(ctx)
    .selectFrom('exhibitor_staff')
    .selectAll()
    .where('id', '=', staffId)
    .where('company_id', '=', companyId)
    .where('status', '<>', 'removed')
    .executeTakeFirst()
  return staff ? { company, staff, email: staff.email } : null
}
