import { z } from 'zod'
import { code, count, day, list, money, object, oneOf, pageArguments, pageResult, searchArgument, text } from '../../kernel/args.ts'
import { accountTool } from '../../kernel/tool.ts'
import { getMyEventsStats, EVENT_STATS_SORT_KEYS } from '../../domains/figures/across/my-events-stats.ts'
import { EVENT_STATUSES } from '../../domains/tenancy/events.ts'

const figure = () => z.number().nullable()
const People = { complete: figure(), incomplete: figure(), waitlisted: figure(), cancelled: figure() }
const Money = { net: money().nullable(), total: money().nullable(), owed: money().nullable() }
const Recent = { attended: figure(), showRate: figure(), last7Days: figure(), previous7Days: figure() }

export default accountTool({
  name: 'get_my_events_stats',
  title: 'Figures of all my events',
  description:
    'Put the key numbers of all my shows next to each other, as a scorecard: registrations, cancellations, how full, money taken and owed, who turned up, this week against last, pace against the previous edition. Not for one event in depth (use get_registration_summary). Returns a row per event and totals.',
  effect: 'read',
  toleratesLag: true,
  permission: 'reports.read',
  input: {
    clientCode: code().optional(),
    status: list(oneOf(EVENT_STATUSES), 3).default(['published']),
    from: day().optional(),
    until: day().optional(),
    search: searchArgument().optional(),
    sort: oneOf(EVENT_STATS_SORT_KEYS).default('startsOn'),
    currency: oneOf(['per', 'convert']).default('per'),
    reportingCurrency: text(3).optional(),
    ...pageArguments,
  },
  output: {
    events: list(
      object({
        eventCode: text(),
        clientCode: text(),
        name: text(),
        startsOn: day(),
        daysToStart: z.number(),
        status: oneOf(EVENT_STATUSES),
        currency: text(),
        ...People,
        capacity: figure(),
        fill: figure(),
        ...Money,
        ...Recent,
        pace: object({ eventCode: text(), other: count(), otherFinal: count() }).optional(),
        withheld: list(text()).optional(),
      }),
    ),
    totals: object({
      events: count(),
      ...People,
      ...Recent,
      money: list(object({ currency: text(), net: money(), total: money(), owed: money() })),
    }),
    asOf: z.string(),
    ...pageResult,
  },
  run: getMyEventsStats,
})
