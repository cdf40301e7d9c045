import { getEventPerson } from '../access/event-people.ts'
import { addStaff, giveStaffRole, worksAt } from '../access/event-staff.ts'
import { addMember, findOrCreatePerson, getMember } from '../access/members.ts'
import { limitPerHour } from '../access/rate-windows.ts'
import { isHeldElsewhere, languageOf } from '../access/users.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext, EventContext } from '../../kernel/context.ts'
import { type AppError, conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { sendEmail } from '../../kernel/email.ts'
import { newId } from '../../kernel/ids.ts'
import type { Role } from '../../kernel/permissions.ts'
import { withLastSeen } from './last-seen.ts'
import { addedToClient, invitation } from './mails.ts'
import { newPasswordLink } from './passwords.ts'

interface Invitation {
  email: string
  name: string
  role: Role
  /** One event only; left out, all of the client. */
  eventId?: string | undefined
}

const PER_HOUR = 100

/** What one client may ask for, whoever asks and by whichever way. Outside the transaction: what is refused or undone was asked for all the same. */
export const limitInvitations = ({ db, tenantId, client }: Pick<ClientContext, 'db' | 'tenantId' | 'client'>): Promise<void> =>
  limitPerHour(db, `invite:${tenantId}:${client.id}`, PER_HOUR, 'invitations of a client')

const cannotBeInvited = () => invalidArguments([{ path: 'email', message: 'this address cannot be invited here; use another one' }])
const cannotBeAssigned = () => conflict('this address cannot be assigned')

/** Gives the role and mails it: to somebody new a link to choose a password, to others the address of the console. */
export async function inviteMember(ctx: ClientContext, { email, name, role, eventId }: Invitation): Promise<void> {
  const person = await findOrCreatePerson(ctx, { email, name }, cannotBeInvited)
  const { userId } = person
  const place = eventId === undefined ? ctx.client.name : await addStaff(ctx, { userId, eventId, role })
  if (eventId === undefined) await addMember(ctx, { userId, role })
  await mailInvitation(ctx, person, { name: place, eventId }, cannotBeInvited)
}

interface Assignment {
  email: string
  name?: string | undefined
  role: Role
  note?: string | undefined
  sendInvite: boolean
}

/** Before the transaction. Whoever works at the event already gets no mail. */
export async function limitAssignments(ctx: EventContext, { email }: Pick<Assignment, 'email'>): Promise<void> {
  if (!(await worksAt(ctx, email))) await limitInvitations(ctx)
}

/** Gives a role at the event, in place of another one there. A mail goes out once, with the first role; somebody new gets their login by it. */
export async function assignStaff(ctx: EventContext, { email, name, role, note, sendInvite }: Assignment) {
  const person = await findOrCreatePerson(ctx, { email, name }, cannotBeAssigned)
  const { before, changed } = await giveStaffRole(ctx, { userId: person.userId, eventId: ctx.event.id, role, note })
  const invited = sendInvite && before === null
  if (invited) await mailInvitation(ctx, person, { name: ctx.event.name, eventId: ctx.event.id }, cannotBeAssigned)
  const [staff] = await withLastSeen(ctx.db, [await getEventPerson(ctx, person.userId)])
  return { staff: staff!, created: person.created, invited, changed }
}

/** A new link for somebody who has not chosen a password yet; the earlier one stops working. */
export async function inviteAgain(ctx: ClientContext, { userId }: { userId: string }): Promise<void> {
  const member = await getMember(ctx, userId)
  if (!member.pending) throw preconditionFailed(`${member.name} has chosen a password already`)
  await mailInvitation(ctx, member, { name: ctx.client.name }, cannotBeInvited)
  recordChange(ctx, { kind: 'invitation', id: userId, after: { email: member.email } })
}

/** Last of all a call does: an address that signs in at another tenant is told from one that nobody has only where the other would get a mail. */
async function mailInvitation(
  ctx: ClientContext,
  person: { userId: string; email: string; name: string; pending: boolean },
  place: { name: string; eventId?: string | undefined },
  refusal: () => AppError,
): Promise<void> {
  if (person.pending && (await isHeldElsewhere(ctx.db, { tenantId: ctx.tenantId, email: person.email }))) throw refusal()
  const link = person.pending
    ? `${ctx.baseUrl}/console/password?token=${(await newPasswordLink(ctx.db, person.userId, 'invite')).reveal()}`
    : `${ctx.baseUrl}/console`
  await sendEmail(ctx, person.pending ? invitation : addedToClient, {
    to: { address: person.email, name: person.name },
    content: { link, inviter: ctx.actor.name, place: place.name },
    source: { kind: 'invitation', id: newId(), recipientKey: person.userId },
    locale: (await languageOf(ctx.db, person.userId)) ?? (await localeAt(ctx, place.eventId)),
  })
}

/** Of somebody who has not been in yet it is only known where they are to work. */
async function localeAt(ctx: ClientContext, eventId: string | undefined): Promise<string | null> {
  if (eventId === undefined) return null
  const event = await ctx.db
    .selectFrom('events')
    .select('locale')
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', eventId)
    .executeTakeFirst()
  return event?.locale ?? null
}
