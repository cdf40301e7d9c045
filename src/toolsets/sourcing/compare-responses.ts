import { z } from 'zod'
import { eventTool } from '../../kernel/tool.ts'
import { compareResponses } from '../../domains/bids/compare.ts'
import { comparisonArguments, comparisonResult } from '../../domains/bids/shapes.ts'

export default eventTool({
  name: 'compare_responses',
  title: 'Compare offers next to each other, line by line',
  description:
    'Compare offers (bids, quotes) of hotels side by side on total costs, and which costs less in the end: rooms per night, space, food, fees, concessions, net, terms, risks and scores. Refused while sealed. For a text use summarize_comparison. Returns columns, rows, totals, Excel and a picture.',
  effect: 'read',
  permission: 'sourcing.read',
  input: comparisonArguments,
  output: { ...comparisonResult, xlsxUrl: z.string() },
  run: compareResponses,
})
