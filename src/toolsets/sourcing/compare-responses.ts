import { z } from 'zod'
import { eventTool } from '../../kernel/tool.ts'
import { compareResponses } from '../../domains/bids/compare.ts'
import { comparisonArguments, comparisonResult } from '../../domains/bids/shapes.ts'

export default eventTool({
  name: 'compare_responses',
  title: 'Compare responses to an RFP',
  description:
    'Compare offers (bids, quotes) of hotels and venues side by side on total cost: rooms, space, food, fees, concessions, net, terms, risks and scores, cheapest first. Refused while sealed. For a text use summarize_comparison. Returns columns, rows, totals, an Excel link and a picture.',
  effect: 'read',
  permission: 'sourcing.read',
  input: comparisonArguments,
  output: { ...comparisonResult, xlsxUrl: z.string() },
  run: compareResponses,
})
