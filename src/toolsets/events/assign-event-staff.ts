import { email, flag, list, name, oneOf, text } from '../../kernel/args.ts'
import { ROLES } from '../../kernel/permissions.ts'
import { eventTool } from '../../kernel/tool.ts'
import { EventPerson } from '../../domains/access/event-people.ts'
import { assignAndInviteEventStaff, limitStaffInvitationEmails } from '../../domains/sign-in/invitations.ts'

export default eventTool({
  name: 'assign_event_staff',
  title: 'Assign event staff',
  description:
    'Give a person (a temp, colleague, manager) rights at this event only: provision a login with a role, or change it. A new address needs a name and gets the set-password link by email. Not for a whole client (console). Returns the staff row, whether invited.',
  effect: 'change',
  permission: 'events.write',
  idempotent: true,
  openWorld: true,
  keyed: true,
  input: {
    email: email(),
    name: name().optional(),
    role: oneOf(ROLES as [(typeof ROLES)[number]]),
    note: text(500).optional(),
    sendInvite: flag().default(true),
  },
  output: { staff: EventPerson, created: flag(), invited: flag(), changed: list(text()) },
  prefetch: limitStaffInvitationEmails,
  run: assignAndInviteEventStaff,
})
