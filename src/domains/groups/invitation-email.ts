import { renderEventEmail, sendEventEmail } from '../messages/event-mail/send.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { GroupRow } from './groups.ts'
import type { GroupRole } from './invitees.ts'
import { GROUP_INVITE_EMAIL_SOURCE } from './invite-states.ts'
import { buildGroupPageUrls } from './links.ts'

export interface GroupInvitationEmail {
  group: GroupRow
  email: string
  name: string | null
  role: GroupRole
  /** A personal message from the sender. */
  message: string | null
  expiresAt: Date
}

function buildInvitationEmail(
  ctx: RegistrationContext,
  { group, email, name, role, message, expiresAt }: GroupInvitationEmail,
  token: string,
) {
  return {
    trigger: 'group.invited' as const,
    participant: null,
    to: { email, name },
    values: {
      'group.name': group.name,
      'group.code': group.code,
      'group.inviter': ctx.actor.name,
      // The email contains the join code only for admins, who pass it on to others.
      'group.joinCode': role === 'admin' ? group.join_code : null,
      'invite.expiresAt': { instant: expiresAt, zone: ctx.event.timezone },
      'invite.message': message,
      'links.invite': buildGroupPageUrls(ctx, group.code).joinWith(token),
    },
    isTestData: group.is_test_data,
  }
}

/** Sends the invitation. The email is the only place that contains the token. Each resend is a separate email. */
export const sendInvitation = (
  ctx: RegistrationContext,
  invitation: GroupInvitationEmail,
  sent: { inviteId: string; token: string; sentCount: number },
) =>
  sendEventEmail(ctx, {
    ...buildInvitationEmail(ctx, invitation, sent.token),
    sourceKind: GROUP_INVITE_EMAIL_SOURCE,
    sourceId: sent.inviteId,
    recipientKey: String(sent.sentCount),
  })

/** Renders the invitation email with a placeholder instead of a working token. */
export const previewInvitation = (ctx: RegistrationContext, invitation: GroupInvitationEmail) =>
  renderEventEmail(ctx, buildInvitationEmail(ctx, invitation, 'personal-token'))
