import { count, day, list, object, oneOf, pageArguments, pageResult, searchArgument, totalResult } from '../../kernel/args.ts'
import { clientTool } from '../../kernel/tool.ts'
import { countCompleteRegistrationsByEvent } from '../../domains/registration/summary/count-complete.ts'
import { EVENT_STATUSES, EventSummary, listEvents } from '../../domains/tenancy/events.ts'

export default clientTool({
  name: 'list_events',
  title: 'List events of a client',
  description:
    'List all events of one client (society, association): roster of past, upcoming and, when asked, archived or closed editions and congresses held over the years. Not for all you can work on (use list_my_events). Returns dates, place, version and registrations.',
  effect: 'read',
  toleratesLag: true,
  permission: 'clients.read',
  input: {
    status: list(oneOf(EVENT_STATUSES), 3).optional(),
    from: day().optional(),
    until: day().optional(),
    search: searchArgument().optional(),
    ...pageArguments,
  },
  output: { events: list(object({ ...EventSummary, participants: count() })), ...totalResult, ...pageResult },
  run: async (ctx, input) => {
    const { items, ...page } = await listEvents(ctx, input)
    const complete = await countCompleteRegistrationsByEvent(
      ctx,
      items.map((event) => event.id),
    )
    return { events: items.map(({ id, summary }) => ({ ...summary, participants: complete.get(id) ?? 0 })), ...page }
  },
})
