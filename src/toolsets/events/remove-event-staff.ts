import { email, flag, id, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { removeEventPerson } from '../../domains/access/event-people.ts'

export default eventTool({
  name: 'remove_event_staff',
  title: 'Remove event staff',
  description:
    'Take away the role somebody has at one event (remove from the team), by userId or email; their connected apps are signed out. A role in all of the client stays. Not for another role (use assign_event_staff). Returns whether removed, and the permissions that remain.',
  effect: 'change',
  permission: 'events.write',
  idempotent: true,
  input: { userId: id().optional(), email: email().optional() },
  output: { removed: flag(), remaining: object({ via: oneOf(['membership', 'none']), permissions: list(text()) }) },
  run: removeEventPerson,
})
