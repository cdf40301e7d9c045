import { addStaff } from '../access/event-staff.ts'
import { addMember, findOrCreatePerson, getMember } from '../access/members.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { sendEmail } from '../../kernel/email.ts'
import { newId } from '../../kernel/ids.ts'
import type { Role } from '../../kernel/permissions.ts'
import { addedToClient, invitation } from './mails.ts'
import { newPasswordLink } from './passwords.ts'

interface Invitation {
  email: string
  name: string
  role: Role
  /** One event only; left out, all of the client. */
  eventId?: string | undefined
}

/** Gives the role and mails it: to somebody new a link to choose a password, to others the address of the console. */
export async function inviteMember(ctx: ClientContext, { email, name, role, eventId }: Invitation): Promise<void> {
  const person = await findOrCreatePerson(ctx, { email, name })
  const { userId } = person
  const place = eventId === undefined ? ctx.client.name : await addStaff(ctx, { userId, eventId, role })
  if (eventId === undefined) await addMember(ctx, { userId, role })
  await mailInvitation(ctx, person, place)
}

/** A new link for somebody who has not chosen a password yet; the earlier one stops working. */
export async function inviteAgain(ctx: ClientContext, { userId }: { userId: string }): Promise<void> {
  const member = await getMember(ctx, userId)
  if (!member.pending) throw preconditionFailed(`${member.name} has chosen a password already`)
  await mailInvitation(ctx, member, ctx.client.name)
  recordChange(ctx, { kind: 'invitation', id: userId, after: { email: member.email } })
}

async function mailInvitation(
  ctx: ClientContext,
  person: { userId: string; email: string; name: string; pending: boolean },
  place: string,
): Promise<void> {
  const link = person.pending
    ? `${ctx.baseUrl}/console/password?token=${(await newPasswordLink(ctx.db, person.userId, 'invite')).reveal()}`
    : `${ctx.baseUrl}/console`
  await sendEmail(ctx, person.pending ? invitation : addedToClient, {
    to: { address: person.email, name: person.name },
    content: { link, inviter: ctx.actor.name, client: place },
    source: { kind: 'invitation', id: newId(), recipientKey: person.userId },
  })
}
