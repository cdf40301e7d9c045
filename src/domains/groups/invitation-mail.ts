import { renderEventEmail, sendEventEmail } from '../messages/event-mail/send.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import type { GroupRow } from './groups.ts'
import { INVITE_SOURCE } from './invite-states.ts'
import { groupPages } from './links.ts'

export interface Invitation {
  group: GroupRow
  email: string
  name: string | null
  /** A word of whoever invites. */
  message: string | null
  expiresAt: Date
}

function mailOf(ctx: EventScope, { group, email, name, message, expiresAt }: Invitation, token: string) {
  return {
    trigger: 'group.invited' as const,
    participant: null,
    to: { email, name },
    values: {
      'group.name': group.name,
      'group.code': group.code,
      'group.inviter': ctx.actor.name,
      'invite.expiresAt': { instant: expiresAt, zone: ctx.event.timezone },
      'invite.message': message,
      'links.invite': groupPages(ctx, group.code).joinWith(token),
    },
    isTestData: group.is_test_data,
  }
}

/** The only place where the token stands: the link in the mail. Each time an invite is sent is a mail of its own. */
export const mailInvitation = (ctx: EventScope, invitation: Invitation, sent: { inviteId: string; token: string; sentCount: number }) =>
  sendEventEmail(ctx, {
    ...mailOf(ctx, invitation, sent.token),
    sourceKind: INVITE_SOURCE,
    sourceId: sent.inviteId,
    recipientKey: String(sent.sentCount),
  })

/** The mail as somebody would get it, with a link that opens nothing. */
export const previewInvitation = (ctx: EventScope, invitation: Invitation) => renderEventEmail(ctx, mailOf(ctx, invitation, 'personal-token'))
