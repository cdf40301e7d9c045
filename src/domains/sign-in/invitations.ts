import { getEventPerson } from '../access/event-people.ts'
import { addStaffRole, assignStaffRole, isEventStaff } from '../access/event-staff.ts'
import { addClientMember, findOrCreateTenantUser, getClientMember } from '../access/members.ts'
import { limitCallsPerHour } from '../access/rate-windows.ts'
import { isEmailUsedAtOtherTenant, readUserLanguage } from '../access/users.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext, EventContext } from '../../kernel/context.ts'
import { type AppError, conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { sendEmail } from '../../kernel/email.ts'
import { newId } from '../../kernel/ids.ts'
import type { Role } from '../../kernel/permissions.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { addLastSeenTimes } from './last-seen.ts'
import { addedToClientEmail, invitationEmail } from './emails.ts'
import { createPasswordLink } from './passwords.ts'

interface Invitation {
  email: string
  name: string
  role: Role
  /** The event at which the role applies; if omitted, the role applies to the whole client. */
  eventId?: string | undefined
}

const MAX_INVITATIONS_PER_HOUR = 100

/** Limits the number of invitations per client. This runs outside of the transaction, so that failed attempts count too. */
export const limitInvitations = ({ db, tenantId, client }: Pick<ClientContext, 'db' | 'tenantId' | 'client'>): Promise<void> =>
  limitCallsPerHour(db, `invite:${tenantId}:${client.id}`, MAX_INVITATIONS_PER_HOUR, 'invitations of a client')

const cannotBeInvitedError = () =>
  invalidArguments([{ path: 'email', message: 'this address cannot be invited here; use another address' }])
const cannotBeAssignedError = () => conflict('this address cannot be assigned')

/**
 * Assigns the role to a member. New users get an email with a link to choose a password, other users an email with the URL of the console.
 */
export async function inviteMember(ctx: ClientContext, { email, name, role, eventId }: Invitation): Promise<void> {
  const person = await findOrCreateTenantUser(ctx, { email, name }, cannotBeInvitedError)
  const { userId } = person
  const place = eventId === undefined ? ctx.client.name : await addStaffRole(ctx, { userId, eventId, role })
  if (eventId === undefined) await addClientMember(ctx, { userId, role })
  await sendInvitationEmail(ctx, person, { name: place, eventId }, cannotBeInvitedError)
}

interface Assignment {
  email: string
  name?: string | undefined
  role: Role
  note?: string | undefined
  sendInvite: boolean
}

/**
 * Limits the number of invitation emails per client, before the transaction that assigns a role. Members who already have a role at the
 * event get no email, so they do not count.
 */
export async function limitStaffInvitationEmails(ctx: EventContext, { email }: Pick<Assignment, 'email'>): Promise<void> {
  if (!(await isEventStaff(ctx, email))) await limitInvitations(ctx)
}

/**
 * Assigns or replaces a role at the event. An email is sent only with the first role; for new users it contains a link to choose a
 * password.
 */
export async function assignAndInviteEventStaff(ctx: EventContext, { email, name, role, note, sendInvite }: Assignment) {
  const person = await findOrCreateTenantUser(ctx, { email, name }, cannotBeAssignedError)
  const { before, changed } = await assignStaffRole(ctx, { userId: person.userId, eventId: ctx.event.id, role, note })
  const invited = sendInvite && before === null
  if (invited) await sendInvitationEmail(ctx, person, { name: ctx.event.name, eventId: ctx.event.id }, cannotBeAssignedError)
  const [staff] = await addLastSeenTimes(ctx.db, [await getEventPerson(ctx, person.userId)])
  return { staff: staff!, created: person.created, invited, changed }
}

/** Sends a new invitation link to a user without a password; the earlier link becomes invalid. */
export async function resendInvitation(ctx: ClientContext, { userId }: { userId: string }): Promise<void> {
  const member = await getClientMember(ctx, userId)
  if (!member.pending) throw preconditionFailed(`${member.name} has already chosen a password`)
  await sendInvitationEmail(ctx, member, { name: ctx.client.name }, cannotBeInvitedError)
  recordChange(ctx, { kind: 'invitation', id: userId, after: { email: member.email } })
}

/**
 * Sends the invitation email. This is the last step, so that an error about an address of another tenant appears only if an email would be
 * sent.
 */
async function sendInvitationEmail(
  ctx: ClientContext,
  person: { userId: string; email: string; name: string; pending: boolean },
  place: { name: string; eventId?: string | undefined },
  refusal: () => AppError,
): Promise<void> {
  if (person.pending && (await isEmailUsedAtOtherTenant(ctx.db, { tenantId: ctx.tenantId, email: person.email }))) throw refusal()
  const link = person.pending
    ? `${ctx.baseUrl}/console/password?token=${(await createPasswordLink(ctx.db, person.userId, 'invite')).reveal()}`
    : `${ctx.baseUrl}/console`
  await sendEmail(ctx, person.pending ? invitationEmail : addedToClientEmail, {
    to: { address: person.email, name: person.name },
    content: { link, inviter: ctx.actor.name, place: place.name },
    source: { kind: 'invitation', id: newId(), recipientKey: person.userId },
    locale: (await readUserLanguage(ctx.db, person.userId)) ?? (await readDefaultLocale(ctx, place.eventId)),
  })
}

/** Returns the language of the event, for users who never signed in; null for an invitation to a whole client. */
async function readDefaultLocale(ctx: ClientContext, eventId: string | undefined): Promise<string | null> {
  if (eventId === undefined) return null
  const event = await tenantDb(ctx).selectFrom('events').select('locale').where('id', '=', eventId).executeTakeFirst()
  return event?.locale ?? null
}
