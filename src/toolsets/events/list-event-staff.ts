import { list, oneOf, pageArguments, pageResult, searchArgument, totalResult } from '../../kernel/args.ts'
import { ROLES } from '../../kernel/permissions.ts'
import { eventTool } from '../../kernel/tool.ts'
import { EventPerson, listEventPeople } from '../../domains/access/event-people.ts'
import { addLastSeenTimes } from '../../domains/sign-in/last-seen.ts'

export default eventTool({
  name: 'list_event_staff',
  title: 'List event staff',
  description:
    'List which colleagues (team, users) can get into an event or show: access list with role, rights and when last seen. Not for participants (use find_participants). Returns name, role, where it comes from and effective permissions.',
  effect: 'read',
  toleratesLag: true,
  permission: 'events.read',
  input: { role: oneOf(ROLES as [(typeof ROLES)[number]]).optional(), search: searchArgument().optional(), ...pageArguments },
  output: { staff: list(EventPerson), ...totalResult, ...pageResult },
  run: async (ctx, input) => {
    const { items, ...page } = await listEventPeople(ctx, input)
    return { staff: await addLastSeenTimes(ctx.db, items), ...page }
  },
})
