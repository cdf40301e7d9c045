import { flag, object } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { queryArguments, queryPageArguments, queryResultFields } from '../../domains/figures/query/arguments.ts'
import { queryData } from '../../domains/figures/query-data.ts'
import { z } from 'zod'

export default eventTool({
  name: 'query_data',
  title: 'Query data',
  description:
    'Answer any question about an event with numbers: count, sum, average or list people, orders, lines, invoices, rooms, leads and scans; group by day, product or country, filter, sort. Not for a picture (use plot_data) or names of fields (use describe_data). Returns columns and rows.',
  effect: 'read',
  toleratesLag: true,
  permission: 'reports.read',
  input: { ...queryArguments, ...queryPageArguments, explain: flag().optional() },
  output: {
    ...queryResultFields,
    plan: object({ joins: z.number(), estimatedRows: z.number(), estimatedCost: z.number() }).optional(),
    readable: z.string().optional(),
  },
  run: queryData,
})
