import { count, list, oneOf, page, pageResult, search } from '../../kernel/args.ts'
import { ROLES } from '../../kernel/permissions.ts'
import { eventTool } from '../../kernel/tool.ts'
import { EventPerson, listEventPeople } from '../../domains/access/event-people.ts'
import { withLastSeen } from '../../domains/sign-in/last-seen.ts'

export default eventTool({
  name: 'list_event_staff',
  title: 'List event staff',
  description:
    'List who can work at an event: members of the client and staff of this event only (the team), by name. Not for participants (use find_participants). Returns role, where it comes from, effective permissions, when last seen.',
  effect: 'read',
  permission: 'events.read',
  input: { role: oneOf(ROLES as [(typeof ROLES)[number]]).optional(), search: search().optional(), ...page },
  output: { staff: list(EventPerson), total: count(), ...pageResult },
  run: async (ctx, input) => {
    const { items, ...page } = await listEventPeople(ctx, input)
    return { staff: await withLastSeen(ctx.db, items), ...page }
  },
})
