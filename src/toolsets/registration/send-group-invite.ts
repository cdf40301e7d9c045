import { toOneLine, code, count, email, flag, instant, list, name, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { GROUP_INVITE_SKIP_REASONS } from '../../domains/groups/invite-eligibility.ts'
import { sendInvites } from '../../domains/groups/send-invites.ts'
import { GROUP_ROLES } from '../../domains/groups/tables.ts'

export default eventTool({
  name: 'send_group_invite',
  title: 'Invite people to a group',
  description:
    'Mail joining links to delegates, asking them to sign up under their company or group, which cannot be undone: fire off roster invites for unfilled seats to addresses or a role; resend to people who lost or never got the message. Make a dryRun. Not for one registration (use add_participant). Returns queued and skipped.',
  effect: 'destructive',
  permission: 'registration.write',
  openWorld: true,
  keyed: true,
  input: {
    groupCode: code(),
    roles: list(oneOf(GROUP_ROLES), 3).optional(),
    emails: toOneLine(
      list(object({ email: email(), role: oneOf(GROUP_ROLES).default('member'), name: name().optional() }), 500),
      'email, role (admin, leader or member), name?',
    ).optional(),
    message: text(1000).optional(),
    resend: flag().default(false),
  },
  output: {
    queued: count(),
    skipped: toOneLine(list(object({ reason: oneOf(GROUP_INVITE_SKIP_REASONS), count: count() })), 'reason, count'),
    invites: toOneLine(list(object({ email: text(), role: oneOf(GROUP_ROLES), expiresAt: instant() })), 'email, role, expiresAt'),
    warnings: list(text()),
  },
  run: sendInvites,
})
