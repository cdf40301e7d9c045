import { z } from 'zod'
import { toOneLine, code, count, day, list, object, oneOf, text } from '../../kernel/args.ts'
import { accountTool } from '../../kernel/tool.ts'
import { EVENT_STATUSES } from '../../domains/tenancy/events.ts'
import { queryAcrossEvents } from '../../domains/figures/across/query-across-events.ts'
import { queryArguments, queryPageArguments, queryResultFields } from '../../domains/figures/query/arguments.ts'

export default accountTool({
  name: 'query_across_events',
  title: 'Query several events',
  description:
    'Compare all events or editions in one table: people, takings or rooms by event, year, month or client, two currencies apart or converted at exchange rates; who came back. Not for one event (use query_data) or a ready overview (use get_my_events_stats). Returns columns, rows and the events used.',
  effect: 'read',
  toleratesLag: true,
  permission: 'reports.read',
  input: {
    clientCode: code().optional(),
    eventCodes: toOneLine(list(text(160), 200).optional(), 'Event codes, or client/event.'),
    status: list(oneOf(EVENT_STATUSES), 3).default([...EVENT_STATUSES]),
    from: day().optional(),
    until: day().optional(),
    currency: oneOf(['per', 'convert']).default('per'),
    reportingCurrency: text(3).optional(),
    rateOn: toOneLine(text(10).default('row'), 'row, or one day for all rates.'),
    ...queryArguments,
    ...queryPageArguments,
  },
  output: {
    ...queryResultFields,
    events: object({ used: count(), leftOut: list(object({ reason: z.string(), count: count() })) }),
    rates: list(object({ currency: z.string(), day: z.string(), rate: z.string(), source: z.string() })).optional(),
  },
  run: queryAcrossEvents,
})
