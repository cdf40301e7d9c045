import { email, flag, id, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { removeEventRole } from '../../domains/access/event-people.ts'

export default eventTool({
  name: 'remove_event_staff',
  title: 'Remove event staff',
  description:
    "Revoke a person's access to this event (deprovision): take away the role of a freelancer or temp, who shouldn't get in any longer, by userId or email. A role in the whole client stays; your own last role needs dryRun first. Not for another role (use assign_event_staff). Returns whether removed, and rights that remain.",
  effect: 'change',
  permission: 'events.write',
  idempotent: true,
  confirmable: true,
  input: { userId: id('user').optional(), email: email().optional() },
  output: { removed: flag(), remaining: object({ via: oneOf(['membership', 'none']), permissions: list(text()) }) },
  run: removeEventRole,
})
