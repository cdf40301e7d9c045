import { code, day, list, oneOf, pageArguments, pageResult, searchArgument, totalResult } from '../../kernel/args.ts'
import { accountTool } from '../../kernel/tool.ts'
import { EVENT_STATUSES } from '../../domains/tenancy/events.ts'
import { listMyEvents, MyEvent } from '../../domains/tenancy/my-events.ts'
import { NON_EMPTY_TOOLSETS } from '../../kernel/served-toolsets.ts'

const isServed = (toolset: string) => NON_EMPTY_TOOLSETS.some((served) => served === toolset)

export default accountTool({
  name: 'list_my_events',
  title: 'List my events',
  description:
    "List the events (shows, congresses) you can get into at the moment, running ones first, with codes and your role at each. Start here when just connected. Not for one client's whole history (use list_events). Returns eventCode, clientCode, dates, roles and toolsets.",
  effect: 'read',
  toleratesLag: true,
  permission: null,
  input: {
    status: list(oneOf(EVENT_STATUSES), 3).optional(),
    from: day().optional(),
    until: day().optional(),
    search: searchArgument().optional(),
    clientCode: code().optional(),
    ...pageArguments,
  },
  output: { events: list(MyEvent), ...totalResult, ...pageResult },
  run: async (ctx, request) => {
    const { events, ...rest } = await listMyEvents(ctx, request)
    return { ...rest, events: events.map((event) => ({ ...event, toolsets: event.toolsets.filter(isServed) })) }
  },
})
